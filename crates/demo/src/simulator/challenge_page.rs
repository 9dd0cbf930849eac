//! `/challenge/{token}`: the page on which the shopper approves or rejects a payment, like a bank's.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use protocol::DeclineCode;
use reqwest::Url;
use serde::Deserialize;

use super::challenges::Challenge;
use super::pages::{escape, with_policy};
use super::routes::Simulator;

#[derive(Deserialize)]
struct Answered {
    answer: ChallengeAnswer,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChallengeAnswer {
    Approve,
    Reject,
}

/// `GET`: the page, or a redirect back if the payment has ended.
pub(super) async fn show(State(simulator): State<Arc<Simulator>>, Path(token): Path<String>) -> Response {
    match simulator.challenges.with_token(&token) {
        None => not_found(),
        Some(challenge) if simulator.ledger.find(&challenge.asked.idempotency_key).is_some() => {
            redirect_back(&challenge.return_url)
        }
        Some(challenge) => page(&challenge),
    }
}

/// `POST`: the shopper's answer. It is in the ledger before the browser is redirected; only the first answer counts.
pub(super) async fn answer(
    State(simulator): State<Arc<Simulator>>,
    Path(token): Path<String>,
    body: Bytes,
) -> Response {
    let Some(challenge) = simulator.challenges.with_token(&token) else {
        return not_found();
    };
    let Ok(Answered { answer }) = serde_urlencoded::from_bytes(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let decline = match answer {
        ChallengeAnswer::Approve => challenge.decline_code.clone(),
        ChallengeAnswer::Reject => Some(DeclineCode::AuthenticationFailed.as_str().to_owned()),
    };
    let return_url = challenge.return_url.clone();
    match simulator.finish(challenge, decline) {
        Ok(_) => redirect_back(&return_url),
        Err(cause) => {
            tracing::error!(%cause, "the simulator could not record a payment");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn redirect_back(return_url: &str) -> Response {
    match HeaderValue::from_str(return_url) {
        Ok(_) => Redirect::to(return_url).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "There is no such challenge.").into_response()
}

fn page(challenge: &Challenge) -> Response {
    let amount = format!(
        "{} {}",
        challenge.asked.amount_value, challenge.asked.amount_currency
    );
    let html = include_str!("challenge.html").replace("{amount}", &escape(&amount));
    // The answer redirects to the return address, so `form-action` must allow that origin, too.
    let return_origin = Url::parse(&challenge.return_url)
        .map(|url| url.origin().ascii_serialization())
        .unwrap_or_default();
    let policy = format!(
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self' {return_origin}; \
         base-uri 'none'; frame-ancestors *"
    );
    let mut response = with_policy(Html(html).into_response(), &policy);
    response
        .headers_mut()
        .insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
