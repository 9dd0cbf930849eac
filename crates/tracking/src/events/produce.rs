//! `POST /topics/{topic}`: accepts events from any page, without credentials (docs/events.md#sending), in the format of
//! Kafka's REST proxy.

use std::panic::resume_unwind;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use protocol::{ProduceAnswer, ProduceError, RecordOffset};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::Events;
use super::record::Record;
use web::{ClientAddress, FirstItems};

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
    let records = records(&headers, body).await?;
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

/// The largest body that is read, in bytes.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// How many records one request may have.
pub const RECORDS_MAX: usize = 1_000;

const JSON_RECORDS: &str = "application/vnd.kafka.json.v2+json";

#[derive(Deserialize)]
struct Body {
    records: FirstItems<Item, RECORDS_MAX>,
}

#[derive(Deserialize)]
struct Item {
    key: Option<Box<RawValue>>,
    value: Option<Box<RawValue>>,
    partition: Option<i64>,
}

/// More bytes of events are read on a thread of their own.
const READ_AT_ONCE_BYTES_MAX: usize = 32 * 1024;

/// The result of `work` on so many bytes of events. Many bytes take long, and the threads that answer requests must stay
/// free.
pub(super) async fn read_on_its_thread<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= READ_AT_ONCE_BYTES_MAX {
        return work();
    }
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|error| resume_unwind(error.into_panic()))
}

/// The records of a request, in their order; at least one.
async fn records(headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<Vec<Record>, Refusal> {
    if !is_json_records(headers) {
        return Err(Refusal::ContentType);
    }
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Refusal::TooLarge,
        _ => Refusal::Interrupted,
    })?;
    read_on_its_thread(body.len(), move || read(&body)).await
}

/// Whether the content type is right; parameters like a charset are ignored.
fn is_json_records(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case(JSON_RECORDS))
}

fn read(body: &[u8]) -> Result<Vec<Record>, Refusal> {
    let FirstItems { items, has_more } = match serde_json::from_slice::<Body>(body) {
        Ok(body) => body.records,
        Err(_) if serde_json::from_slice::<IgnoredAny>(body).is_ok() => return Err(Refusal::NoRecords),
        Err(_) => return Err(Refusal::NotJson),
    };
    if items.is_empty() {
        return Err(Refusal::NoRecords);
    }
    if has_more {
        return Err(Refusal::TooManyRecords);
    }
    let records = items.into_iter().map(|item| {
        Some(Record {
            key: item.key,
            value: item.value?,
            partition: item.partition,
        })
    });
    records.collect::<Option<_>>().ok_or(Refusal::NoRecords)
}

/// The content type of every answer.
const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/vnd.kafka.v2+json");

/// The reasons. Each has a stable code whose first three digits are the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// 40401: there is no such topic.
    UnknownTopic,
    /// 405.
    MethodNotAllowed,
    /// 408: the body did not arrive completely, or not in time.
    Interrupted,
    /// 413.
    TooLarge,
    /// 415.
    ContentType,
    /// 422: the body is JSON, but not a list of records.
    NoRecords,
    /// 422: it has more records than one request may have.
    TooManyRecords,
    /// 42203: the body is not JSON.
    NotJson,
    /// 429: this client sent too many events; it may send again after this many seconds.
    TooManyEvents(u64),
}

impl Refusal {
    fn code(self) -> u16 {
        match self {
            Self::UnknownTopic => 40_401,
            Self::MethodNotAllowed => 405,
            Self::Interrupted => 408,
            Self::TooLarge => 413,
            Self::ContentType => 415,
            Self::NoRecords | Self::TooManyRecords => 422,
            Self::NotJson => 42_203,
            Self::TooManyEvents(_) => 429,
        }
    }

    /// The first three digits of the code.
    fn status(self) -> StatusCode {
        let code = self.code();
        let status = if code < 1_000 { code } else { code / 100 };
        StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST)
    }

    fn message(self) -> &'static str {
        match self {
            Self::UnknownTopic => "There is no such topic.",
            Self::MethodNotAllowed => "Topics accept only POST.",
            Self::Interrupted => "The body did not arrive completely.",
            Self::TooLarge => "The body is larger than 1048576 bytes.",
            Self::ContentType => "Send the body as content-type application/vnd.kafka.json.v2+json.",
            Self::NoRecords => {
                "The body must have records: a list of one or more, each with a value that is not null."
            }
            Self::TooManyRecords => "A request may have at most 1000 records.",
            Self::NotJson => "The body is not valid JSON.",
            Self::TooManyEvents(_) => {
                "There were too many events from this address. The retry-after header says when to send again."
            }
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = ProduceError {
            error_code: self.code().into(),
            message: self.message().to_owned(),
        };
        let mut response = (self.status(), Json(body)).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, CONTENT_TYPE);
        if let Self::TooManyEvents(seconds) = self {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

#[cfg(test)]
mod tests;
