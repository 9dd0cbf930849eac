//! The query of the form page: its parameters, its options, and the service that the page calls.

use super::*;

fn options(json: &str) -> FormOptions {
    FormQuery {
        options: json.into(),
        ..FormQuery::default()
    }
    .form_options()
}

#[test]
fn a_query_is_read_as_forms_encode_it() {
    let read = FormQuery::read("payload=a-_b&options=%7B%22a%22%3A+1%7D&&customStyle=%ff&utm=x&init_time");
    assert_eq!(read.payload, "a-_b");
    assert_eq!(read.options, "{\"a\": 1}");
    assert_eq!(read.custom_style, "\u{fffd}");
    assert_eq!((read.origin.as_str(), read.init_time.as_str()), ("", ""));
    assert_eq!(FormQuery::read("p%61yload=a+b%2Bc").payload, "a b+c");
    assert_eq!(FormQuery::read("payload=a=b").payload, "a=b");
    assert_eq!(FormQuery::read(""), FormQuery::default());
}

#[test]
fn a_parameter_that_stands_twice_is_none() {
    assert_eq!(
        FormQuery::read("payload=a&options={}&payload=a"),
        FormQuery::default()
    );
    assert_eq!(FormQuery::read("other=1&payload=a&other=2").payload, "a");
}

#[test]
fn known_options_are_read_and_unknown_ones_ignored() {
    let read = options(r#"{"cookie_id":"c1","show_cardholder_name":true,"variant":"hosted","color":"red"}"#);
    assert_eq!(read.cookie_id.as_deref(), Some("c1"));
    assert!(read.show_cardholder_name);
    assert_eq!(read.variant, Some(protocol::Variant::Hosted));
}

#[test]
fn invalid_event_attributes_leave_other_options_intact() {
    for (given, kept) in [
        (
            r#"{"plan":"gold","seats":3,"trial":true}"#,
            Some(r#"{"plan":"gold","seats":3,"trial":true}"#),
        ),
        (
            r#"{"plan":"gold","who":{"a":1},"list":[1],"none":null}"#,
            Some(r#"{"plan":"gold"}"#),
        ),
        ("7", None),
        ("null", None),
        ("[]", None),
    ] {
        let read = options(&format!(r#"{{"cookie_id":"c1","event_attributes":{given}}}"#));
        assert_eq!(read.cookie_id.as_deref(), Some("c1"), "{given}");
        let attributes = read
            .event_attributes
            .map(|data| serde_json::to_string(&data).unwrap());
        assert_eq!(attributes.as_deref(), kept, "{given}");
    }
    let many: Vec<String> = (0..40).map(|number| format!("\"a{number}\":1")).collect();
    let read = options(&format!(r#"{{"event_attributes":{{{}}}}}"#, many.join(",")));
    assert_eq!(
        read.event_attributes.unwrap().len(),
        protocol::EVENT_DATA_ENTRIES_MAX
    );
}

fn called(origin: &str, suffix: Option<&str>) -> String {
    let query = FormQuery {
        origin: origin.to_owned(),
        ..FormQuery::default()
    };
    query.service(&below(suffix, true)).direct_charges
}

fn below(suffix: Option<&str>, is_https: bool) -> PageSettings {
    PageSettings {
        dynamic_environment_suffix: suffix.map(str::to_owned),
        is_https,
        ..PageSettings::default()
    }
}

#[test]
fn a_host_below_the_suffix_is_called_instead_of_ours() {
    for (origin, host) in [
        ("feature-1.dev.example", "feature-1.dev.example"),
        ("a.b.dev.example", "a.b.dev.example"),
        ("Feature-2.DEV.example", "feature-2.dev.example"),
    ] {
        let address = called(origin, Some("dev.example"));
        assert_eq!(address, format!("https://{host}:8092/direct/charges"));
    }
    let query = FormQuery {
        origin: "a.dev.example".to_owned(),
        ..FormQuery::default()
    };
    assert_eq!(
        query.service(&below(Some("dev.example"), false)).base,
        "http://a.dev.example:8092"
    );
}

#[test]
fn no_other_host_is_ever_called() {
    for origin in [
        "",
        ".",
        "dev.example",
        ".dev.example",
        "a..dev.example",
        "a.dev.example.",
        "evildev.example",
        "a.dev.example.evil.com",
        "evil.com/.dev.example",
        "evil.com#.dev.example",
        "evil.com?.dev.example",
        "evil.com\\.dev.example",
        "user@a.dev.example",
        "evil.com:443@a.dev.example",
        "a.dev.example:8092",
        "a.dev.example/",
        "https://a.dev.example",
        "//a.dev.example",
        "-a.dev.example",
        "a-.dev.example",
        "a_b.dev.example",
        "a b.dev.example",
        " a.dev.example",
        "a.dev.example\r\nx: y",
        "a;script-src *.dev.example",
        "xn--80ak6aa92e.dev.example",
        "аррӏе.dev.example",
        "a.dev。example",
        "a.dev.exаmple",
        "a%2edev.example",
        "*.dev.example",
        "[::1].dev.example",
        &format!("{}.dev.example", "a".repeat(64)),
        &format!("{}dev.example", "a.".repeat(130)),
    ] {
        assert_eq!(
            called(origin, Some("dev.example")),
            "/v1/pub/direct/charges",
            "{origin}"
        );
    }
    assert_eq!(called("a.dev.example", None), "/v1/pub/direct/charges");
}

#[test]
fn an_invalid_init_time_is_ignored() {
    let read = |init_time: &str| {
        let init_time = init_time.to_owned();
        FormQuery {
            init_time,
            ..FormQuery::default()
        }
        .init_time_ms()
    };
    assert_eq!(read("1763740800123"), Some(1_763_740_800_123));
    assert_eq!(read("1763740800123.7"), Some(1_763_740_800_123));
    assert_eq!(read("9007199254740991"), Some(INIT_TIME_MAX));
    for bad in [
        "",
        "0",
        "-1",
        "+1",
        "1e12",
        "NaN",
        "Infinity",
        " 1",
        "1.",
        ".5",
        "1.2.3",
        "0x10",
        "１２",
        "9007199254740992",
        "99999999999999999999999",
        "<script>",
    ] {
        assert_eq!(read(bad), None, "{bad}");
    }
}

#[test]
fn unusable_options_are_ignored() {
    for json in [
        "{",
        "null",
        "[]",
        "\"x\"",
        "{\"cookie_id\":7}",
        &"[".repeat(5000),
        &" ".repeat(9000),
    ] {
        assert_eq!(options(json), FormOptions::default(), "{json:.20}");
    }
}
