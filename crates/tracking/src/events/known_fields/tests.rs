use serde_json::json;

use super::*;

fn stored(event: &Value) -> Value {
    KnownFields::of_event(&event.to_string()).unwrap().value
}

#[test]
fn an_event_of_the_form_is_stored_unchanged() {
    let event = json!({
        "type": "page-view", "name": "pageView", "id": "42424242-4242-4242-8242-424242424242", "at": 1_763_738_400_007_i64,
        "visit": "0199f1c2-a4b4-7cc0-9d8e-4f6a7b8c9d0e", "title": "Pay \u{2728}", "path": "/th-TH",
        "referrerUrl": "https://shop.example", "locale": "th-TH", "additionalInfo": {"standalone": true},
        "metadata": {
            "namespace": "pay", "codaCookieId": "c~1:a|b", "fullUrl": "https://pay.example/?utm_source=a%20b",
            "ip": "2001:db8::1", "libraryVersion": "2.3.0", "domainName": "pay.example",
            "userAgent": "Mozilla/5.0 (X11)", "os": "Chrome OS", "mobile": false, "browser": "Samsung Internet",
            "cid": "", "campaignId": "", "utmCampaign": "été", "utmSource": "", "utmMedium": "", "utmContent": "",
            "utmTerm": "", "sessionId": "s", "sessionNum": 1, "engagementMs": 0,
            "attributes": {"plan": "gold", "seats": 3, "share": 0.424_242_424_242_424_2, "trial": true},
        },
    });
    assert_eq!(stored(&event), event);
}

#[test]
fn unknown_fields_and_other_kinds_are_left_out() {
    let event = json!({
        "type": "custom", "name": "with space", "pan": "x", "at": "now", "title": ["a"], "path": "x".repeat(513),
        "data": {"field": "card-number", "text": "free text", "list": [1], "count": 7, "big": 424_242_424_242_i64,
                 "4242424242424242": 1},
        "metadata": {"mobile": 1, "password": "x", "ip": "127.0.0.1"},
    });
    let expected = json!({
        "type": "custom", "data": {"field": "card-number", "count": 7}, "metadata": {"ip": "127.0.0.1"},
    });
    assert_eq!(stored(&event), expected);
    let many: Map<_, _> = (0..40).map(|number| (format!("a{number}"), json!(1))).collect();
    let data = &stored(&json!({ "data": many }))["data"];
    assert_eq!(data.as_object().unwrap().len(), EVENT_DATA_ENTRIES_MAX);
}

#[test]
fn no_field_of_an_event_stores_a_card_number() {
    let card = "4242424242424242";
    for field in EVENT.iter().map(|(name, _)| *name) {
        for value in [
            json!(card),
            json!(4_242_424_242_424_242_i64),
            json!({ "field": card }),
        ] {
            let stored = stored(&json!({ field: value })).to_string();
            assert!(!stored.contains(card), "{field}: {stored}");
        }
    }
    let key = KnownFields::of_key(&json!(card).to_string()).unwrap();
    assert!(key.is_masked && key.value == "9".repeat(16));
}

#[test]
fn only_objects_are_events_and_only_texts_are_keys() {
    for json in ["7", "\"text\"", "[]", "null", "{", "{} {}"] {
        assert!(KnownFields::of_event(json).is_none(), "{json}");
    }
    assert!(KnownFields::of_key(r#"{"a": 1}"#).is_none());
}

#[test]
fn json_that_a_database_cannot_read_is_refused_or_replaced() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    for (field, kept) in [
        (
            r#""title": "a\u0000b\u001b[2J""#,
            Some(json!({"title": "a\u{fffd}b\u{fffd}[2J"})),
        ),
        (r#""title": "\ud800""#, None),
        (r#""\udfff": 1"#, None),
        (r#""at": 1e200000"#, None),
        (r#""other": "\ud800""#, None),
        (&format!("\"other\": {deep}"), None),
    ] {
        let read = KnownFields::of_event(&format!("{{{field}}}"));
        assert_eq!(read.map(|read| read.value), kept, "{field:.80}");
    }
}
