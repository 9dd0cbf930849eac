//! Stripe's `Charge`: what it tells of the card, and when a hold ends. Each part may be absent. The last attempt of a setup
//! tells of the card in the same way.

use protocol::PaymentFacts;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::network::our_name;

/// A payment's last charge: the object if it was expanded, otherwise only its id.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum LatestCharge {
    Expanded(Box<StripeCharge>),
    /// An id, or an object that is not understood. The payment itself is still understood.
    Other(IgnoredAny),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StripeCharge {
    payment_method_details: Option<MethodDetails>,
    outcome: Option<ChargeOutcome>,
}

#[derive(Debug, Deserialize)]
struct MethodDetails {
    card: Option<CardDetails>,
}

#[derive(Debug, Deserialize)]
struct CardDetails {
    funding: Option<String>,
    country: Option<String>,
    network: Option<String>,
    network_transaction_id: Option<String>,
    checks: Option<CardChecks>,
    three_d_secure: Option<ThreeDSecure>,
    /// Seconds since 1970.
    capture_before: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct CardChecks {
    cvc_check: Option<String>,
    address_postal_code_check: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ThreeDSecure {
    result: Option<String>,
    authentication_flow: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ChargeOutcome {
    network_decline_code: Option<String>,
}

impl LatestCharge {
    fn expanded(&self) -> Option<&StripeCharge> {
        match self {
            Self::Expanded(charge) => Some(charge),
            Self::Other(_) => None,
        }
    }

    fn card(&self) -> Option<&CardDetails> {
        self.expanded()?.payment_method_details.as_ref()?.card.as_ref()
    }

    /// What it tells of the card and of the payment.
    pub(super) fn facts(&self) -> PaymentFacts {
        let Some(card) = self.card() else {
            return PaymentFacts::default();
        };
        let checks = card.checks.as_ref();
        let three_ds = card.three_d_secure.as_ref();
        PaymentFacts {
            // Stripe's "unknown" tells nothing.
            funding: card.funding.clone().filter(|funding| funding != "unknown"),
            country: card.country.clone(),
            network: card.network.as_deref().and_then(our_name).map(str::to_owned),
            network_transaction_id: card.network_transaction_id.clone(),
            security_code_check: checks.and_then(|checks| checks.cvc_check.clone()),
            postal_code_check: checks.and_then(|checks| checks.address_postal_code_check.clone()),
            three_ds_outcome: three_ds.and_then(|three_ds| three_ds.result.clone()),
            three_ds_flow: three_ds.and_then(|three_ds| three_ds.authentication_flow.clone()),
            ..PaymentFacts::default()
        }
    }

    /// When its hold ends by itself, in unix milliseconds.
    pub(super) fn hold_ends_at(&self) -> Option<i64> {
        self.card()?.capture_before?.checked_mul(1_000)
    }

    /// The card network's code of a decline.
    pub(super) fn network_code(&self) -> Option<String> {
        self.expanded()?.outcome.as_ref()?.network_decline_code.clone()
    }
}
