//! `GET /v1/pub/embedding?payload=`: why a form does not show itself in a merchant's page, for the SDK that finds its
//! frame silent.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use rules::AllowedOrigin;
use serde::Deserialize;
use wire::{Embedding, Embeds, Payload};

use super::admission::{NotAdmitted, admit};
use super::state::ServedPages;
use crate::http::api_error::ApiError;
use std::sync::Arc;

/// What the frame was opened with.
#[derive(Default, Deserialize)]
struct Frame {
    #[serde(default)]
    payload: String,
}

/// Any page may ask, and learns what its browser was told by `frame-ancestors` already.
pub(crate) async fn embedding(
    State(served): State<Arc<ServedPages>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Frame { payload } = serde_urlencoded::from_str(raw.as_deref().unwrap_or("")).unwrap_or_default();
    let admitted = match Payload::read(&payload) {
        Ok(payload) => admit(&served, &payload).await,
        Err(error) => Err(error.into()),
    };
    let result = match admitted {
        Ok(merchant) if is_allowed(&headers, &merchant.allowed_origins) => Embeds::Allowed,
        Ok(_) => Embeds::OriginNotAllowed,
        Err(NotAdmitted::Payload(_)) => Embeds::PayloadRefused,
        Err(error) => return ApiError::internal(&error).into_response(),
    };
    let anybody = [(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"))];
    (anybody, Json(Embedding { result })).into_response()
}

/// Browsers say the origin of a page that asks another site.
fn is_allowed(headers: &HeaderMap, origins: &[String]) -> bool {
    let asking = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    origins.is_empty() || asking.is_some_and(|asking| AllowedOrigin::any_covers(origins, asking))
}
