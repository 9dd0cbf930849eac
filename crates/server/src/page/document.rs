//! `GET /`: the form page, and the error pages in its stead.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use serde_json::value::RawValue;
use url::Url;
use wire::{ColorMode, ErrorPage, FormOptions, FormPage, Page, PageContext, Payee, Payload, PayloadError};

use super::admission::{NotAdmitted, admit};
use super::amount::amount_text;
use super::assets::accepts;
use super::html::Document;
use super::language::Language;
use super::language_preference::cookie_attributes;
use super::payee::Booked;
use super::policy::{FormPolicy, frame_ancestors, lock_down, policy_text};
use super::query::FormQuery;
use super::templates::Body;
use super::theme::{Host, Setting};
use crate::app::App;
use crate::charges::card_key::key_of_page;
use crate::experiments::cookie_id::CookieId;
use crate::experiments::experiment_token::read_experiment_token;
use crate::experiments::{Assigned, Attributes};
use crate::saved_cards::saved_cards_to_show;

/// The card form for the charge intent of `?payload=`, in `language`.
pub(super) async fn form_document(
    app: &App,
    language: &Language,
    query: &FormQuery,
    options: FormOptions,
    headers: &HeaderMap,
) -> Response {
    let payload = match Payload::read(&query.payload) {
        Ok(payload) => payload,
        Err(error) => return unusable_payload(app, language, error).await,
    };
    let merchant = match admit(app, &payload).await {
        Ok(merchant) => merchant,
        Err(NotAdmitted::Payload(error)) => return unusable_payload(app, language, error).await,
        Err(error) => {
            tracing::error!(%error, "the merchant of a page could not be looked up");
            return error_page(app, language, StatusCode::SERVICE_UNAVAILABLE, None).await;
        }
    };
    // Counted for the payload as it is signed, before the books are put over it.
    let listed_cards = saved_cards_to_show(app, &payload).await;
    let mut intent = payload.intent;
    let standalone = is_standalone(headers);
    let service = query.service(
        app.config.dynamic_environment_suffix.as_deref(),
        app.is_reached_over_https(),
    );
    let mut payee = None;
    // The charges of a dynamic environment are in books of its own.
    if standalone && service.base.is_empty() {
        match app.pages.payees.book(&app.store, &mut intent).await {
            Ok(Booked::Charge(booked)) => payee = Some(booked),
            Ok(Booked::Nowhere) => {}
            Ok(Booked::OfAnother) => {
                let description = "The payload names the charge of another merchant.".to_owned();
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                return error_page(app, language, status, Some(description)).await;
            }
            Err(error) => {
                tracing::error!(%error, "the charge of a page could not be looked up");
                return error_page(app, language, StatusCode::SERVICE_UNAVAILABLE, None).await;
            }
        }
    }
    let told = told_shopper(app, &options).await;
    let cookie_id = CookieId::of(options.cookie_id.as_deref().or(told.as_deref()), headers);
    let Assigned {
        mut features,
        mut experiments,
        available_brands,
    } = app
        .experiments
        .document()
        .assign(|| Attributes::of_intent(&intent, &cookie_id.id));
    if let Some(forced) = options.features.as_ref().filter(|_| app.demo.is_some()) {
        features = features.forced(forced);
        experiments.retain(|assignment| !forced.contains_key(&assignment.feature));
    }
    // Only where the provider offers it (DESIGN.md §4).
    let device_data_origin = app.provider.device_data_origin();
    features.enable_ddc &= device_data_origin.is_some();
    let saved_cards_count = listed_cards.filter(|_| features.enable_save_payment_methods);
    let tracked = options.tracking != Some(false);
    let host = Host::read(options.host_background.as_deref().filter(|_| !standalone));
    let setting = Setting {
        standalone,
        redesign: features.pop_646_card_form_ui_redesign,
        // The payment page is ours to the last colour.
        repairs_contrast: standalone || options.contrast.as_deref() == Some("AA"),
        color_mode: color_mode(&options, standalone, host),
        host,
    };
    let merchant_origins = merchant_origins(&merchant.allowed_origins, headers);
    let theme = app
        .pages
        .themes
        .of(&query.custom_style, setting, &merchant_origins)
        .await;
    let is_https = app.public_url.starts_with("https://");
    let fraud_scripts = app.config.fraud_scripts.as_ref();
    let site_id = options.site_id.as_deref().filter(|id| merchant.has_site(id));
    let fraud_script = fraud_scripts
        .zip(site_id)
        .and_then(|(scripts, id)| scripts.script(id, is_https));
    let page = FormPage {
        amount_text: amount_text(&intent.amount_value, &intent.amount_currency, language.locale.iso),
        context: context(app, language),
        intent,
        standalone,
        locale_is_unknown: options.locale.as_deref().is_some_and(is_unknown),
        payee: payee.map(|payee| Payee::clone(&payee)),
        options,
        features,
        experiments,
        cookie_id: cookie_id.id.clone(),
        available_brands,
        fraud_script,
        ip_lookup_url: app.config.ip_lookup.url.clone(),
        allowed_origins: merchant.allowed_origins.clone(),
        theme: theme.report.clone(),
        floating_labels: theme.has_floating_labels,
        saved_cards_count,
        device_data_timeout_ms: features
            .enable_ddc
            .then(|| u32::try_from(app.config.device_data_timeout.as_millis()).unwrap_or(u32::MAX)),
        tracking: app.config.tracking.clone().filter(|_| tracked),
        accepts_plain_cards: app.config.accept_plain_cards || !service.base.is_empty(),
        card_key: key_of_page(app, &service).await,
        service,
        init_time_ms: query.init_time_ms(),
    };
    let policy = FormPolicy {
        ancestors: frame_ancestors(&page.allowed_origins),
        challenges: app.provider.challenge_sources(),
        device_data: device_data_origin.filter(|_| features.enable_ddc),
        shows_challenges: page.standalone,
        service: &page.service.base,
        style: &theme.source,
        fonts: &theme.font_origins,
        fraud_script: page.fraud_script.as_ref().map(|script| script.url.as_str()),
        fraud_origins: fraud_scripts.map_or(&[], |scripts| &scripts.origins),
        ip_lookup: app.config.ip_lookup.origin.as_deref(),
    }
    .to_text();
    let mut response = document(
        app,
        language,
        StatusCode::OK,
        &Page::Form(Box::new(page)),
        &Look {
            color_mode: setting.color_mode,
            theme: &theme.sheet,
            gzip: accepts(headers, "gzip"),
        },
        &policy,
    )
    .await;
    cookie_id.keep(response.headers_mut(), is_https);
    response
}

/// Whether there are no texts for a language tag.
fn is_unknown(tag: &str) -> bool {
    rules::locale::nearest(tag).is_none()
}

/// The shopper of an experiment token; an unusable one is logged, without what is in it, and ignored.
async fn told_shopper(app: &App, options: &FormOptions) -> Option<String> {
    let token = options.experiment_token.as_ref()?;
    match read_experiment_token(app, token).await {
        Ok(claims) => Some(claims.sub),
        Err(error) => {
            tracing::warn!(%error, "the page's experiment token is ignored");
            None
        }
    }
}

async fn unusable_payload(app: &App, language: &Language, error: PayloadError) -> Response {
    let status = match error {
        PayloadError::Missing | PayloadError::NotBase64 => StatusCode::BAD_REQUEST,
        PayloadError::TooLong => StatusCode::URI_TOO_LONG,
        PayloadError::NotAnIntent | PayloadError::Incomplete(_) => StatusCode::UNPROCESSABLE_ENTITY,
        PayloadError::Unsigned | PayloadError::NotOurs | PayloadError::UnknownPartner => {
            StatusCode::FORBIDDEN
        }
    };
    // What nobody vouches for has no place in anybody's page.
    let ancestors = if status == StatusCode::FORBIDDEN {
        "'none'"
    } else {
        ANY_ANCESTOR
    };
    let said = Said::description(Some(error.to_string()));
    error_document(app, language, status, said, ancestors).await
}

/// A page without a card form may be embedded anywhere.
const ANY_ANCESTOR: &str = "*";

/// An error page (specification, point 2); `description` or what is usually said of the status.
pub(super) async fn error_page(
    app: &App,
    language: &Language,
    status: StatusCode,
    description: Option<String>,
) -> Response {
    error_document(
        app,
        language,
        status,
        Said::description(description),
        ANY_ANCESTOR,
    )
    .await
}

/// The page of what is not there (specification, point 2): its path in the message, and the usual description.
pub(super) async fn not_found_page(app: &App, language: &Language, message: String) -> Response {
    let said = Said {
        message: Some(message),
        description: None,
    };
    error_document(app, language, StatusCode::NOT_FOUND, said, ANY_ANCESTOR).await
}

/// What an error page says.
struct Said {
    message: Option<String>,
    /// What is usually said of the status when absent.
    description: Option<String>,
}

impl Said {
    fn description(description: Option<String>) -> Self {
        Self {
            message: None,
            description,
        }
    }
}

async fn error_document(
    app: &App,
    language: &Language,
    status: StatusCode,
    said: Said,
    ancestors: &str,
) -> Response {
    let page = ErrorPage {
        context: context(app, language),
        status: status.as_u16(),
        message: said.message,
        description: said.description,
    };
    let look = Look {
        color_mode: ColorMode::System,
        theme: "",
        gzip: false,
    };
    let policy = policy_text(ancestors, "'self'", "'self'", "'none'", "'none'");
    document(app, language, status, &Page::Error(page), &look, &policy).await
}

/// What the page arrives in.
struct Look<'a> {
    color_mode: ColorMode,
    theme: &'a str,
    /// Compressed, as [`super::pieces`] does it.
    gzip: bool,
}

/// What the page forces; otherwise the payment page follows the shopper's preference, which its script knows, and a form in
/// a merchant's page is at home there.
fn color_mode(options: &FormOptions, standalone: bool, host: Host) -> ColorMode {
    let default = if standalone {
        ColorMode::System
    } else {
        host.color_mode()
    };
    options.color_mode.unwrap_or(default)
}

/// Whose web fonts the page may load: the merchant's origins, or the embedding page's where any may embed the form.
fn merchant_origins(allowed_origins: &[String], headers: &HeaderMap) -> Vec<String> {
    if !allowed_origins.is_empty() || is_standalone(headers) {
        return allowed_origins.to_vec();
    }
    let referrer = headers.get(header::REFERER).and_then(|value| value.to_str().ok());
    let origin = referrer
        .and_then(|referrer| Url::parse(referrer).ok())
        .map(|url| url.origin().ascii_serialization());
    origin.into_iter().collect()
}

fn context(app: &App, language: &Language) -> PageContext {
    let locale = language.locale;
    PageContext {
        locale: locale.code.to_owned(),
        iso: locale.iso.to_owned(),
        dir: locale.dir.as_str().to_owned(),
        // The document has them from the language itself.
        messages: no_texts(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build_id: app.pages.assets().build_id().to_owned(),
        locale_strategy: app.config.locale_routes.strategy,
        locale_cookie: cookie_attributes(app).to_owned(),
    }
}

/// What stands for the texts in a page's data.
fn no_texts() -> Box<RawValue> {
    RawValue::from_string("0".to_owned()).unwrap_or_default()
}

/// A document request that no frame made. A browser that does not say is asked again by the page itself.
fn is_standalone(headers: &HeaderMap) -> bool {
    const FRAMES: [&[u8]; 4] = [b"iframe", b"frame", b"embed", b"object"];
    headers
        .get("sec-fetch-dest")
        .is_none_or(|destination| !FRAMES.contains(&destination.as_bytes()))
}

/// Renders `page` and puts the document around it. When rendering fails the page still arrives, and the browser
/// renders it.
async fn document(
    app: &App,
    language: &Language,
    status: StatusCode,
    page: &Page,
    look: &Look<'_>,
    policy: &str,
) -> Response {
    let title = match page {
        // A page that changes its language gives itself the same title.
        Page::Form(_) => "pay_with_card",
        Page::Error(error) if error.status == 404 => "page_not_found_title",
        Page::Error(error) if error.status < 500 => "page_unusable_title",
        Page::Error(_) => "page_unavailable_title",
    };
    let data = match serde_json::to_string(page) {
        Ok(data) => data,
        Err(error) => {
            tracing::error!(%error, "a page could not be described");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let rendered = app.pages.templates.body(page, language).await;
    let body = rendered.unwrap_or_else(|error| {
        tracing::error!(%error, "a page was not rendered on the server; the browser renders it");
        Body::Rendered(String::new())
    });
    // A form in a merchant's page has no address of its own, and an error page's is none.
    let alternates = match page {
        Page::Form(form) if form.standalone => Some(&*app.pages.alternates),
        _ => None,
    };
    let document = Document {
        lang: language.locale.iso,
        dir: language.locale.dir.as_str(),
        title: language.plain_text(title).unwrap_or("Cardform"),
        color_mode: look.color_mode.as_str(),
        alternates,
        style: app.pages.assets().style(),
        style_integrity: app.pages.assets().style_integrity(),
        theme: look.theme,
        script: app.pages.assets().script(),
        payee: match page {
            Page::Form(form) => form.payee.as_ref(),
            Page::Error(_) => None,
        },
        no_script: match page {
            Page::Form(_) => language.plain_text("needs_javascript"),
            Page::Error(_) => None,
        },
        script_integrity: app.pages.assets().script_integrity(),
        data: &data,
        texts: &language.in_document,
        body,
    };
    let mut response = if look.gzip {
        let encoding = [(header::CONTENT_ENCODING, "gzip")];
        (status, encoding, Html(document.to_gzip())).into_response()
    } else {
        (status, Html(document.to_html())).into_response()
    };
    lock_down(response.headers_mut(), policy);
    response
}
