//! `GET` and `POST /v1/pub/charges/{charge_id}/return`: the address to which a challenge returns the shopper. Some banks use
//! GET, some POST. The page asks again until the outcome is known.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use page::{
    Assets, FormQuery, HostBackground, Language, LanguagePreference, Theme, ThemeContext, escape,
    frame_ancestors,
};
use protocol::{ChargeStatus, ColorMode, ErrorCode};
use rules::locale::{self, Locale};
use store::Charge;
use url::form_urlencoded;

use super::state::ServedPages;
use payments::charges::shopper_action::handle_return;
use web::{ApiError, Caller, Content, DescribedAnswer, Operation, PathId};

/// The operation's part of `/openapi.json`.
pub(crate) const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/pub/charges/{charge_id}/return",
    id: "return_from_challenge",
    summary: "Return from a challenge",
    description: "Banks redirect the shopper here. Nothing in the address is trusted.",
    caller: Caller::Anyone,
    answers: &[RETURN_PAGE],
    errors: &[ErrorCode::ChargeNotFound],
    ..Operation::OF_MERCHANT
};

/// The same for POST.
pub(crate) const OPERATION_BY_POST: Operation = Operation {
    method: "POST",
    id: "return_from_challenge_by_post",
    summary: "Return from a challenge by POST",
    description: "Like GET; the body is not read.",
    ..OPERATION
};

const RETURN_PAGE: DescribedAnswer = DescribedAnswer {
    status: 200,
    description: "A page that tells its parent page that the challenge is over, or shows the outcome.",
    content: Content::Text("text/html; charset=utf-8"),
};

/// Asks the provider for the result now. The address has no secret and is not trusted: a forged request only means that
/// the provider is asked earlier. The page of the answer tells the window with the challenge that it is over. If there is no
/// such window, because the bank has led to another browser or the first page was closed, it shows the outcome itself.
pub(crate) async fn return_from_challenge(
    State(served): State<Arc<ServedPages>>,
    PathId(charge_id): PathId,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let charge = charge_of(&served, &charge_id).await?;
    handle_return(&served.charges, &charge.id).await?;
    let charge = charge_of(&served, &charge_id).await?;
    let merchant = served.merchants.of(&charge.partner_id).await?;
    let allowed_origins = merchant.as_ref().map(|merchant| &*merchant.allowed_origins);
    let website = merchant
        .as_ref()
        .and_then(|merchant| merchant.payee.website.as_deref());
    let query = query.unwrap_or_default();
    let language = served.pages.language(language_of(&query, &headers));
    let outcome = Outcome::of(&charge, website, language);
    let theme = served
        .pages
        .theme(&FormQuery::read(&query).custom_style, LOOK, &[]);
    Ok(page_of(
        &served,
        &outcome,
        language,
        &theme,
        allowed_origins.unwrap_or(&[]),
    ))
}

async fn charge_of(served: &ServedPages, id: &str) -> Result<Charge, ApiError> {
    let charge = served.store.charge(id).await?;
    charge.ok_or_else(ApiError::charge_not_found)
}

/// The context of a merchant's theme, which comes from the payment page by way of the browser's storage.
const LOOK: ThemeContext = ThemeContext {
    standalone: true,
    redesign: true,
    repairs_contrast: true,
    color_mode: ColorMode::System,
    host: HostBackground::Unknown,
};

/// The address has the language in which the shopper paid, without its country. The browser's country of it counts.
fn language_of(query: &str, headers: &HeaderMap) -> &'static Locale {
    let own = LanguagePreference::of(headers).locale();
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let named = parameters.find(|(name, _)| name == "locale");
    let named = named.and_then(|(_, tag)| locale::of_language(&tag));
    let language = |locale: &Locale| locale.iso.split('-').next().unwrap_or_default().to_owned();
    named
        .filter(|named| language(named) != language(own))
        .unwrap_or(own)
}

/// The shown outcome of a charge. It has neither amount nor item, because the address has no secret.
struct Outcome<'a> {
    status: &'static str,
    icon: &'static str,
    title: &'a str,
    text: &'a str,
    /// The way to the shop.
    back: Option<String>,
}

/// How often the page asks whether the outcome is known, in seconds.
const REFRESH_S: u32 = 3;

/// The icons of the payment page (`form/src/view/late-icons.tsx`).
const DONE: &str = "m15 24.5 6.2 6.2L33.5 18";
const CLOSED: &str = "M24 14v13m0 7v.1";
const WAITING: &str = "M24 4a20 20 0 0 1 20 20";

impl<'a> Outcome<'a> {
    fn of(charge: &Charge, website: Option<&str>, language: &'a Language) -> Self {
        let text = |key| language.plain_text(key).unwrap_or_default();
        let (icon, title, body) = match charge.status {
            ChargeStatus::Succeeded | ChargeStatus::Authorized => (DONE, "outcome_succeeded", ""),
            ChargeStatus::Failed => (CLOSED, "payment_not_made", ""),
            ChargeStatus::Canceled => (CLOSED, "outcome_closed", "charge_canceled"),
            ChargeStatus::Expired => (CLOSED, "outcome_closed", "charge_expired"),
            _ => (WAITING, "outcome_checking", "outcome_checking_text"),
        };
        let status = charge.status.as_str();
        let back = match charge.status {
            _ if icon == WAITING => None,
            ChargeStatus::Succeeded | ChargeStatus::Authorized => {
                charge.return_url.as_deref().map(|address| {
                    let locale = language.locale.iso;
                    return_address(
                        address,
                        &[("charge_id", &charge.id), ("status", status), ("locale", locale)],
                    )
                })
            }
            _ => charge.cancel_url.clone().or_else(|| charge.return_url.clone()),
        };
        Self {
            status,
            icon,
            title: text(title),
            text: text(body),
            back: back.or_else(|| website.filter(|_| icon != WAITING).map(str::to_owned)),
        }
    }

    fn html(&self, language: &Language) -> String {
        let Self {
            status,
            icon,
            title,
            text,
            back,
        } = self;
        let kind = if *icon == WAITING { " waiting" } else { "" };
        let back = back.as_deref().map_or_else(String::new, |address| {
            let words = language.plain_text("back_to_merchant").unwrap_or_default();
            format!(
                "<a class=\"outcome-back\" href=\"{}\">{}</a>",
                escape(address),
                escape(words)
            )
        });
        let text = if text.is_empty() {
            String::new()
        } else {
            format!("<p class=\"outcome-text\">{}</p>", escape(text))
        };
        format!(
            "<main class=\"error-page\"><div class=\"panel\"><section class=\"outcome\" id=\"outcome\" data-status=\"{status}\">\
             <svg class=\"outcome-icon line-drawing{kind}\" viewBox=\"0 0 48 48\" aria-hidden=\"true\">\
             <circle cx=\"24\" cy=\"24\" r=\"20\"/><path d=\"{icon}\"/></svg>\
             <h1 class=\"outcome-title\">{}</h1>{text}{back}</section></div></main>",
            escape(title)
        )
    }
}

/// The merchant's address with these parameters in its query, as the payment page writes it. Another value under one of these
/// names is replaced.
fn return_address(address: &str, told: &[(&str, &str)]) -> String {
    let (address, fragment) = address.split_at(address.find('#').unwrap_or(address.len()));
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let name = |part: &str| part.split('=').next().unwrap_or_default().to_owned();
    let kept = query
        .split('&')
        .filter(|part| !part.is_empty() && !told.iter().any(|(told, _)| *told == name(part)));
    let added = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(told)
        .finish();
    let query: Vec<_> = kept.chain([&*added]).collect();
    format!("{path}?{}{fragment}", query.join("&"))
}

/// The page. The merchant's origins and our own may frame it, because a challenge may run in a frame.
fn page_of(
    served: &ServedPages,
    outcome: &Outcome<'_>,
    language: &Language,
    theme: &Theme,
    allowed_origins: &[String],
) -> Response {
    let Assets {
        style,
        challenge_return_script: script,
        ..
    } = served.pages.assets();
    let refresh = if outcome.icon == WAITING {
        format!("<meta http-equiv=\"refresh\" content=\"{REFRESH_S}\">\n")
    } else {
        String::new()
    };
    let own_style = if theme.sheet.is_empty() {
        String::new()
    } else {
        format!("<style>{}</style>\n", theme.sheet)
    };
    let html = format!(
        "<!doctype html>\n<html lang=\"{lang}\" dir=\"{dir}\" data-color-mode=\"system\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n{refresh}<title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <link rel=\"stylesheet\" href=\"{style}\" integrity=\"{style_hash}\">\n{own_style}\
         <script type=\"module\" src=\"{script}\" integrity=\"{script_hash}\"></script>\n</head>\n<body>\n{body}\n</body>\n</html>\n",
        lang = escape(language.locale.iso),
        dir = escape(language.locale.dir.as_str()),
        title = escape(outcome.title),
        style = style.path,
        style_hash = style.integrity,
        script = script.path,
        script_hash = script.integrity,
        body = outcome.html(language),
    );
    let ancestors = match frame_ancestors(allowed_origins).as_str() {
        "*" => "*".to_owned(),
        "'none'" => "'self'".to_owned(),
        origins => format!("'self' {origins}"),
    };
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src {}; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors {ancestors}; require-trusted-types-for 'script'; trusted-types 'none'",
        theme.source
    );
    let mut response = (StatusCode::OK, Html(html)).into_response();
    let headers = response.headers_mut();
    let policy = HeaderValue::from_str(&policy)
        .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
