//! Renders pages that are the same for many shoppers once, for each language, layout, set of options and experiments,
//! and caches them. For each request only its own texts are inserted.

use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;
use protocol::{
    ChargeIntent, ChargeMode, ErrorPage, Features, FormOptions, FormPage, Page, PageContext, SETUP_AMOUNT,
    SaveCardUsage, ServiceAddress, ShowPostalCode,
};
use quick_cache::sync::Cache;
use rules::locale::Locale;
use rules::{Brand, PostalCountry};

use super::escape::escape;
use super::language::Language;
use super::pieces::{CompressedPart, DocumentWriter};
use super::render::{RenderError, Renderer};

/// How many templates are cached. Each of 31 languages has two layouts, the options that show a field, and the saved
/// cards. Experiments multiply them; unused ones are dropped from the cache.
const CACHED_MAX: usize = 4_096;

/// Marks the place of a request's own text. No text of ours contains it, and a merchant's text is inserted after the
/// search for marks.
const MARK: char = '\u{e000}';
const ITEM: &str = "\u{e000}item\u{e000}";
const AMOUNT: &str = "\u{e000}amount\u{e000}";
const MESSAGE: &str = "\u{e000}message\u{e000}";
const DESCRIPTION: &str = "\u{e000}description\u{e000}";

/// Space for the texts of a request.
const TEXTS_BYTES: usize = 256;

/// Everything that changes the rendered HTML, except the inserted texts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum TemplateKey {
    Form {
        locale: &'static str,
        standalone: bool,
        name: bool,
        email: bool,
        postal_code: bool,
        /// The country of the postal code; `None` if the form does not ask for one.
        postal_country: Option<PostalCountry>,
        features: Features,
        available_brands: Vec<Brand>,
        /// Whether cards can belong to the shopper.
        savable: bool,
        lists_saved: bool,
        saved_cards_count: Option<u8>,
        offers_saving: bool,
        saves_for_off_session: bool,
        is_setup: bool,
        floating_labels: bool,
    },
    Error {
        locale: &'static str,
        status: u16,
        has_message: bool,
        described: bool,
    },
}

/// The content of a document's root element.
pub(crate) enum RootContent<'a> {
    /// Rendered for this page only.
    Rendered(String),
    /// A cached template, and the page whose texts are inserted.
    Kept(Arc<Template>, &'a Page),
}

impl RootContent<'_> {
    /// Appends it to `html`.
    pub(super) fn write_to(&self, html: &mut impl DocumentWriter) {
        match self {
            Self::Rendered(rendered) => html.text(rendered),
            Self::Kept(template, page) => template.fill_in(page, html),
        }
    }

    /// Its approximate size.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Rendered(rendered) => rendered.len(),
            Self::Kept(template, _) => template.bytes,
        }
    }
}

/// Rendered HTML, split at the places of a request's own texts.
#[derive(Debug)]
pub(crate) struct Template {
    /// The size of the HTML with space for the texts.
    bytes: usize,
    parts: Vec<TemplatePart>,
}

#[derive(Debug)]
enum TemplatePart {
    Html(CompressedPart),
    Item,
    Amount,
    Message,
    Description,
}

/// The result of rendering a template.
type RenderedTemplate = Result<Arc<Template>, Arc<RenderError>>;

/// The cached templates, and the renderer. Cheap to clone.
#[derive(Clone)]
pub(super) struct Templates {
    kept: Arc<Cache<TemplateKey, RenderedTemplate>>,
    asked: Counter,
    rendered: Counter,
    renderer: Renderer,
}

impl Templates {
    pub(super) fn new(renderer: Renderer) -> Self {
        Self {
            kept: Arc::new(Cache::new(CACHED_MAX)),
            asked: Counter::default(),
            rendered: Counter::default(),
            renderer,
        }
    }

    /// Counters of requested pages, and of pages that React rendered.
    pub(super) fn counters(&self) -> (Counter, Counter) {
        (self.asked.clone(), self.rendered.clone())
    }

    /// The content of `page` in `language`. If several requests need the same page at the same time, it is rendered
    /// once.
    pub(super) async fn body<'a>(
        &self,
        page: &'a Page,
        language: &Language,
    ) -> Result<RootContent<'a>, Arc<RenderError>> {
        self.asked.inc();
        let Some(key) = key_of(page, language.locale) else {
            let rendered = self.react(page.clone(), language).await;
            return Ok(RootContent::Rendered(rendered.map_err(Arc::new)?));
        };
        let rendered = match self.kept.get_value_or_guard_async(&key).await {
            Ok(rendered) => rendered,
            Err(place) => {
                let html = self.react(bare(page), language).await;
                let rendered = html.map(|html| Arc::new(Template::cut(&html))).map_err(Arc::new);
                // Errors are cached, too, so that waiting requests do not render again.
                let _ = place.insert(rendered.clone());
                if rendered.is_err() {
                    self.kept.remove(&key);
                }
                rendered
            }
        };
        rendered.map(|template| RootContent::Kept(template, page))
    }

    /// Renders `page` with React, which needs the texts.
    async fn react(&self, mut page: Page, language: &Language) -> Result<String, RenderError> {
        self.rendered.inc();
        let messages = language.texts_of(&page).json.clone();
        let context = match &mut page {
            Page::Form(form) => &mut form.context,
            Page::Error(error) => &mut error.context,
        };
        *context = Arc::new(PageContext {
            messages,
            ..PageContext::clone(context)
        });
        let data = serde_json::to_string(&page).map_err(|error| RenderError::Failed(error.to_string()))?;
        self.renderer.render(data).await
    }
}

/// The key of `page`'s template; `None` for a page whose own texts change the HTML.
fn key_of(page: &Page, locale: &'static Locale) -> Option<TemplateKey> {
    match page {
        Page::Form(form) if has_own_texts(form) => None,
        Page::Form(form) => {
            let FormPage { intent, options, .. } = form.as_ref();
            Some(TemplateKey::Form {
                locale: locale.code,
                standalone: form.standalone,
                name: options.show_cardholder_name,
                email: options.show_cardholder_email,
                postal_code: asks_for_postal_code(form),
                postal_country: postal_country(form).filter(|_| asks_for_postal_code(form)),
                features: form.features,
                available_brands: form.available_brands.clone(),
                savable: intent.eligible_save_payment_methods && !intent.shopper_id.is_empty(),
                lists_saved: intent.display_saved_payment_method_list,
                saved_cards_count: form.saved_cards_count,
                offers_saving: intent.enable_save_payment_method == Some(true),
                saves_for_off_session: saves_for_off_session(intent),
                is_setup: is_setup(intent),
                floating_labels: form.floating_labels,
            })
        }
        Page::Error(error) => Some(TemplateKey::Error {
            locale: locale.code,
            status: error.status,
            has_message: error.message.is_some(),
            described: error.description.is_some(),
        }),
    }
}

/// Whether the checkbox asks for payments without the shopper, too.
fn saves_for_off_session(intent: &ChargeIntent) -> bool {
    intent.save_card_usage == SaveCardUsage::OffSession.as_str()
}

fn is_setup(intent: &ChargeIntent) -> bool {
    ChargeMode::of(&intent.amount_value) == ChargeMode::Setup
}

/// The page to render for the template of `page`.
fn bare(page: &Page) -> Page {
    match page {
        Page::Form(form) => Page::Form(Box::new(bare_form(form))),
        Page::Error(error) => Page::Error(ErrorPage {
            message: error.message.as_ref().map(|_| MESSAGE.to_owned()),
            description: error.description.as_ref().map(|_| DESCRIPTION.to_owned()),
            ..error.clone()
        }),
    }
}

/// A prefilled field is checked when the page is rendered, so its text changes the HTML; the merchant's own words and a
/// hidden title do, too. A card page is another view, which few shoppers open.
fn has_own_texts(form: &FormPage) -> bool {
    let options = &form.options;
    let is_prefilled = |is_shown: bool, text: &Option<String>| {
        is_shown && text.as_ref().is_some_and(|text| !text.is_empty())
    };
    is_prefilled(options.show_cardholder_email, &options.cardholder_email)
        || is_prefilled(options.show_cardholder_name, &options.cardholder_name)
        || is_prefilled(asks_for_postal_code(form), &options.postal_code)
        || options.hide_title
        || !options.texts.is_empty()
        || form.intent.is_card_session()
}

/// The country of the card, if its postal codes have patterns.
fn postal_country(form: &FormPage) -> Option<PostalCountry> {
    PostalCountry::from_code(&form.intent.payment_method_country_code)
}

fn asks_for_postal_code(form: &FormPage) -> bool {
    form.options.show_postal_code.shows(postal_country(form))
}

/// `form` with only the data of its key. If a component rendered anything else, it would be missing for every shopper
/// instead of showing one shopper's data to another.
fn bare_form(form: &FormPage) -> FormPage {
    let shopper_id = if form.intent.shopper_id.is_empty() {
        ""
    } else {
        "shopper"
    };
    let postal_country = postal_country(form).filter(|_| asks_for_postal_code(form));
    FormPage {
        intent: ChargeIntent {
            item_name: ITEM.to_owned(),
            amount_value: if is_setup(&form.intent) {
                SETUP_AMOUNT.to_owned()
            } else {
                String::new()
            },
            shopper_id: shopper_id.to_owned(),
            payment_method_country_code: postal_country.map_or_else(String::new, |it| it.code().to_owned()),
            enable_save_payment_method: form.intent.enable_save_payment_method,
            display_saved_payment_method_list: form.intent.display_saved_payment_method_list,
            eligible_save_payment_methods: form.intent.eligible_save_payment_methods,
            save_card_usage: if saves_for_off_session(&form.intent) {
                SaveCardUsage::OffSession.in_intent()
            } else {
                String::new()
            },
            ..ChargeIntent::default()
        },
        payee: None,
        amount_text: AMOUNT.to_owned(),
        options: FormOptions {
            show_cardholder_name: form.options.show_cardholder_name,
            show_cardholder_email: form.options.show_cardholder_email,
            show_postal_code: ShowPostalCode::Fixed(asks_for_postal_code(form)),
            ..FormOptions::default()
        },
        experiments: Vec::new(),
        cookie_id: String::new(),
        fraud_script: None,
        allowed_origins: Vec::new(),
        tracking: None,
        service: ServiceAddress::default(),
        card_key: None,
        init_time_ms: None,
        ..form.clone()
    }
}

impl Template {
    fn cut(html: &str) -> Self {
        // Every second part is a name, because names are between two marks.
        let parts = html.split(MARK).map(|part| match part {
            "item" => TemplatePart::Item,
            "amount" => TemplatePart::Amount,
            "message" => TemplatePart::Message,
            "description" => TemplatePart::Description,
            html => TemplatePart::Html(CompressedPart::new(html.to_owned())),
        });
        Self {
            bytes: html.len() + TEXTS_BYTES,
            parts: parts.collect(),
        }
    }

    fn fill_in(&self, page: &Page, html: &mut impl DocumentWriter) {
        for part in &self.parts {
            let text = match (part, page) {
                (TemplatePart::Html(part), _) => {
                    html.part(part);
                    continue;
                }
                (TemplatePart::Item, Page::Form(form)) => &form.intent.item_name,
                (TemplatePart::Amount, Page::Form(form)) => &form.amount_text,
                (TemplatePart::Message, Page::Error(error)) => error.message.as_deref().unwrap_or_default(),
                (TemplatePart::Description, Page::Error(error)) => {
                    error.description.as_deref().unwrap_or_default()
                }
                _ => "",
            };
            html.text(&escape(text));
        }
    }
}

#[cfg(test)]
mod tests;
