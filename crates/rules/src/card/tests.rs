use super::*;

const TODAY: Month = Month { year: 2026, month: 7 };
const ALL: RuleExperiments = RuleExperiments {
    luhn: true,
    security_code_length: true,
    expiry_limit: true,
};
const NONE: RuleExperiments = RuleExperiments {
    luhn: false,
    security_code_length: false,
    expiry_limit: false,
};
const GOOD: NewCard<'_> = NewCard {
    number: "4242424242424242",
    expiration_month: "12",
    expiration_year: "2030",
    security_code: "123",
};

#[test]
fn a_valid_card_returns_its_brand() {
    assert_eq!(check_card(GOOD, TODAY, ALL), Ok(Some(Brand::Visa)));
    let amex = NewCard {
        number: "378282246310005",
        security_code: "1234",
        ..GOOD
    };
    assert_eq!(check_card(amex, TODAY, ALL), Ok(Some(Brand::AmericanExpress)));
    let unknown = NewCard {
        number: "9999999999999995",
        ..GOOD
    };
    assert_eq!(check_card(unknown, TODAY, ALL), Ok(None));
}

#[test]
fn the_first_field_at_fault_is_named() {
    let refused = |card| check_card(card, TODAY, ALL).map_err(|refusal| (refusal.field, refusal.error_id));
    let bad = NewCard {
        number: "4242424242424241",
        expiration_month: "13",
        security_code: "12",
        ..GOOD
    };
    assert_eq!(refused(bad), Err((Field::CardNumber, ErrorId::CardNumberInvalid)));
    let bad = NewCard {
        number: GOOD.number,
        ..bad
    };
    assert_eq!(
        refused(bad),
        Err((Field::Expiry, ErrorId::CardExpiryMonthOutOfRange))
    );
    let bad = NewCard {
        expiration_month: "12",
        ..bad
    };
    assert_eq!(
        refused(bad),
        Err((Field::SecurityCode, ErrorId::CardSecurityCodeIncomplete))
    );
}

#[test]
fn a_sent_card_number_with_spaces_is_refused() {
    for number in [
        "4242 4242 4242 4242",
        "4242424242424242 ",
        "４２４２４２４２４２４２４２４２",
    ] {
        let refusal = check_card(NewCard { number, ..GOOD }, TODAY, ALL);
        let error_id = ErrorId::CardNumberContainsNonNumber;
        assert_eq!(
            refusal,
            Err(CardRefusal {
                field: Field::CardNumber,
                error_id
            })
        );
    }
}

#[test]
fn a_rule_whose_experiment_is_off_is_not_checked() {
    let card = NewCard {
        number: "4242424242424241",
        expiration_year: "2099",
        security_code: "12345",
        ..GOOD
    };
    assert_eq!(check_card(card, TODAY, NONE), Ok(Some(Brand::Visa)));
    assert!(check_card(card, TODAY, ALL).is_err());
}
