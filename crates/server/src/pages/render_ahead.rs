//! Renders the usual pages before a shopper asks for them, so that no shopper waits for the first rendering in a
//! language.

use std::sync::Arc;

use page::{
    Appearance, FormQuery, HtmlDocument, Language, PageDecisions, ScriptJson, form_page, theme_context,
};
use protocol::{ChargeIntent, ColorMode, Page};
use rules::locale;
use tokio::sync::watch;

use super::form_document::assigned;
use super::state::ServedPages;

/// Renders the payment page and the form in a frame, for a guest, in every language. Renders one after the other, so that
/// an engine is free for a shopper's page. Ends early when the service stops.
pub(crate) async fn run(served: Arc<ServedPages>, mut stopped: watch::Receiver<bool>) {
    let ahead = async {
        for locale in locale::TABLE {
            for standalone in [true, false] {
                render(&served, served.pages.language(locale), standalone).await;
            }
        }
    };
    tokio::select! {
        () = ahead => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

async fn render(served: &ServedPages, language: &Language, standalone: bool) {
    let intent = ChargeIntent::default();
    let query = FormQuery::default();
    let options = query.form_options();
    let assigned = assigned(served, &intent, "", &options);
    let context = theme_context(&options, standalone, assigned.features);
    let theme = served.pages.theme("", context, &[]);
    let decided = PageDecisions {
        intent,
        standalone,
        features: assigned.features,
        experiments: assigned.experiments,
        available_brands: assigned.available_brands,
        ..PageDecisions::default()
    };
    let page = form_page(&served.pages, language, &query, options, decided, &theme);
    let page = Page::Form(Box::new(page));
    let look = Appearance {
        color_mode: ColorMode::System,
        theme: "",
    };
    // The document is not needed; its template is cached.
    drop(HtmlDocument::render(&served.pages, language, &page, &ScriptJson::default(), &look).await);
}
