//! What is the same for many pages is rendered once and kept: a page in one language, layout, set of options and
//! experiments. For each request only its own texts are put in.

use std::sync::Arc;

use moka::future::Cache;
use prometheus_client::metrics::counter::Counter;
use rules::Brand;
use rules::locale::Locale;
use wire::{ChargeIntent, ErrorPage, Features, FormOptions, FormPage, Page, ServiceAddress};

use super::escape::escape;
use super::language::Language;
use super::pieces::{Piece, Sink};
use super::render::{RenderError, Renderer};

/// How many are kept; there are two layouts, the options that show a field, and what is saved, in each of 31 languages.
/// Experiments that divide shoppers multiply them; those that nobody asks for any more make room.
const KEPT_MAX: u64 = 4_096;

/// Surrounds the name of a text that each request has its own of. No text of ours has it, and a merchant's is put in
/// after it was looked for.
const MARK: char = '\u{e000}';
const ITEM: &str = "\u{e000}item\u{e000}";
const AMOUNT: &str = "\u{e000}amount\u{e000}";
const MESSAGE: &str = "\u{e000}message\u{e000}";
const DESCRIPTION: &str = "\u{e000}description\u{e000}";

/// Room for the texts of a request.
const TEXTS_BYTES: usize = 256;

/// Everything that changes what is rendered, but for the texts that are put in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Form {
        locale: &'static str,
        standalone: bool,
        name: bool,
        email: bool,
        features: Features,
        available_brands: Vec<Brand>,
        /// Whether cards can belong to the shopper.
        savable: bool,
        lists_saved: bool,
        saved_cards_count: Option<u8>,
        offers_saving: bool,
        floating_labels: bool,
    },
    Error {
        locale: &'static str,
        status: u16,
        has_message: bool,
        described: bool,
    },
}

/// What stands in a document's root.
pub(crate) enum Body<'a> {
    /// Rendered for this page alone.
    Rendered(String),
    /// Rendered before, and the page whose texts go into it.
    Kept(Arc<Template>, &'a Page),
}

impl Body<'_> {
    /// Puts it at the end of `html`.
    pub(super) fn write_to(&self, html: &mut impl Sink) {
        match self {
            Self::Rendered(rendered) => html.text(rendered),
            Self::Kept(template, page) => template.fill_in(page, html),
        }
    }

    /// About as many as it has.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Rendered(rendered) => rendered.len(),
            Self::Kept(template, _) => template.bytes,
        }
    }
}

/// Rendered HTML, cut where a request's own texts go.
#[derive(Debug)]
pub(crate) struct Template {
    /// Of the HTML, and room for the texts.
    bytes: usize,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Html(Piece),
    Item,
    Amount,
    Message,
    Description,
}

/// The pages that were rendered, and what renders them. Cheap to clone.
#[derive(Clone)]
pub(super) struct Templates {
    kept: Cache<Key, Arc<Template>>,
    asked: Counter,
    rendered: Counter,
    renderer: Renderer,
}

impl Templates {
    pub(super) fn new(renderer: Renderer) -> Self {
        Self {
            kept: Cache::new(KEPT_MAX),
            asked: Counter::default(),
            rendered: Counter::default(),
            renderer,
        }
    }

    /// How many pages were asked for, and for how many React ran.
    pub(super) fn counters(&self) -> (Counter, Counter) {
        (self.asked.clone(), self.rendered.clone())
    }

    /// What `page`, which speaks `language`, looks like. Of requests for one page at the same time one renders it.
    pub(super) async fn body<'a>(
        &self,
        page: &'a Page,
        language: &Language,
    ) -> Result<Body<'a>, Arc<RenderError>> {
        self.asked.inc();
        let Some((key, bare)) = template_of(page, language.locale) else {
            let rendered = self.react(page.clone(), language).await;
            return Ok(Body::Rendered(rendered.map_err(Arc::new)?));
        };
        let render = async { Ok(Arc::new(Template::cut(&self.react(bare, language).await?))) };
        let template = self.kept.try_get_with(key, render).await?;
        Ok(Body::Kept(template, page))
    }

    /// Has React render `page`, for which it needs the texts.
    async fn react(&self, mut page: Page, language: &Language) -> Result<String, RenderError> {
        self.rendered.inc();
        let context = match &mut page {
            Page::Form(form) => &mut form.context,
            Page::Error(error) => &mut error.context,
        };
        context.messages.clone_from(&language.messages);
        let data = serde_json::to_string(&page).map_err(|error| RenderError::Failed(error.to_string()))?;
        self.renderer.render(data).await
    }
}

/// The key of `page` and the page that is rendered for it; none for a page whose own texts decide what is rendered.
fn template_of(page: &Page, locale: &'static Locale) -> Option<(Key, Page)> {
    match page {
        Page::Form(form) if is_prefilled(&form.options) => None,
        Page::Form(form) => {
            let FormPage { intent, options, .. } = form.as_ref();
            let key = Key::Form {
                locale: locale.code,
                standalone: form.standalone,
                name: options.show_cardholder_name,
                email: options.show_cardholder_email,
                features: form.features,
                available_brands: form.available_brands.clone(),
                savable: intent.eligible_save_payment_methods && !intent.shopper_id.is_empty(),
                lists_saved: intent.display_saved_payment_method_list,
                saved_cards_count: form.saved_cards_count,
                offers_saving: intent.enable_save_payment_method == Some(true),
                floating_labels: form.floating_labels,
            };
            Some((key, Page::Form(Box::new(bare_form(form)))))
        }
        Page::Error(error) => {
            let key = Key::Error {
                locale: locale.code,
                status: error.status,
                has_message: error.message.is_some(),
                described: error.description.is_some(),
            };
            let bare = ErrorPage {
                message: error.message.as_ref().map(|_| MESSAGE.to_owned()),
                description: error.description.as_ref().map(|_| DESCRIPTION.to_owned()),
                ..error.clone()
            };
            Some((key, Page::Error(bare)))
        }
    }
}

/// A prefilled email is judged as soon as it is rendered.
fn is_prefilled(options: &FormOptions) -> bool {
    options.show_cardholder_email
        && options
            .cardholder_email
            .as_ref()
            .is_some_and(|email| !email.is_empty())
}

/// `form` with nothing in it but what its key says: whatever else a component came to render would be missing for
/// everybody, and not be one shopper's shown to another.
fn bare_form(form: &FormPage) -> FormPage {
    let shopper_id = if form.intent.shopper_id.is_empty() {
        ""
    } else {
        "shopper"
    };
    FormPage {
        intent: ChargeIntent {
            item_name: ITEM.to_owned(),
            shopper_id: shopper_id.to_owned(),
            enable_save_payment_method: form.intent.enable_save_payment_method,
            display_saved_payment_method_list: form.intent.display_saved_payment_method_list,
            eligible_save_payment_methods: form.intent.eligible_save_payment_methods,
            ..ChargeIntent::default()
        },
        payee: None,
        amount_text: AMOUNT.to_owned(),
        options: FormOptions {
            show_cardholder_name: form.options.show_cardholder_name,
            show_cardholder_email: form.options.show_cardholder_email,
            ..FormOptions::default()
        },
        experiments: Vec::new(),
        cookie_id: String::new(),
        fraud_script: None,
        allowed_origins: Vec::new(),
        tracking: None,
        service: ServiceAddress::own(),
        card_key: None,
        init_time_ms: None,
        ..form.clone()
    }
}

impl Template {
    fn cut(html: &str) -> Self {
        // Between two marks stands a name, so every second piece is one.
        let parts = html.split(MARK).map(|piece| match piece {
            "item" => Part::Item,
            "amount" => Part::Amount,
            "message" => Part::Message,
            "description" => Part::Description,
            html => Part::Html(Piece::new(html.to_owned())),
        });
        Self {
            bytes: html.len() + TEXTS_BYTES,
            parts: parts.collect(),
        }
    }

    fn fill_in(&self, page: &Page, html: &mut impl Sink) {
        for part in &self.parts {
            let text = match (part, page) {
                (Part::Html(piece), _) => {
                    html.piece(piece);
                    continue;
                }
                (Part::Item, Page::Form(form)) => &form.intent.item_name,
                (Part::Amount, Page::Form(form)) => &form.amount_text,
                (Part::Message, Page::Error(error)) => error.message.as_deref().unwrap_or_default(),
                (Part::Description, Page::Error(error)) => error.description.as_deref().unwrap_or_default(),
                _ => "",
            };
            html.text(&escape(text));
        }
    }
}

#[cfg(test)]
mod tests;
