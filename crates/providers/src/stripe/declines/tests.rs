use super::*;

fn decline(code: &str, reason: Option<&str>) -> Option<DeclineCode> {
    StripeError {
        code: Some(code.to_owned()),
        decline_code: reason.map(str::to_owned),
        ..StripeError::default()
    }
    .decline()
}

#[test]
fn the_issuers_reason_is_preferred_to_stripes() {
    let cases = [
        (
            "card_declined",
            Some("insufficient_funds"),
            DeclineCode::InsufficientFunds,
        ),
        ("card_declined", Some("lost_card"), DeclineCode::LostCard),
        (
            "card_declined",
            Some("merchant_blacklist"),
            DeclineCode::Fraudulent,
        ),
        (
            "card_declined",
            Some("issuer_not_available"),
            DeclineCode::IssuerUnavailable,
        ),
        (
            "card_declined",
            Some("a_reason_of_next_year"),
            DeclineCode::GenericDecline,
        ),
        ("card_declined", None, DeclineCode::GenericDecline),
        ("expired_card", None, DeclineCode::ExpiredCard),
        ("incorrect_cvc", Some("incorrect_cvc"), DeclineCode::IncorrectCvc),
        ("invalid_expiry_year", None, DeclineCode::InvalidExpiryYear),
        ("processing_error", None, DeclineCode::ProcessingError),
        (
            "payment_intent_authentication_failure",
            None,
            DeclineCode::AuthenticationFailed,
        ),
        (
            "authentication_required",
            Some("authentication_required"),
            DeclineCode::AuthenticationRequired,
        ),
    ];
    for (code, reason, expected) in cases {
        assert_eq!(decline(code, reason), Some(expected), "{code} {reason:?}");
    }
}

#[test]
fn an_error_of_the_request_is_not_a_decline() {
    for code in [
        "parameter_unknown",
        "resource_missing",
        "payment_intent_unexpected_state",
    ] {
        assert_eq!(decline(code, None), None, "{code}");
    }
    assert_eq!(StripeError::default().decline(), None);
}

#[test]
fn a_code_with_the_same_name_is_not_renamed() {
    for code in DeclineCode::ALL {
        assert_eq!(renamed(code.as_str()), None, "{code:?}");
    }
}
