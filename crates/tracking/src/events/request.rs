//! Reads a request with events: its content type, its size, its records.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, header};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::record::Record;
use super::refusal::Refusal;

/// The largest body that is read, in bytes.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// How many records one request may have.
pub const RECORDS_MAX: usize = 1_000;

const JSON_RECORDS: &str = "application/vnd.kafka.json.v2+json";

#[derive(Deserialize)]
struct Body {
    records: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    key: Option<Box<RawValue>>,
    value: Option<Box<RawValue>>,
    partition: Option<i64>,
}

/// The records of a request, in their order; at least one.
pub(super) fn records(
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Vec<Record>, Refusal> {
    if !is_json_records(headers) {
        return Err(Refusal::ContentType);
    }
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Refusal::TooLarge,
        _ => Refusal::Interrupted,
    })?;
    read(&body)
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
    let items = match serde_json::from_slice::<Body>(body) {
        Ok(body) => body.records,
        Err(_) if serde_json::from_slice::<IgnoredAny>(body).is_ok() => return Err(Refusal::NoRecords),
        Err(_) => return Err(Refusal::NotJson),
    };
    if items.is_empty() {
        return Err(Refusal::NoRecords);
    }
    if items.len() > RECORDS_MAX {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_records_json_is_unchanged() {
        let records = read(
            br#"{"records":[{"key":"v","value":{"b": 1.10, "a":"\u00e9"},"partition":3},{"value":[ ]},
            {"key":{"a":1},"value":7,"other":true}],"key_schema":null}"#,
        )
        .unwrap();
        let shown: Vec<_> = records
            .iter()
            .map(|record| {
                (
                    record.key.as_ref().map(|key| key.get()),
                    record.value.get(),
                    record.partition,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                (Some("\"v\""), r#"{"b": 1.10, "a":"\u00e9"}"#, Some(3)),
                (None, "[ ]", None),
                (Some(r#"{"a":1}"#), "7", None),
            ]
        );
    }

    #[test]
    fn invalid_json_and_missing_records_are_different_errors() {
        for text in [
            "",
            "{",
            "records",
            "{\"records\":[",
            "\u{0}",
            "{\"records\":[{\"value\":01}]}",
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err(), Refusal::NotJson, "{text}");
        }
        assert_eq!(read(b"\xff\xfe").unwrap_err(), Refusal::NotJson);
        for text in [
            "{}",
            "[]",
            "null",
            "7",
            r#"{"records":[]}"#,
            r#"{"records":null}"#,
            r#"{"records":{}}"#,
            r#"{"records":[7]}"#,
            r#"{"records":[{}]}"#,
            r#"{"records":[{"value":null}]}"#,
            r#"{"records":[{"value":1,"partition":"0"}]}"#,
            r#"{"records":[{"value":1,"partition":0.5}]}"#,
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err(), Refusal::NoRecords, "{text}");
        }
    }

    #[test]
    fn a_thousand_records_are_accepted_and_one_more_is_refused() {
        let of = |count: usize| format!("{{\"records\":[{}]}}", vec!["{\"value\":1}"; count].join(","));
        assert_eq!(read(of(RECORDS_MAX).as_bytes()).unwrap().len(), RECORDS_MAX);
        assert_eq!(
            read(of(RECORDS_MAX + 1).as_bytes()).unwrap_err(),
            Refusal::TooManyRecords
        );
    }
}
