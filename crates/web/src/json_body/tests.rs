use super::*;
use axum::response::IntoResponse;
use protocol::DirectCharge;

fn field(body: &str) -> (u16, String) {
    let error = parse::<DirectCharge>(body.as_bytes()).map(|_| ()).unwrap_err();
    let field = error.detail().field.clone();
    (error.into_response().status().as_u16(), field.unwrap_or_default())
}

#[test]
fn a_missing_field_is_named_with_its_path() {
    assert_eq!(field("{}"), (400, "charge_id".to_owned()));
    let nested = r#"{"charge_id":"c","shopper_agent":{"ip_address":""}}"#;
    assert_eq!(field(nested), (400, "shopper_agent.user_agent".to_owned()));
}

#[test]
fn a_field_of_the_wrong_type_is_named_without_its_value() {
    assert_eq!(
        field(r#"{"charge_id":4242424242424242}"#),
        (400, "charge_id".to_owned())
    );
    let error = parse::<DirectCharge>(br#"{"charge_id":4242424242424242}"#)
        .map(|_| ())
        .unwrap_err();
    assert!(!format!("{error:?}").contains("4242"));
}

#[test]
fn a_body_that_is_no_json_object_names_no_field() {
    for body in [
        "",
        "{",
        "nonsense",
        "[]",
        r#" ["c"]"#,
        "null",
        "{\"charge_id\":",
        r#"{"charge_id":"a","charge_id":"b"}"#,
    ] {
        assert_eq!(field(body), (400, String::new()), "{body}");
    }
}

#[test]
fn a_text_with_a_nul_is_refused_and_an_escaped_backslash_is_not_one() {
    let read = |body: &str| parse::<serde_json::Value>(body.as_bytes()).is_ok();
    assert!(!read(r#"{"a":"x\u0000"}"#) && !read(r#"{"a":"\\\u0000"}"#) && !read(r#"{"\u0000":1}"#));
    assert!(read(r#"{"a":"\\u0000"}"#) && read(r#"{"a":"\u00001"}"#) == read(r#"{"a":"\u0000"}"#));
    assert!(read(r#"{"a":"\n\"\u0001"}"#) && !read("{\"a\":\"\\"));
}

#[test]
fn half_of_a_character_is_told_as_such() {
    let bodies = [r#"{"a":"\ud800"}"#, r#"{"a":"\udc00x"}"#, r#"{"a":"\ud800\n"}"#];
    for body in bodies {
        let error = parse::<std::collections::HashMap<String, String>>(body.as_bytes()).unwrap_err();
        assert!(
            format!("{error:?}").contains("half of a character"),
            "{body}: {error:?}"
        );
    }
}

#[test]
fn an_unknown_field_is_named() {
    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its fields' names are read")]
    struct Wish {
        return_url: Option<String>,
        amount_value: Option<String>,
    }
    let refused = |body: &str| {
        let error = parse::<Wish>(body.as_bytes()).unwrap_err();
        let detail = error.detail();
        (detail.field.clone(), detail.message.clone())
    };
    let (field, message) = refused(r#"{"retrun_url":"https://shop.example"}"#);
    assert_eq!(field.as_deref(), Some("retrun_url"));
    assert_eq!(
        message,
        "There is no field of this name. The fields are `return_url` or `amount_value`."
    );
    // The first letter is Cyrillic, which looks the same.
    let (field, message) = refused(r#"{"аmount_value":"12.50"}"#);
    assert_eq!(field.as_deref(), Some(r"\u0430mount_value"));
    assert!(
        message.starts_with("There is no field of this name."),
        "{message}"
    );
    assert_eq!(
        refused(r#"{"betrag_größe":1}"#).0.as_deref(),
        Some(r"betrag_gr\u00f6\u00dfe")
    );
    // A name that cannot be one is not repeated.
    for name in ["<b>\\u001b[2J", "amount\u{202e}", "amount\u{a0}value"] {
        assert_eq!(refused(&format!(r#"{{"{name}":1}}"#)).0, None, "{name}");
    }
    let (field, message) = refused(r#"{"amount_value":12.5}"#);
    assert_eq!(field.as_deref(), Some("amount_value"));
    assert!(message.ends_with("\"12.50\"."), "{message}");
}

#[test]
fn a_list_is_not_read_as_the_fields_of_an_object() {
    #[derive(Debug, serde::Deserialize)]
    #[expect(dead_code, reason = "only whether it can be read matters")]
    struct Order {
        item_code: String,
    }
    assert!(parse::<Order>(br#"{"item_code":"a"}"#).is_ok());
    assert!(parse::<Order>(b"\n[\"a\"]").is_err());
}

#[tokio::test]
async fn a_request_without_fields_refuses_each_field_by_its_name() {
    let read = async |body: &'static str| {
        let request = Request::new(axum::body::Body::from(body));
        let refused = NoFields::from_request(request, &()).await.err()?;
        Some((refused.detail().field.clone(), refused.detail().message.clone()))
    };
    for nothing in ["", " ", "{}", " {\n}", "null", "[]"] {
        assert_eq!(read(nothing).await, None, "{nothing}");
    }
    let (field, message) = read(r#"{"reason":"sold out"}"#).await.unwrap();
    assert_eq!(
        (field.as_deref(), &*message),
        (Some("reason"), "This request has no fields.")
    );
    for wrong in ["reason=x", "[1]", "{", "7", r#"{}{"reason":"x"}"#] {
        assert!(read(wrong).await.is_some(), "{wrong}");
    }
}

#[test]
fn the_content_type_may_carry_a_charset() {
    let json = |value: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, value.parse().unwrap());
        is_json(&headers)
    };
    assert!(json("application/json") && json("Application/JSON; charset=utf-8"));
    assert!(!json("text/plain") && !json("application/json-seq"));
    assert!(!is_json(&HeaderMap::new()));
}
