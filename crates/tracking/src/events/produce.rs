//! `POST /topics/{topic}`: accepts events from any page, without credentials (docs/events.md#sending).

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use wire::{ProduceAnswer, RecordOffset};

use super::Events;
use super::refusal::{CONTENT_TYPE, Refusal};
use super::request;
use web::client_ip::ClientAddress;

/// Answers when the records are durable, with a result for each.
pub async fn produce(
    State(events): State<Arc<Events>>,
    ClientAddress(client): ClientAddress,
    topic: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    if !topic.is_ok_and(|Path(topic)| topic == events.settings.topic) {
        return Err(Refusal::UnknownTopic);
    }
    let records = request::records(&headers, body)?;
    let outcomes = events.accept(client, records).await?;
    let answer = ProduceAnswer {
        offsets: outcomes.into_iter().map(RecordOffset::from).collect(),
        key_schema_id: None,
        value_schema_id: None,
    };
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], Json(answer)).into_response())
}

/// The 405 of a topic, which accepts only `POST`.
pub async fn method_not_allowed() -> Response {
    let mut response = Refusal::MethodNotAllowed.into_response();
    let allowed = HeaderValue::from_static("POST,OPTIONS");
    response.headers_mut().insert(header::ALLOW, allowed);
    response
}
