//! `GET /v1/pub/embedding?payload=`: tells the SDK why the form does not appear in a merchant's page.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use protocol::{Embedding, Embeds, Payload};
use rules::AllowedOrigin;
use serde::Deserialize;

use super::admission::{NotAdmitted, admit};
use super::state::ServedPages;
use web::{ApiError, Caller, DescribedAnswer, Operation, Parameter, ParameterValue};

/// The operation's part of `/openapi.json`.
pub(crate) const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/pub/embedding",
    id: "embedding",
    summary: "Find out why a form is not shown",
    description: "For the SDK, when its frame does not answer: whether a page of the request's origin may embed the \
        form of this payload. It tells no more than `frame-ancestors` does.",
    caller: Caller::Anyone,
    parameters: &[FRAME_PAYLOAD],
    answers: &[DescribedAnswer::json::<Embedding>(
        200,
        "Whether the browser shows the frame.",
    )],
    ..Operation::OF_MERCHANT
};

const FRAME_PAYLOAD: Parameter = Parameter::query(
    "payload",
    "The payload of the frame's address.",
    ParameterValue::FramePayload,
);

/// The query: the payload that the frame was opened with.
#[derive(Default, Deserialize)]
struct Frame {
    #[serde(default)]
    payload: String,
}

/// Answers pages of any origin. The page's browser knows the answer already from `frame-ancestors`.
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
        Err(NotAdmitted::Store(cause)) => return ApiError::from(cause).into_response(),
        Err(NotAdmitted::Keys(cause)) => return ApiError::from(cause).into_response(),
    };
    let any_origin = [(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"))];
    (any_origin, Json(Embedding { result })).into_response()
}

/// Whether the page's origin is allowed; without a list every origin is. Browsers send the origin with requests to
/// another site.
fn is_allowed(headers: &HeaderMap, origins: &[String]) -> bool {
    let asking = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    origins.is_empty() || asking.is_some_and(|asking| AllowedOrigin::any_covers(origins, asking))
}
