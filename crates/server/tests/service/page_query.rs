//! The page's query over plain HTTP (docs/form.md#query): the effect of each parameter, and that an invalid value has
//! none.

use protocol::CreatedCharge;
use reqwest::{Client, Url};

use crate::page_addresses::PageReader;
use crate::process::Process;
use crate::world::{new_charge, send};

/// The form's address with one more parameter.
fn with(reader: &PageReader, name: &str, value: &str) -> String {
    let mut url = Url::parse(&format!("http://x{}", reader.form("/"))).unwrap();
    url.query_pairs_mut().append_pair(name, value);
    format!("/?{}", url.query().unwrap())
}

#[tokio::test]
async fn the_init_time_reaches_the_page_if_it_is_valid() {
    let reader = PageReader::of(|_| ()).await;
    let good = reader
        .sees(&with(&reader, "init_time", "1763740800123"), &[])
        .await;
    assert!(good.body.contains(r#""init_time_ms":1763740800123"#));
    for bad in ["", "soon", "-5", "1e999", "<script>", "99999999999999999999"] {
        let seen = reader.sees(&with(&reader, "init_time", bad), &[]).await;
        assert_eq!(seen.status, 200, "{bad}");
        assert!(seen.body.contains(r#""init_time_ms":null"#), "{bad}");
    }
}

#[tokio::test]
async fn a_dynamic_environment_is_used_if_the_operator_allows_it() {
    let reader =
        PageReader::of(|settings| settings.dynamic_environment_suffix = Some("dev.example".into())).await;
    let answer = reader
        .answer(&with(&reader, "origin", "a.dev.example"), &[])
        .await;
    let policy = answer.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(
        policy.contains("connect-src 'self' http://a.dev.example:8092;"),
        "{policy}"
    );
    let body = answer.text().await.unwrap();
    assert!(body.contains(
        r#""service":{"base":"http://a.dev.example:8092","direct_charges":"http://a.dev.example:8092/direct/charges"}"#
    ));
    let elsewhere = reader.answer(&with(&reader, "origin", "evil.example"), &[]).await;
    let without = PageReader::of(|_| ()).await;
    let ignored = without
        .answer(&with(&without, "origin", "a.dev.example"), &[])
        .await;
    for answer in [elsewhere, ignored] {
        let policy = answer.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(policy.contains("connect-src 'self';"), "{policy}");
        let body = answer.text().await.unwrap();
        assert!(
            body.contains(r#""service":{"base":"","direct_charges":"/v1/pub/direct/charges"}"#),
            "{body}"
        );
    }
}

#[tokio::test]
async fn invalid_options_are_logged_without_their_content() {
    let dir = tempfile::tempdir().unwrap();
    let demo = Process::start(
        dir.path(),
        &["demo", "--listen", "127.0.0.1:0", "--data", "data"],
        "trace",
    );
    let http = Client::builder().no_proxy().build().unwrap();
    let request = http
        .post(format!("{}/v1/charges", demo.url()))
        .bearer_auth(demo.ready["secret_key"].as_str().unwrap())
        .json(&new_charge());
    let charge: CreatedCharge = serde_json::from_value(send(request).await.body).unwrap();
    for options in [
        r#"{"cookie_id": "of-a-shopper", "#,
        r#"{"show_cardholder_name": "of-a-shopper"}"#,
        &format!(r#"{{"cookie_id": "{}"}}"#, "of-a-shopper".repeat(1_000)),
    ] {
        let query = [("payload", charge.payload.as_str()), ("options", options)];
        let address = Url::parse_with_params(demo.url(), query).unwrap();
        let answer = http.get(address).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert!(!answer.text().await.unwrap().contains("of-a-shopper"));
    }
    // Its last lines are written then.
    assert!(demo.terminate().0);
    let log = std::fs::read_to_string(dir.path().join("cardform.log")).unwrap();
    assert_eq!(
        log.matches("the page's options are unusable JSON and are ignored")
            .count(),
        1
    );
    assert_eq!(
        log.matches("the page's options are too long and are ignored")
            .count(),
        1
    );
    assert!(!log.contains("of-a-shopper") && !log.contains(&charge.payload));
}
