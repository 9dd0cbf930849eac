use std::thread;

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

#[tokio::test]
async fn many_bytes_are_read_on_a_thread_of_their_own() {
    let here = thread::current().id();
    let thread = || thread::current().id();
    assert_eq!(read_on_its_thread(READ_AT_ONCE_BYTES_MAX, thread).await, here);
    assert_ne!(read_on_its_thread(READ_AT_ONCE_BYTES_MAX + 1, thread).await, here);
}
