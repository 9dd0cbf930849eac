//! Renders the usual pages before a shopper asks for them, so that no shopper waits for the first rendering in a
//! language.

use std::sync::Arc;

use page::{
    Appearance, FormQuery, Language, PageDecisions, PageSite, ScriptJson, form_page, setting, written,
};
use rules::locale;
use tokio::sync::watch;
use wire::{ChargeIntent, ColorMode, Page, ServiceAddress};

use super::state::ServedPages;
use crate::experiments::{Assigned, Attributes};

/// Renders the payment page and the form in a frame, for a guest, in every language, one after the other: a shopper's
/// page has an engine free meanwhile. Ends early when the service stops.
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
    let document = served.experiments.document();
    let Assigned {
        mut features,
        experiments,
        available_brands,
    } = document.assign(|| Attributes::of_intent(&intent, ""));
    features.enable_ddc &= served.charges.provider.device_data_origin().is_some();
    let setting = setting(&options, standalone, features);
    let theme = served.pages.theme("", setting, &[]);
    let site = PageSite {
        pages: &served.pages,
        settings: &served.settings.of_page(),
        language,
        is_https: served.is_https,
    };
    let decided = PageDecisions {
        intent,
        payee: None,
        standalone,
        service: ServiceAddress::own(),
        features,
        experiments,
        available_brands,
        cookie_id: String::new(),
        site_id: None,
        allowed_origins: Vec::new(),
        saved_cards_count: None,
        card_key: None,
    };
    let page = Page::Form(Box::new(form_page(&site, &query, options, decided, &theme)));
    let look = Appearance {
        color_mode: ColorMode::System,
        theme: "",
    };
    // The document is not needed; its template is kept.
    drop(written(&served.pages, language, &page, &ScriptJson::default(), &look).await);
}
