//! What is the same for many pages is rendered once and kept: a page in one language, layout, set of options and
//! experiments. For each request only its own texts are put in.

use std::sync::Arc;

use moka::future::Cache;
use prometheus_client::metrics::counter::Counter;
use rules::Brand;
use rules::locale::Locale;
use wire::{ChargeIntent, ErrorPage, Features, FormOptions, FormPage, Page, ServiceAddress};

use super::html::escape;
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
        offers_saving: bool,
    },
    Error {
        locale: &'static str,
        status: u16,
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
                offers_saving: intent.enable_save_payment_method == Some(true),
            };
            Some((key, Page::Form(Box::new(bare_form(form)))))
        }
        Page::Error(error) => {
            let key = Key::Error {
                locale: locale.code,
                status: error.status,
                described: error.description.is_some(),
            };
            let bare = ErrorPage {
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
            "description" => Part::Description,
            html => Part::Html(Piece::new(html.to_owned())),
        });
        Self {
            bytes: html.len() + TEXTS_BYTES,
            parts: parts.collect(),
        }
    }

    fn fill_in(&self, page: &Page, html: &mut impl Sink) {
        let (item, amount, description) = match page {
            Page::Form(form) => (form.intent.item_name.as_str(), form.amount_text.as_str(), ""),
            Page::Error(error) => ("", "", error.description.as_deref().unwrap_or_default()),
        };
        for part in &self.parts {
            match part {
                Part::Html(piece) => html.piece(piece),
                Part::Item => html.text(&escape(item)),
                Part::Amount => html.text(&escape(amount)),
                Part::Description => html.text(&escape(description)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rules::locale;

    use super::super::assets::Assets;
    use super::super::language::Languages;
    use super::super::render::RenderLimits;
    use super::*;

    fn context(languages: &Languages, locale: &'static Locale) -> wire::PageContext {
        wire::PageContext {
            locale: locale.code.into(),
            iso: locale.iso.into(),
            dir: locale.dir.as_str().into(),
            messages: languages.of(locale).messages.clone(),
            version: "1".into(),
            build_id: "b".into(),
            locale_strategy: wire::LocaleStrategy::NoPrefix,
            locale_cookie: String::new(),
        }
    }

    /// A form page of a real merchant's charge: nothing in it is empty.
    fn form(context: wire::PageContext, standalone: bool, shopper_id: &str, fields: bool) -> Page {
        Page::Form(Box::new(FormPage {
            context,
            intent: ChargeIntent {
                item_code: "code-1".into(),
                item_name: "<b>Larkspur & \"Co\"</b>".into(),
                amount_value: "12.50".into(),
                amount_currency: "EUR".into(),
                partner_reference: "order-1".into(),
                charge_id: "ch_1".into(),
                shopper_email: "sam@example.com".into(),
                shopper_id: shopper_id.into(),
                enable_save_payment_method: Some(true),
                display_saved_payment_method_list: true,
                eligible_save_payment_methods: true,
                partner_id: "partner_1".into(),
                ..ChargeIntent::default()
            },
            standalone,
            locale_is_unknown: false,
            amount_text: "12,50\u{a0}€".into(),
            options: FormOptions {
                cookie_id: Some("c1".into()),
                show_cardholder_name: fields,
                show_cardholder_email: fields,
                locale: Some("de-DE".into()),
                ..FormOptions::default()
            },
            features: Features::SHIPPED,
            experiments: vec![wire::Assignment {
                experiment_id: "e".into(),
                feature: "enable-ddc".into(),
                variation_id: 1,
                variation_key: "on".into(),
            }],
            cookie_id: "c1".into(),
            available_brands: vec![Brand::Visa, Brand::Jcb],
            fraud_script: Some(wire::FraudScript {
                url: "https://fraud.example/s1.js".into(),
                cookie: "token".into(),
                cookie_attributes: "Path=/".into(),
            }),
            ip_lookup_url: "/v1/pub/ip".into(),
            allowed_origins: vec!["https://shop.example".into()],
            theme: wire::ThemeReport::default(),
            device_data_timeout_ms: Some(10),
            tracking: Some(wire::Tracking {
                topic: "cardform-events".into(),
                mode: wire::ExperimentationMode::Production,
                session_timeout_ms: 1,
            }),
            service: wire::ServiceAddress::dynamic("https://a.dev.example:8092".into()),
            init_time_ms: Some(1),
        }))
    }

    #[tokio::test]
    async fn a_kept_page_is_the_page_that_would_have_been_rendered() {
        let assets = Assets::load().unwrap();
        let languages = Languages::load().unwrap();
        let limits = RenderLimits {
            time: Duration::from_secs(30),
            ..RenderLimits::default()
        };
        let renderer = Renderer::start(&assets.server_script(), limits);
        let templates = Templates::new(renderer.clone());
        for code in ["en-US", "ar-SA", "fr-FR"] {
            let locale = locale::by_code(code).unwrap();
            let mut pages: Vec<Page> = [404, 500]
                .map(|status| {
                    Page::Error(ErrorPage {
                        context: context(&languages, locale),
                        status,
                        description: (status == 404).then(|| "Page not found: /<x>".to_owned()),
                    })
                })
                .into();
            for (standalone, shopper, fields) in [
                (true, "", false),
                (true, "s", true),
                (false, "s", false),
                (false, "", true),
            ] {
                pages.push(form(context(&languages, locale), standalone, shopper, fields));
            }
            for page in pages {
                let data = serde_json::to_string(&page).unwrap();
                let direct = renderer.render(data.clone()).await.unwrap();
                for _ in 0..2 {
                    let body = templates.body(&page, languages.of(locale)).await.unwrap();
                    let mut kept = String::new();
                    body.write_to(&mut kept);
                    assert!(matches!(body, Body::Kept(..)));
                    assert_eq!(kept, direct.replace("&#x27;", "&#39;"));
                }
            }
        }
        templates.kept.run_pending_tasks().await;
        assert_eq!(templates.kept.entry_count(), 3 * 6);
    }

    #[test]
    fn a_requests_texts_are_put_in_as_text_and_not_looked_into() {
        let template = Template::cut(&format!("<h1>{DESCRIPTION}</h1><p>amount</p>"));
        let page = Page::Error(ErrorPage {
            context: context(&Languages::load().unwrap(), locale::default()),
            status: 404,
            description: Some(format!("<b>{ITEM}</b>")),
        });
        let mut html = String::new();
        template.fill_in(&page, &mut html);
        assert_eq!(html, format!("<h1>&lt;b&gt;{ITEM}&lt;/b&gt;</h1><p>amount</p>"));
    }
}
