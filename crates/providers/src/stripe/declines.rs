//! Translates Stripe's reasons for refusing a card into our decline codes.

use serde::Deserialize;

use protocol::DeclineCode;

/// Why Stripe refused something, from an answer or from a payment's last error. Its message is not read, because it may
/// repeat what was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct StripeError {
    /// `card_declined`, `expired_card`, `parameter_unknown` and the like.
    #[serde(default)]
    pub(super) code: Option<String>,
    /// The issuer's reason, with `card_declined`.
    #[serde(default)]
    pub(super) decline_code: Option<String>,
}

/// Stripe's codes with a different name here. Codes with the same name are not listed.
const RENAMED: [(&str, DeclineCode); 29] = [
    ("amount_too_large", DeclineCode::TransactionNotAllowed),
    ("approve_with_id", DeclineCode::CallIssuer),
    ("authentication_not_handled", DeclineCode::AuthenticationRequired),
    ("card_decline_rate_limit_exceeded", DeclineCode::TryAgainLater),
    ("do_not_try_again", DeclineCode::DoNotHonor),
    ("highest_risk_level", DeclineCode::Fraudulent),
    ("invalid_amount", DeclineCode::TransactionNotAllowed),
    ("invalid_pin", DeclineCode::AuthenticationFailed),
    ("issuer_not_available", DeclineCode::IssuerUnavailable),
    ("merchant_blacklist", DeclineCode::Fraudulent),
    (
        "mobile_device_authentication_required",
        DeclineCode::AuthenticationRequired,
    ),
    ("new_account_information_available", DeclineCode::InvalidAccount),
    ("no_action_taken", DeclineCode::DoNotHonor),
    ("not_permitted", DeclineCode::TransactionNotAllowed),
    ("offline_pin_required", DeclineCode::AuthenticationRequired),
    (
        "online_or_offline_pin_required",
        DeclineCode::AuthenticationRequired,
    ),
    (
        "payment_intent_authentication_failure",
        DeclineCode::AuthenticationFailed,
    ),
    ("pin_try_exceeded", DeclineCode::CardVelocityExceeded),
    ("postal_code_invalid", DeclineCode::IncorrectZip),
    ("previously_declined_do_not_retry", DeclineCode::DoNotHonor),
    ("rate_limit", DeclineCode::TryAgainLater),
    ("reenter_transaction", DeclineCode::TryAgainLater),
    (
        "revocation_of_all_authorizations",
        DeclineCode::RevocationOfAuthorization,
    ),
    ("security_violation", DeclineCode::DoNotHonor),
    (
        "setup_intent_authentication_failure",
        DeclineCode::AuthenticationFailed,
    ),
    ("stop_payment_order", DeclineCode::RevocationOfAuthorization),
    ("testmode_decline", DeclineCode::GenericDecline),
    (
        "withdrawal_count_limit_exceeded",
        DeclineCode::CardVelocityExceeded,
    ),
    // It means "see the decline code", and here there is none.
    ("card_declined", DeclineCode::GenericDecline),
];

impl StripeError {
    /// The reason, if it is about the card; `None` if the request was wrong.
    pub(super) fn decline(&self) -> Option<DeclineCode> {
        // The issuer's reason is more exact than Stripe's; an unknown reason is still a decline.
        if let Some(reason) = &self.decline_code {
            return Some(known(reason).unwrap_or(DeclineCode::GenericDecline));
        }
        known(self.code.as_deref()?)
    }
}

fn known(code: &str) -> Option<DeclineCode> {
    let renamed = RENAMED.iter().find(|(name, _)| *name == code);
    renamed.map(|(_, decline)| *decline).or_else(|| {
        DeclineCode::ALL
            .iter()
            .copied()
            .find(|known| known.as_str() == code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decline(code: &str, reason: Option<&str>) -> Option<DeclineCode> {
        StripeError {
            code: Some(code.to_owned()),
            decline_code: reason.map(str::to_owned),
        }
        .decline()
    }

    #[test]
    fn the_issuers_reason_is_used_before_stripes() {
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
            "amount_too_small",
            "payment_intent_unexpected_state",
        ] {
            assert_eq!(decline(code, None), None, "{code}");
        }
        assert_eq!(StripeError::default().decline(), None);
    }

    #[test]
    fn codes_with_the_same_name_are_not_listed_as_renamed() {
        for (name, _) in RENAMED {
            assert!(
                !DeclineCode::ALL.iter().any(|code| code.as_str() == name),
                "{name}"
            );
        }
    }
}
