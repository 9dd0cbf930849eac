use super::*;
use serde_json::{Value, json};

const ALL: RuleExperiments = RuleExperiments {
    luhn: true,
    security_code_length: true,
    expiry_limit: true,
};

fn check(changed: &Value, at: &str) -> Result<ProviderCard, ApiError> {
    check_in(ALL, changed, at)
}

fn check_in(experiments: RuleExperiments, changed: &Value, at: &str) -> Result<ProviderCard, ApiError> {
    let mut card = json!({
        "country_code": "US", "number": "4242424242424242", "holder_name": "",
        "expiration_month": "12", "expiration_year": "2030", "security_code": "123",
    });
    let fields = changed.as_object().cloned().unwrap_or_default();
    card.as_object_mut().unwrap().extend(fields);
    let now: Timestamp = at.parse().unwrap();
    let card = serde_json::from_value(card).unwrap();
    check_card(&card, now.as_millisecond(), experiments)
}

#[test]
fn a_typed_postal_code_replaces_the_merchants() {
    let charge = |country: &str, zip_code: Option<&str>| Charge {
        payment_method_country_code: country.to_owned(),
        zip_code: zip_code.map(str::to_owned),
        ..Charge::unknown("ch_1".to_owned(), "partner_1".to_owned(), 0)
    };
    for (sent, country, merchants, expected) in [
        (None, "US", Some("any 1"), Ok(Some("any 1"))),
        (Some(""), "US", Some("any 1"), Ok(Some("any 1"))),
        (Some("any 1"), "US", Some("any 1"), Ok(Some("any 1"))),
        (Some("94107"), "US", Some("any 1"), Ok(Some("94107"))),
        (Some("k1a0b1"), "CA", None, Ok(Some("K1A 0B1"))),
        (Some("9410"), "US", None, Err("CardPostalCode_Invalid")),
        (Some("9410"), "DE", None, Ok(Some("9410"))),
        (Some(" "), "US", None, Err("CardPostalCode_Cant_Empty")),
    ] {
        let checked = check_postal_code(sent, &charge(country, merchants));
        let found = checked.map_err(|error| serde_json::to_value(error.detail()).unwrap()["reason"].clone());
        let expected = expected
            .map(|code: Option<&str>| code.map(str::to_owned))
            .map_err(|id| json!(id));
        assert_eq!(found, expected, "{sent:?}");
    }
}

fn refused(changed: &Value) -> String {
    let error = check(changed, "2026-07-15T12:00:00Z").unwrap_err();
    let body = serde_json::to_value(error.detail()).unwrap();
    format!(
        "{} {}",
        body["field"].as_str().unwrap(),
        body["reason"].as_str().unwrap()
    )
    .replace("payment_method.card.", "")
}

#[test]
fn a_valid_card_is_read_for_the_provider() {
    let card = check(&json!({ "holder_name": " Ana " }), "2026-07-15T12:00:00Z").unwrap();
    assert_eq!(card.number.expose(), "4242424242424242");
    assert_eq!(card.security_code.unwrap().expose(), "123");
    assert_eq!((card.expiration_month, card.expiration_year), (12, 2030));
    assert_eq!(card.holder_name, "Ana");
}

#[test]
fn a_refusal_names_the_field_of_the_request_and_the_rule() {
    let cases = [
        (json!({"number": null}), "number CardNumber_Empty"),
        (json!({"number": "4242424242424241"}), "number CardNumber_Invalid"),
        (json!({"number": "424242"}), "number CardNumber_Invalid_Length"),
        (
            json!({"number": "4242 4242 4242 4242"}),
            "number CardNumber_ContainsNonNumber",
        ),
        (
            json!({"expiration_month": "13"}),
            "expiration_month CardExpiry_MonthOutOfRange",
        ),
        (
            json!({"expiration_month": "00"}),
            "expiration_month CardExpiry_MonthOutOfRange",
        ),
        (
            json!({"expiration_month": null, "expiration_year": null}),
            "expiration_month CardExpiry_Empty",
        ),
        (
            json!({"expiration_month": null}),
            "expiration_month CardExpiry_WrongMmDdFormat",
        ),
        (
            json!({"expiration_year": "30"}),
            "expiration_year CardExpiry_WrongMmDdFormat",
        ),
        (
            json!({"expiration_year": "2025"}),
            "expiration_year CardExpiry_Expired",
        ),
        (
            json!({"expiration_year": "2047"}),
            "expiration_year CardExpiry_ExpirationDateExceedsMaxValue",
        ),
        (
            json!({"security_code": ""}),
            "security_code CardSecurityCode_EmptySecurityCode",
        ),
        (
            json!({"security_code": "12"}),
            "security_code CardSecurityCode_IncompleteSecurityCode",
        ),
        (
            json!({"security_code": "12x"}),
            "security_code CardSecurityCode_ContainsNonNumber",
        ),
        (json!({"holder_name": "A"}), "holder_name CardHolderName_Invalid"),
    ];
    for (changed, expected) in cases {
        assert_eq!(refused(&changed), expected, "{changed}");
    }
}

#[test]
fn an_experiment_that_is_off_does_not_apply_its_rule() {
    let cases = [
        (
            RuleExperiments { luhn: false, ..ALL },
            json!({"number": "4242424242424241"}),
        ),
        (
            RuleExperiments {
                security_code_length: false,
                ..ALL
            },
            json!({"security_code": "12"}),
        ),
        (
            RuleExperiments {
                expiry_limit: false,
                ..ALL
            },
            json!({"expiration_year": "2047"}),
        ),
    ];
    let now = "2026-07-15T12:00:00Z";
    for (experiments, changed) in cases {
        assert!(check_in(ALL, &changed, now).is_err(), "{changed}");
        assert!(check_in(experiments, &changed, now).is_ok(), "{changed}");
    }
}

#[test]
fn a_card_is_valid_to_the_end_of_its_month_in_every_time_zone() {
    let july = json!({ "expiration_month": "07", "expiration_year": "2026" });
    assert!(check(&july, "2026-07-31T23:59:59Z").is_ok());
    assert!(check(&july, "2026-08-01T11:59:59Z").is_ok());
    assert!(check(&july, "2026-08-01T12:00:00Z").is_err());
}
