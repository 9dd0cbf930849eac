//! Every URL of the service.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::routing::{delete, get, post};
use page::RESOURCE_POLICY;
use protocol::ErrorCode;
use tower_http::cors::{self, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use super::app::App;
use super::every_request::every_request;
use super::metrics::metrics;
use super::own_simulator::PAGES;
use super::readiness::readyz;
use crate::manual;
use crate::openapi::openapi;
use crate::pages::{
    amount_in_locale, build_meta, build_payload, csp_reports, embedding, form_page, latest_build,
    locale_messages, merchant_logo, operator_asset, operator_page, page_asset, page_not_found,
    return_from_challenge, sdk_asset,
};
use crate::telemetry::RequestLog;
use demo::{shop, simulator};
use experiments::{experiment_token::experiment_token, features::features};
use merchants::callers::client_ip::client_ip;
use payments::charges::{
    cancel_charge::cancel_charge, cancel_shopper_action::cancel_shopper_action, card_key::card_key,
    change_charge::change_charge, create_charge::create_charge, create_client_secret::create_client_secret,
    direct_charge::direct_charge, get_charge::get_charge, initiate_device_data::initiate_device_data,
    list_charges::list_charges, list_events::list_events, look_up_networks::look_up_networks,
    open_link::open_link, pay_charge::pay_charge, resend_event::resend_event, shopper_charge::shopper_charge,
};
use payments::desk::{
    find_charges::find_charges, me::me, operator_cancel::operator_cancel, operator_capture::operator_capture,
    operator_refund::operator_refund, operator_resend::operator_resend, show_audit_log::show_audit_log,
    show_charge::show_charge,
};
use payments::operations::{
    capture_charge::capture_charge, create_refund::create_refund, get_refund::get_refund,
    list_disputes::list_disputes, list_refunds::list_refunds, provider_events::provider_events,
};
use payments::saved_cards::{
    add_card::add_card, change_payment_method::change_payment_method,
    create_card_session::create_card_session, erase_shopper::erase_shopper,
    list_payment_methods::list_payment_methods, merchant_cards::change_saved_card,
    merchant_cards::get_saved_card, merchant_cards::list_cards_of_shopper, merchant_cards::remove_saved_card,
    remove_payment_method::remove_payment_method,
};
use tracking::events;
use tracking::operator::report;
use web::{ApiError, BODY_BYTES_MAX};
use webhooks::endpoints::{
    change_webhook_endpoint::change_webhook_endpoint, create_webhook_endpoint::create_webhook_endpoint,
    get_webhook_endpoint::get_webhook_endpoint, list_webhook_endpoints::list_webhook_endpoints,
    remove_webhook_endpoint::remove_webhook_endpoint,
};

/// Browsers use only https for two years. `includeSubDomains` is left out, because the host's other names may not be
/// ours.
pub(crate) const TWO_YEARS: &str = "max-age=63072000";

/// The largest body of policy violation reports, in bytes; a page sends few at a time.
const REPORT_BYTES_MAX: usize = 64 * 1024;

/// How long a browser may cache a preflight answer. No browser caches it for longer than a day.
const PREFLIGHT_KEPT: Duration = Duration::from_secs(86_400);

/// All routes of the listener.
pub fn router(app: &App) -> Router {
    let mut router = Router::new()
        .route("/", get(form_page))
        .route("/{locale}", get(form_page).fallback(page_not_found))
        .fallback(page_not_found)
        .nest("/v1", api())
        .route("/openapi.json", get(openapi))
        // Only the provider calls it, so `openapi.json` does not describe it.
        .route("/v1/providers/stripe/events", post(provider_events))
        .nest("/v1/operator", operator_api())
        .route("/operator", get(operator_page))
        .route("/operator/assets/{*path}", get(operator_asset))
        .route("/assets/{*path}", get(page_asset))
        .route("/locales/{build_id}/{name}", get(locale_messages))
        .route("/amounts/{tag}/{currency}/{value}", get(amount_in_locale))
        .route("/logos/{name}", get(merchant_logo))
        .route("/builds/latest.json", get(latest_build))
        .route("/builds/meta/{name}", get(build_meta))
        .route("/_payload.json", get(build_payload))
        .route("/sdk/{*path}", get(sdk_asset))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .route(
            "/csp-reports",
            post(csp_reports).layer(DefaultBodyLimit::max(REPORT_BYTES_MAX)),
        )
        .merge(topics())
        .method_not_allowed_fallback(method_not_allowed);
    if let Some(demo) = &app.demo {
        router = router
            .nest("/demo", shop::router().with_state(Arc::clone(demo)))
            .nest_service("/simulator", simulator::router(Arc::clone(&demo.mode.simulator)));
        if let Some(mover) = &demo.clock {
            router = router.merge(simulator::clock_route(Arc::clone(mover)));
        }
    }
    if let Some(own) = &app.simulator {
        router = router.nest_service(PAGES, simulator::pages_router(Arc::clone(own)));
    }
    if app.config.docs {
        router = router.merge(manual::router());
    }
    if app.pages.settings().is_https {
        router = router.layer(header_layer(header::STRICT_TRANSPORT_SECURITY, TWO_YEARS));
    }
    router
        .with_state(app.clone())
        .layer(every_request(RequestLog::from_ref(app)))
}

/// The routes for merchants' servers and, under `/pub`, for the page. A handler that pages of other sites may call sets
/// CORS headers itself; the others have none, because the form's page has our own origin.
fn api() -> Router<App> {
    Router::new()
        .route("/charges", get(list_charges).post(create_charge))
        .route("/charges/{id}", get(get_charge).post(change_charge))
        .route("/charges/{id}/cancel", post(cancel_charge))
        .route("/charges/{id}/pay", post(pay_charge))
        .route("/charges/{id}/capture", post(capture_charge))
        .route("/charges/{id}/refunds", get(list_refunds).post(create_refund))
        .route("/refunds/{id}", get(get_refund))
        .route("/disputes", get(list_disputes))
        .route("/charges/{id}/client-secret", post(create_client_secret))
        .route("/events", get(list_events))
        .route("/events/{id}/resend", post(resend_event))
        .route(
            "/webhook-endpoints",
            get(list_webhook_endpoints).post(create_webhook_endpoint),
        )
        .route(
            "/webhook-endpoints/{id}",
            get(get_webhook_endpoint)
                .post(change_webhook_endpoint)
                .delete(remove_webhook_endpoint),
        )
        .route("/shoppers/{shopper_id}", delete(erase_shopper))
        .route(
            "/shoppers/{shopper_id}/payment-methods",
            get(list_cards_of_shopper),
        )
        .route("/shoppers/{shopper_id}/card-sessions", post(create_card_session))
        .route(
            "/payment-methods/{id}",
            get(get_saved_card)
                .post(change_saved_card)
                .delete(remove_saved_card),
        )
        .route("/pub/direct/charges", post(direct_charge))
        .route("/pub/charges/{charge_id}", get(shopper_charge))
        .route("/pub/charges/{charge_id}/client-secret", post(open_link))
        .route(
            "/pub/shoppers/{shopper_id}/payment-methods",
            get(list_payment_methods),
        )
        .route(
            "/pub/payment-methods/{payment_method_id}",
            post(change_payment_method).delete(remove_payment_method),
        )
        .route("/pub/card-sessions/charges", post(add_card))
        .route(
            "/pub/charges/{charge_id}/cancel-shopper-action",
            post(cancel_shopper_action),
        )
        .route(
            "/pub/charges/{charge_id}/return",
            get(return_from_challenge).post(return_from_challenge),
        )
        .route("/pub/device-data/initiate", post(initiate_device_data))
        .route("/pub/card-networks", post(look_up_networks))
        .route("/pub/card-key", get(card_key))
        .route("/pub/ip", get(client_ip))
        .route("/pub/embedding", get(embedding))
        .route("/pub/features", get(features))
        .route("/pub/experiment-token", get(experiment_token))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        // Answers contain client secrets and charges. A handler whose answer may be cached sets the header itself.
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ))
        .layer(header_layer(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header_layer(RESOURCE_POLICY, "same-origin"))
}

/// The routes for the operator's page alone, so `openapi.json` does not describe them.
fn operator_api() -> Router<App> {
    Router::new()
        .route("/report", get(report))
        .route("/me", get(me))
        .route("/charges", get(find_charges))
        .route("/charges/{id}", get(show_charge))
        .route("/charges/{id}/refunds", post(operator_refund))
        .route("/charges/{id}/capture", post(operator_capture))
        .route("/charges/{id}/cancel", post(operator_cancel))
        .route("/events/{id}/resend", post(operator_resend))
        .route("/audit", get(show_audit_log))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(header_layer(header::CACHE_CONTROL, "no-store"))
        .layer(header_layer(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header_layer(RESOURCE_POLICY, "same-origin"))
}

/// For pages of any origin, such as the form in a frame or a merchant's page. The requests have no credentials, so
/// a page can do no more than any other client.
fn topics() -> Router<App> {
    let cors = CorsLayer::new()
        .allow_origin(cors::Any)
        .allow_methods([Method::POST])
        .allow_headers([header::CONTENT_TYPE])
        .expose_headers([header::RETRY_AFTER])
        .max_age(PREFLIGHT_KEPT);
    Router::new()
        .route(
            "/topics/{topic}",
            post(events::produce).fallback(events::method_not_allowed),
        )
        .layer(DefaultBodyLimit::max(events::BODY_BYTES_MAX))
        .layer(header_layer(header::CACHE_CONTROL, "no-store"))
        .layer(header_layer(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(cors)
}

/// Sets a header of every answer.
fn header_layer(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}

async fn not_found() -> ApiError {
    ApiError::not_found()
}

async fn method_not_allowed() -> ApiError {
    ApiError::new(
        ErrorCode::MethodNotAllowed,
        "This path does not have this method.",
    )
}

/// Answers while the process is alive.
async fn healthz() -> &'static str {
    "ok"
}
