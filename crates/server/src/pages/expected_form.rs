//! The form's page exactly as this binary writes it for an address, byte by byte, so that a page served somewhere can
//! be compared with it (PCI DSS 4.0.1, 11.6.1).

use page::{
    Appearance, FormQuery, HtmlDocument, Language, LanguagePreference, PageDecisions, PageSettings, Pages,
    ScriptJson, Theme, form_page, locale_in_front, theme_context,
};
use protocol::{
    Assignment, CardKey, ColorMode, Features, FormPage, Page, Payee, Payload, PayloadError, SharedJson,
};
use rules::Brand;
use serde::Deserialize;
use serde_json::Value;
use store::Store;
use url::Url;

use super::payee::{PayeeLookup, apply_charge};
use merchants::accounts::Merchants;
use web::cookie_id::is_cookie_id;

/// The part of a page that its address does not decide, but the service's experiments, keys and database.
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

/// A page as it should be.
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

/// What an address asks for.
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

    fn language<'p>(&self, pages: &'p Pages, option: Option<&str>) -> &'p Language {
        let preference = LanguagePreference {
            path: locale_in_front(self.address.path()),
            option,
            ..LanguagePreference::default()
        };
        pages.language(preference.locale())
    }
}

/// The page for `request`, for a visitor without cookies. `store` is the service's
/// database, if it can be read.
pub(crate) async fn expected_form(
    pages: &Pages,
    store: Option<&Store>,
    request: &FormRequest<'_>,
    decisions: ServiceDecisions,
) -> ExpectedForm {
    let options = request.query.form_options();
    let language = request.language(pages, options.locale.as_deref());
    let standalone = request.standalone;
    let service = request.query.service(pages.settings());
    let mut intent = request.payload.intent.clone();
    let mut payee = decisions
        .payee
        .filter(|_| standalone && service.base.is_empty())
        .map(SharedJson::from);
    let mut has_charge = false;
    if let Some(store) = store.filter(|_| standalone && service.base.is_empty())
        && let Ok(PayeeLookup::Charge(stored)) =
            apply_charge(store, &Merchants::new(store.clone()), &mut intent).await
    {
        payee = Some(stored);
        has_charge = true;
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
        card_key: decisions.card_key.map(SharedJson::from),
    };
    let page = form_page(pages, language, &request.query, options, decided, &theme);
    document(pages, language, page, context.color_mode, theme, has_charge).await
}

async fn document(
    pages: &Pages,
    language: &Language,
    page: FormPage,
    color_mode: ColorMode,
    theme: Theme,
    has_charge: bool,
) -> ExpectedForm {
    let page = Page::Form(Box::new(page));
    let text = ScriptJson::of(&page).unwrap_or_default();
    let look = Appearance {
        color_mode,
        theme: &theme.sheet,
    };
    let document = HtmlDocument::render(pages, language, &page, &text, &look).await;
    let html = document.to_html();
    let html_without_body = document.without_body().to_html();
    let mut data: Value = serde_json::from_str(text.as_str()).unwrap_or_default();
    if let Some(messages) = data.pointer_mut("/context/messages") {
        *messages = serde_json::from_str(language.form_texts.json.get()).unwrap_or_default();
    }
    ExpectedForm {
        data,
        html,
        html_without_body,
        font_origins: theme.font_origins,
        theme: theme.sheet,
        has_charge,
    }
}
