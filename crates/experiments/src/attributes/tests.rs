use serde_json::json;

use super::*;

fn intent(custom_data: &str) -> ChargeIntent {
    ChargeIntent {
        charge_id: "ch_1".into(),
        payment_method_country_code: "ID".into(),
        amount_currency: "IDR".into(),
        partner_custom_data: custom_data.into(),
        partner_id: "partner_1".into(),
        ..ChargeIntent::default()
    }
}

#[test]
fn a_pages_attributes_come_from_its_intent() {
    let custom = r#"{"merchant_id": "m1", "pcp_id": 42, "mno_id": "mno-7", "merchant_email": "a@b.example"}"#;
    let known = Attributes::of_intent(&intent(custom), "c1");
    let expected = json!({
        "id": "c1", "txnId": "ch_1", "country": "ID", "merchantId": "m1", "pcpId": "42", "mnoId": "mno-7",
        "partnerId": "partner_1", "currency": "IDR",
    });
    let mut expected = Attributes::from_json(expected).unwrap().0;
    let mut known = known.0;
    known.sort_by(|a, b| a.key.cmp(&b.key));
    expected.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(known, expected);
}

/// The log that these custom data cause.
fn logged(custom_data: &str) -> String {
    crate::tests::logged(|| drop(Attributes::of_intent(&intent(custom_data), "c1")))
}

#[test]
fn unreadable_custom_data_is_logged_without_its_content() {
    for unreadable in ["{\"merchant_id\": \"secret-7\"", "[\"secret-7\"]", "secret-7"] {
        let lines = logged(unreadable);
        assert!(lines.contains("WARN") && lines.contains("custom data"), "{lines}");
        assert!(!lines.contains("secret-7"), "{lines}");
    }
    for readable in ["", "{}", r#"{"merchant_id": "secret-7"}"#] {
        assert_eq!(logged(readable), "");
    }
}

#[test]
fn missing_or_unreadable_values_are_no_attributes() {
    for custom in [
        "",
        "{",
        "[]",
        "7",
        r#"{"merchant_id": null, "pcp_id": {}, "mno_id": ""}"#,
    ] {
        let known = Attributes::of_intent(&intent(custom), "c1");
        for name in ["merchantId", "pcpId", "mnoId"] {
            assert!(!known.has(name), "{custom}");
        }
        assert!(known.has("country"));
    }
}
