//! `GET /v1/pub/features`: the features document in the format of GrowthBook's SDKs, for pages hosted elsewhere.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Experiments;
use web::built_file::is_known;
use web::{Caller, DescribedAnswer, Operation};

/// The operation's part of `/openapi.json`.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/pub/features",
    id: "features",
    summary: "Get the features document",
    description: "For pages hosted elsewhere: the rules of the form's experiments, in the format of GrowthBook's \
        SDKs. An encrypted document stays encrypted.",
    caller: Caller::Anyone,
    answers: &[
        DescribedAnswer::json::<serde_json::Map<String, serde_json::Value>>(
            200,
            "`status`, `features` or `encryptedFeatures`, and the data that they refer to.",
        ),
        DescribedAnswer::nothing(304, "The document has not changed."),
    ],
    ..Operation::OF_MERCHANT
};

/// Caches may use it for 30 seconds, so that a change is seen soon, and for up to a day while the service is down.
const CACHED: HeaderValue =
    HeaderValue::from_static("public, max-age=30, stale-while-revalidate=3600, stale-if-error=86400");

/// Answers every caller with the document in use.
pub async fn features(State(experiments): State<Experiments>, headers: HeaderMap) -> Response {
    let document = experiments.document();
    let published = document.published();
    let mut response = if is_known(&headers, &published.etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let json = [(header::CONTENT_TYPE, "application/json")];
        (json, published.body.clone()).into_response()
    };
    let out = response.headers_mut();
    out.insert(header::CACHE_CONTROL, CACHED);
    if let Ok(etag) = HeaderValue::from_str(&published.etag) {
        out.insert(header::ETAG, etag);
    }
    out.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}
