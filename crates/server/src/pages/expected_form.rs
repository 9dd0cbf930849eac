//! The form's page as this binary writes it for an address, so that a served page can be compared with it byte by byte
//! (PCI DSS 4.0.1, 11.6.1).

use std::sync::Arc;

use page::{
    Appearance, FormQuery, HtmlDocument, LanguagePreference, PageDecisions, PageSettings, Pages, ScriptJson,
    Theme, form_page, locale_in_front, theme_context,
};
use protocol::{Assignment, CardKey, Features, Page, Payee, Payload, PayloadError};
use rules::Brand;
use serde::Deserialize;
use serde_json::Value;
use store::Store;
use url::Url;

use super::payee::{PayeeLookup, apply_charge};
use merchants::accounts::Merchants;
use web::is_cookie_id;

/// The data of a page that come from the service's experiments, keys and database, and not from the page's address.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ServiceDecisions {
    pub(crate) features: Features,
    pub(crate) experiments: Vec<Assignment>,
    pub(crate) cookie_id: String,
    pub(crate) available_brands: Vec<Brand>,
    pub(crate) saved_cards_count: Option<u8>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) payee: Option<Payee>,
    pub(crate) card_key: Option<CardKey>,
    /// Only tells whether there is a script; the settings say which.
    pub(crate) fraud_script: Option<Value>,
}

/// The expected page.
#[derive(Debug)]
pub(crate) struct ExpectedForm {
    /// The page's data, with its texts.
    pub(crate) data: Value,
    /// The whole document.
    pub(crate) html: String,
    /// The document that a service sends when it is too busy to render: its root is empty, and the browser renders the
    /// page.
    pub(crate) html_without_body: String,
    /// The theme's style sheet.
    pub(crate) theme: String,
    /// The origins of the theme's web fonts.
    pub(crate) font_origins: Vec<String>,
    /// Whether item, amount and payee are those of the database.
    pub(crate) has_charge: bool,
}

/// The request for a page at an address.
pub(crate) struct FormRequest<'a> {
    query: FormQuery,
    /// The charge intent with its signature.
    pub(crate) payload: Payload,
    address: &'a Url,
    /// Whether the page is opened by itself, not in a frame.
    pub(crate) standalone: bool,
}

impl<'a> FormRequest<'a> {
    /// Reads the query as the service does.
    pub(crate) fn at(address: &'a Url, standalone: bool) -> Result<Self, PayloadError> {
        let query = FormQuery::read(address.query().unwrap_or_default());
        Ok(Self {
            payload: Payload::read(&query.payload)?,
            query,
            address,
            standalone,
        })
    }

    /// Whether the page calls the service that it is loaded from, and not a dynamic environment.
    pub(crate) fn calls_itself(&self, settings: &PageSettings) -> bool {
        self.query.service(settings).base.is_empty()
    }
}

/// The page for `request`, for a visitor without cookies. `store` is the service's database, if it can be read.
pub(crate) async fn expected_form(
    pages: &Pages,
    store: Option<&Store>,
    request: &FormRequest<'_>,
    decisions: ServiceDecisions,
) -> ExpectedForm {
    let options = request.query.form_options();
    let preference = LanguagePreference {
        path: locale_in_front(request.address.path()),
        option: options.locale.as_deref(),
        ..LanguagePreference::default()
    };
    let language = pages.language(preference.locale());
    let standalone = request.standalone;
    let service = request.query.service(pages.settings());
    let mut intent = request.payload.intent.clone();
    let (mut payee, mut has_charge) = (None, false);
    if standalone && service.base.is_empty() {
        payee = decisions.payee.map(Arc::new);
        if let Some(store) = store
            && let Ok(PayeeLookup::Charge(stored)) =
                apply_charge(store, &Merchants::new(store.clone()), &mut intent).await
        {
            payee = Some(stored);
            has_charge = true;
        }
    }
    let context = theme_context(&options, standalone, decisions.features);
    let theme = Theme::read(&request.query.custom_style, context, &decisions.allowed_origins);
    let given_id = options.cookie_id.clone().filter(|id| is_cookie_id(id));
    let decided = PageDecisions {
        intent,
        payee,
        standalone,
        service,
        features: decisions.features,
        experiments: decisions.experiments,
        available_brands: decisions.available_brands,
        cookie_id: given_id.unwrap_or(decisions.cookie_id),
        site_id: (options.site_id.clone()).filter(|_| decisions.fraud_script.is_some()),
        allowed_origins: decisions.allowed_origins,
        saved_cards_count: decisions.saved_cards_count,
        card_key: decisions.card_key.map(Arc::new),
    };
    let page = form_page(pages, language, &request.query, options, decided, &theme);
    let page = Page::Form(Box::new(page));
    let text = ScriptJson::of(&page).unwrap_or_default();
    let look = Appearance {
        color_mode: context.color_mode,
        theme: &theme.sheet,
    };
    let document = HtmlDocument::render(pages, language, &page, &text, &look).await;
    let mut data: Value = serde_json::from_str(text.as_str()).unwrap_or_default();
    if let Some(messages) = data.pointer_mut("/context/messages") {
        *messages = serde_json::from_str(language.texts_of(&page).json.get()).unwrap_or_default();
    }
    ExpectedForm {
        data,
        html: document.to_html(),
        html_without_body: document.without_body().to_html(),
        font_origins: theme.font_origins,
        theme: theme.sheet,
        has_charge,
    }
}
