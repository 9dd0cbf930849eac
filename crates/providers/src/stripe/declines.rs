//! Translates Stripe's reasons for refusing a card into our decline codes.

use serde::Deserialize;

use protocol::{DeclineCode, DeclineReason};

/// Why Stripe refused a request or a card, from an answer or from a payment's last error. The message is not read,
/// because it may contain data that was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct StripeError {
    /// `card_declined`, `expired_card`, `parameter_unknown` and the like.
    pub(super) code: Option<String>,
    /// The issuer's reason, with `card_declined`.
    pub(super) decline_code: Option<String>,
    /// The card network's own code.
    pub(super) network_decline_code: Option<String>,
    /// The parameter at fault.
    pub(super) param: Option<String>,
    /// The refused card.
    pub(super) payment_method: Option<RefusedCard>,
}

/// A card in an error.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct RefusedCard {
    pub(super) id: String,
}

impl StripeError {
    /// The decline code, if Stripe refused the card; `None` if it refused the request.
    pub(super) fn decline(&self) -> Option<DeclineCode> {
        // The issuer's reason is more exact than Stripe's. An unknown reason is still a decline.
        if let Some(reason) = &self.decline_code {
            return Some(known(reason).unwrap_or(DeclineCode::GenericDecline));
        }
        known(self.code.as_deref()?)
    }

    /// The decline with the card network's code.
    pub(super) fn decline_reason(&self) -> Option<DeclineReason> {
        Some(DeclineReason {
            code: self.decline()?,
            network_code: self.network_decline_code.clone(),
        })
    }
}

/// Our decline code for a code of Stripe.
fn known(code: &str) -> Option<DeclineCode> {
    renamed(code).or_else(|| code.parse().ok())
}

/// Stripe's codes that have another name here.
fn renamed(code: &str) -> Option<DeclineCode> {
    Some(match code {
        // "See the decline code", but there is none.
        "card_declined" | "testmode_decline" => DeclineCode::GenericDecline,
        "approve_with_id" => DeclineCode::CallIssuer,
        "new_account_information_available" => DeclineCode::InvalidAccount,
        "postal_code_invalid" => DeclineCode::IncorrectZip,
        "issuer_not_available" => DeclineCode::IssuerUnavailable,
        "highest_risk_level" | "merchant_blacklist" => DeclineCode::Fraudulent,
        "amount_too_large" | "amount_too_small" | "invalid_amount" | "not_permitted" => {
            DeclineCode::TransactionNotAllowed
        }
        "pin_try_exceeded" | "withdrawal_count_limit_exceeded" => DeclineCode::CardVelocityExceeded,
        "revocation_of_all_authorizations" | "stop_payment_order" => DeclineCode::RevocationOfAuthorization,
        "card_decline_rate_limit_exceeded" | "rate_limit" | "reenter_transaction" => {
            DeclineCode::TryAgainLater
        }
        "do_not_try_again"
        | "no_action_taken"
        | "previously_declined_do_not_retry"
        | "security_violation" => DeclineCode::DoNotHonor,
        "authentication_not_handled"
        | "mobile_device_authentication_required"
        | "offline_pin_required"
        | "online_or_offline_pin_required" => DeclineCode::AuthenticationRequired,
        "invalid_pin" | "payment_intent_authentication_failure" | "setup_intent_authentication_failure" => {
            DeclineCode::AuthenticationFailed
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
