//! `GET /`: the page with the card form, for the charge intent of a payload.

use std::sync::Arc;

use axum::Json;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use page::{
    Appearance, FormPolicy, FormQuery, Language, PageDecisions, Theme, accepts, form_page, frame_ancestors,
    theme_context,
};
use protocol::{ChargeIntent, FormOptions, FormPage, PAGE_UPDATE_HEADER, Page, PageUpdate, Payee, Payload};
use url::Url;

use super::admission::{NotAdmitted, admit};
use super::document::{document, error_page, unusable_payload};
use super::payee::{PayeeLookup, apply_charge};
use super::state::ServedPages;
use experiments::experiment_token::read_experiment_token;
use experiments::{Assigned, Attributes};
use merchants::accounts::CachedMerchant;
use payments::charges::card_key::key_of_page;
use payments::saved_cards::saved_cards_to_show;
use web::CookieId;

/// A constant name is found in half the time of a text.
const PAGE_UPDATE: HeaderName = HeaderName::from_static(PAGE_UPDATE_HEADER);
const FETCH_DESTINATION: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The card form for the charge intent of `?payload=`, in `language`.
pub(super) async fn form_document(
    served: &ServedPages,
    language: &Language,
    query: &FormQuery,
    options: FormOptions,
    request: &Parts,
) -> Response {
    let headers = &request.headers;
    let payload = match Payload::read(&query.payload) {
        Ok(payload) => payload,
        Err(error) => return unusable_payload(served, language, error).await,
    };
    let merchant = match admit(served, &payload).await {
        Ok(merchant) => merchant,
        Err(NotAdmitted::Payload(error)) => return unusable_payload(served, language, error).await,
        Err(error) => {
            tracing::error!(%error, "the merchant of a page could not be read from the database");
            return error_page(served, language, StatusCode::SERVICE_UNAVAILABLE, None).await;
        }
    };
    // Before the stored charge replaces parts of the payload, because this checks the payload's signature.
    let listed_cards = saved_cards_to_show(&served.charges.saved_cards, &payload).await;
    let mut intent = payload.intent;
    let standalone = is_standalone(headers);
    let service = query.service(served.settings());
    // A dynamic environment has its own database with its own charges.
    let is_update = headers.contains_key(PAGE_UPDATE);
    let payee = if (standalone || is_update) && service.base.is_empty() {
        match book_payee(served, &merchant, &mut intent).await {
            Ok(payee) => payee,
            Err((status, description)) => return error_page(served, language, status, description).await,
        }
    } else {
        None
    };
    let token_cookie_id = cookie_id_of_token(served, &options).await;
    let cookie_id = CookieId::of(
        options.cookie_id.as_deref().or(token_cookie_id.as_deref()),
        headers,
    );
    let Assigned {
        features,
        experiments,
        available_brands,
    } = assigned(served, &intent, &cookie_id.id, &options);
    let context = theme_context(&options, standalone, features);
    let merchant_origins = merchant_origins(&merchant.allowed_origins, headers);
    let theme = served
        .pages
        .theme(&query.custom_style, context, &merchant_origins);
    let decided = PageDecisions {
        intent,
        payee,
        standalone,
        saved_cards_count: listed_cards.filter(|_| features.enable_save_payment_methods),
        features,
        experiments,
        available_brands,
        cookie_id: cookie_id.id.clone(),
        // In demo mode any site of the fraud prevention may be named.
        site_id: (options.site_id.clone()).filter(|id| served.is_demo || merchant.site_ids.contains(id)),
        allowed_origins: merchant.allowed_origins.clone(),
        card_key: key_of_page(&served.charges, &service).await,
        service,
    };
    let page = form_page(&served.pages, language, query, options, decided, &theme);
    if is_update {
        return page_update(PageUpdate {
            page: FormPage { payee: None, ..page },
            theme: theme.sheet.clone(),
            color_mode: context.color_mode,
        });
    }
    let policy = policy_of(served, &page, &theme);
    let mut response = document(
        served,
        language,
        StatusCode::OK,
        &Page::Form(Box::new(page)),
        &Appearance {
            color_mode: context.color_mode,
            theme: &theme.sheet,
        },
        accepts(headers, "gzip"),
        &policy,
    )
    .await;
    cookie_id.keep(response.headers_mut(), served.settings().is_https);
    response
}

/// The page as data, for a form that changes in place. Another site's page cannot ask for it: the header would need a
/// permission that is never given.
fn page_update(update: PageUpdate) -> Response {
    let mut response = Json(update).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::VARY, HeaderValue::from_static(PAGE_UPDATE_HEADER));
    response
}

/// The experiments of this page.
pub(super) fn assigned(
    served: &ServedPages,
    intent: &ChargeIntent,
    cookie_id: &str,
    options: &FormOptions,
) -> Assigned {
    let document = served.experiments.document();
    let mut assigned = document.assign(|| Attributes::of_intent(intent, cookie_id));
    if let Some(forced) = options.features.as_ref().filter(|_| served.is_demo) {
        assigned.features = assigned.features.forced(forced);
        assigned
            .experiments
            .retain(|assignment| !forced.contains_key(&assignment.feature));
    }
    if served.is_demo {
        let forced = options.features.as_ref().map(|_| assigned.features);
        served.experiments.force(&intent.charge_id, forced);
    }
    // Only if the provider supports it (docs/calls.md#device-data).
    assigned.features.enable_ddc &= served.charges.provider.device_data_origin().is_some();
    assigned
}

/// Puts the stored charge over the intent and returns the payee; `None` if the charge is not in the database. A card session
/// has no charge, and its payee is its merchant. An error is the status and description of the error page.
async fn book_payee(
    served: &ServedPages,
    merchant: &CachedMerchant,
    intent: &mut ChargeIntent,
) -> Result<Option<Arc<Payee>>, (StatusCode, Option<String>)> {
    if intent.is_card_session() {
        let payee = Some(merchant.payee.clone());
        // The demo shows payloads without a merchant.
        return Ok(payee.filter(|payee| !payee.name.is_empty()));
    }
    match apply_charge(&served.store, &served.merchants, intent).await {
        Ok(PayeeLookup::Charge(payee)) => Ok(Some(payee)),
        Ok(PayeeLookup::UnknownCharge) => Ok(None),
        Ok(PayeeLookup::OtherMerchant) => {
            let description = "The payload names the charge of another merchant.".to_owned();
            Err((StatusCode::UNPROCESSABLE_ENTITY, Some(description)))
        }
        Err(error) => {
            tracing::error!(%error, "the charge of a page could not be read from the database");
            Err((StatusCode::SERVICE_UNAVAILABLE, None))
        }
    }
}

/// The content security policy of this page with this theme.
fn policy_of(served: &ServedPages, page: &FormPage, theme: &Theme) -> String {
    let fraud_scripts = served.settings().fraud_scripts.as_ref();
    FormPolicy {
        ancestors: frame_ancestors(&page.allowed_origins),
        challenges: served.charges.provider.challenge_sources(),
        device_data: served
            .charges
            .provider
            .device_data_origin()
            .filter(|_| page.features.enable_ddc),
        // A card page shows them in a frame, too, because it has no form of the merchant's page around it.
        shows_challenges: page.standalone || page.intent.is_card_session(),
        service: &page.service.base,
        style: &theme.source,
        fonts: &theme.font_origins,
        fraud_script: page.fraud_script.as_ref().map(|script| script.url.as_str()),
        fraud_origins: fraud_scripts.map_or(&[], |scripts| &scripts.origins),
        ip_lookup: served.settings().ip_lookup.origin.as_deref(),
    }
    .to_text()
}

/// The cookie id in the experiment token. A token that cannot be used is ignored and logged without its content.
async fn cookie_id_of_token(served: &ServedPages, options: &FormOptions) -> Option<String> {
    let token = options.experiment_token.as_ref()?;
    // Boxed, because most pages have no token, and the future of this call is larger than the rest of a page's future.
    match Box::pin(read_experiment_token(&served.charges.client_secrets, token)).await {
        Ok(claims) => Some(claims.sub),
        Err(error) => {
            tracing::warn!(%error, "the page's experiment token is ignored");
            None
        }
    }
}

/// The origins whose web fonts the page may load: the merchant's; if it has no list, the embedding page's.
fn merchant_origins(allowed_origins: &[String], headers: &HeaderMap) -> Vec<String> {
    if !allowed_origins.is_empty() || is_standalone(headers) {
        return allowed_origins.to_vec();
    }
    let referrer = headers
        .get(PAGE_UPDATE)
        .or_else(|| headers.get(header::REFERER))
        .and_then(|value| value.to_str().ok());
    let origin = referrer
        .and_then(|referrer| Url::parse(referrer).ok())
        .map(|url| url.origin().ascii_serialization());
    origin.into_iter().collect()
}

/// Whether the request is for a document outside a frame. If the browser does not say, the page itself checks again.
fn is_standalone(headers: &HeaderMap) -> bool {
    const FRAMES: [&[u8]; 4] = [b"iframe", b"frame", b"embed", b"object"];
    let is_update = headers.contains_key(PAGE_UPDATE);
    !is_update
        && headers
            .get(FETCH_DESTINATION)
            .is_none_or(|destination| !FRAMES.contains(&destination.as_bytes()))
}
