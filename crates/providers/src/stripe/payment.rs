//! Stripe's `PaymentIntent`, and the meaning of its status.

use std::collections::HashMap;

use protocol::{
    Approval, CaptureMethod, ChargeDescription, DeclineCode, DeclineReason, Hold, ListedPayment,
    OperationKind, ShopperAction,
};
use serde::Deserialize;
use serde_json::Value;

use super::amount;
use super::calls::is_name;
use super::charge::LatestCharge;
use super::declines::StripeError;
use crate::{
    Authentication, ChallengeWindow, GiveUpReason, HOLD_ENDED, HoldLookup, ListError, OperationOutcome,
    ProviderOutcome,
};

/// The parts that we read of a payment or a setup.
#[derive(Debug, Deserialize)]
pub(super) struct PaymentIntent {
    id: String,
    status: PaymentStatus,
    next_action: Option<NextAction>,
    #[serde(alias = "last_setup_error")]
    last_payment_error: Option<StripeError>,
    cancellation_reason: Option<String>,
    /// Our own data, which is stored with the payment: see [`challenge_metadata`] and [`description_metadata`].
    #[serde(default)]
    metadata: HashMap<String, String>,
    /// Seconds since 1970.
    #[serde(default)]
    created: i64,
    #[serde(default)]
    amount: u64,
    #[serde(default)]
    currency: String,
    /// How much was captured; test servers do not tell it.
    amount_received: Option<u64>,
    capture_method: Option<String>,
    #[serde(alias = "latest_attempt")]
    latest_charge: Option<LatestCharge>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PaymentStatus {
    RequiresConfirmation,
    RequiresPaymentMethod,
    RequiresAction,
    Processing,
    RequiresCapture,
    Succeeded,
    Canceled,
    /// A status that our payments never have.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct NextAction {
    redirect_to_url: Option<StripeRedirect>,
    use_stripe_sdk: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct StripeRedirect {
    url: String,
}

/// The most characters of a value of metadata.
const METADATA_VALUE_MAX: usize = 500;

/// The charge's description as metadata of a request. A longer value is cut, because only people read it.
pub(super) fn description_metadata(description: &ChargeDescription) -> [(&'static str, String); 4] {
    let cut = |value: &str| value.chars().take(METADATA_VALUE_MAX).collect();
    [
        ("metadata[cardform_merchant]", description.partner_id.clone()),
        (
            "metadata[cardform_reference]",
            cut(&description.partner_reference),
        ),
        ("metadata[cardform_item_code]", cut(&description.item_code)),
        ("metadata[cardform_item_name]", cut(&description.item_name)),
    ]
}

/// The data of a challenge as metadata of a request, for a lookup that has only the payment's reference.
pub(super) fn challenge_metadata(authentication: &Authentication) -> [(&'static str, String); 2] {
    [
        ("metadata[cardform_return_url]", authentication.return_url.clone()),
        (
            "metadata[cardform_challenge_window]",
            authentication.challenge_window.to_string(),
        ),
    ]
}

impl PaymentIntent {
    /// The payment's id, if it is safe in a path and in a log.
    pub(super) fn reference(&self) -> Option<&str> {
        Some(self.id.as_str()).filter(|id| is_name(id))
    }

    /// The idempotency key under which we made it.
    pub(super) fn own_key(&self) -> Option<&str> {
        self.metadata.get("cardform_payment").map(String::as_str)
    }

    /// The payment for our list; `None` if it is not ours, an error if it is ours and not understood.
    pub(super) fn listed(mut self) -> Result<Option<ListedPayment>, ListError> {
        let outcome = self.outcome().settled();
        let mut own = |name: &str| self.metadata.remove(name);
        let Some(charge_id) = own("cardform_charge") else {
            return Ok(None);
        };
        let provider_key = own("cardform_payment").ok_or(ListError::Unreadable)?;
        let description = own("cardform_merchant").map(|partner_id| ChargeDescription {
            partner_id,
            partner_reference: own("cardform_reference").unwrap_or_default(),
            item_code: own("cardform_item_code").unwrap_or_default(),
            item_name: own("cardform_item_name").unwrap_or_default(),
        });
        let currency = self.currency.to_ascii_uppercase();
        Ok(Some(ListedPayment {
            provider_key,
            charge_id,
            amount_value: amount::decimal(self.amount, &currency).ok_or(ListError::Unreadable)?,
            amount_currency: currency,
            description,
            at: self.created * 1_000,
            reference: Some(self.id).filter(|id| is_name(id)),
            outcome,
        }))
    }

    /// Whether a confirmation can still take money.
    pub(super) fn can_be_confirmed(&self) -> bool {
        use PaymentStatus as S;
        matches!(self.status, S::RequiresConfirmation | S::RequiresPaymentMethod)
    }

    pub(super) fn is_canceled(&self) -> bool {
        self.status == PaymentStatus::Canceled
    }

    /// The outcome of the payment.
    pub(super) fn outcome(&self) -> ProviderOutcome {
        match self.status {
            PaymentStatus::RequiresCapture => self.approved(true),
            // A payment that was captured meanwhile was held first.
            PaymentStatus::Succeeded => {
                let manual = CaptureMethod::Manual.as_str();
                self.approved(self.capture_method.as_deref() == Some(manual))
            }
            // The status after a declined card or a failed challenge.
            PaymentStatus::RequiresPaymentMethod => ProviderOutcome::Declined(self.decline()),
            PaymentStatus::Canceled => self.canceled(),
            PaymentStatus::RequiresAction => self.action().map_or_else(
                || {
                    tracing::error!(
                        "Stripe requires an action of the shopper that this version does not know"
                    );
                    ProviderOutcome::Unknown
                },
                ProviderOutcome::ActionRequired,
            ),
            PaymentStatus::Processing | PaymentStatus::RequiresConfirmation => ProviderOutcome::Unknown,
            PaymentStatus::Other => {
                tracing::error!("a payment has an unexpected status at Stripe; look at it there");
                ProviderOutcome::Unknown
            }
        }
    }

    fn approved(&self, held: bool) -> ProviderOutcome {
        ProviderOutcome::Approved(Approval {
            reference: self.id.clone(),
            hold: held.then(|| self.held_money()),
            facts: self
                .latest_charge
                .as_ref()
                .map(LatestCharge::facts)
                .unwrap_or_default()
                .into(),
        })
    }

    fn held_money(&self) -> Hold {
        Hold {
            ends_at: self.latest_charge.as_ref().and_then(LatestCharge::hold_ends_at),
        }
    }

    fn decline(&self) -> DeclineReason {
        let reason = self.last_payment_error.as_ref();
        let mut reason = reason
            .and_then(StripeError::decline_reason)
            .unwrap_or(DeclineCode::GenericDecline.into());
        let charge = self.latest_charge.as_ref();
        reason.network_code = reason
            .network_code
            .or_else(|| charge.and_then(LatestCharge::network_code));
        reason
    }

    /// Whether the money is held now.
    pub(super) fn is_held(&self) -> bool {
        self.status == PaymentStatus::RequiresCapture
    }

    /// The state of the hold; `None` if the payment is not made yet, or is not understood.
    pub(super) fn hold(&self) -> Option<HoldLookup> {
        match self.status {
            PaymentStatus::RequiresCapture => Some(HoldLookup::Held(self.held_money())),
            PaymentStatus::Succeeded => {
                let units = self.amount_received.unwrap_or(self.amount);
                amount::decimal(units, &self.currency.to_ascii_uppercase()).map(HoldLookup::Captured)
            }
            PaymentStatus::Canceled => Some(HoldLookup::Ended),
            _ => None,
        }
    }

    /// The outcome of a capture of this many units, or of a release, as the payment's state tells it; `None` if the state
    /// does not tell it.
    pub(super) fn operation(&self, kind: OperationKind, units: u64) -> Option<OperationOutcome> {
        let done = || OperationOutcome::Succeeded(Some(self.id.clone()));
        let is_ours = self.amount_received.is_none_or(|received| received == units);
        let ended_by_itself = matches!(self.cancellation_reason.as_deref(), Some("automatic" | "expired"));
        match (kind, self.status) {
            (OperationKind::Capture, PaymentStatus::Succeeded) if is_ours => Some(done()),
            (OperationKind::Capture | OperationKind::Release, PaymentStatus::Succeeded) => {
                Some(OperationOutcome::failed("already_captured"))
            }
            (OperationKind::Release, PaymentStatus::Canceled) if !ended_by_itself => Some(done()),
            (OperationKind::Capture | OperationKind::Release, PaymentStatus::Canceled) => {
                Some(OperationOutcome::failed(HOLD_ENDED))
            }
            _ => None,
        }
    }

    /// The outcome of a payment that was canceled. We name a reason if we cancel for the shopper. Without one we have canceled it
    /// after a decline, or before it was confirmed.
    fn canceled(&self) -> ProviderOutcome {
        let code = match self.cancellation_reason.as_deref() {
            Some(CANCELED) => GiveUpReason::Canceled.decline(),
            Some(TIMED_OUT) => GiveUpReason::TimedOut.decline(),
            Some("fraudulent") => DeclineCode::Fraudulent,
            None if self.last_payment_error.is_some() => return ProviderOutcome::Declined(self.decline()),
            _ => DeclineCode::ProcessingError,
        };
        ProviderOutcome::declined(code)
    }

    /// The challenge. Stripe's page for it may be shown in a frame. Test servers have no such page, nor has Stripe for
    /// merchants that load its script. Then our own return page is shown, which asks for the payment's outcome.
    fn action(&self) -> Option<ShopperAction> {
        let next = self.next_action.as_ref()?;
        let page = match (&next.redirect_to_url, &next.use_stripe_sdk) {
            (Some(redirect), _) => Some(redirect.url.as_str()),
            (None, Some(sdk)) => sdk.get("stripe_js").and_then(Value::as_str),
            (None, None) => return None,
        };
        let is_web = |url: &&str| url.starts_with("https://") || url.starts_with("http://");
        let own = |name: &str| self.metadata.get(name).map(String::as_str);
        let return_url = own("cardform_return_url").filter(is_web);
        let url = page.filter(is_web).or(return_url)?;
        let window = own("cardform_challenge_window").and_then(ChallengeWindow::parse);
        let ChallengeWindow { width, height } = window.unwrap_or_default();
        Some(ShopperAction::Challenge {
            url: url.to_owned(),
            width,
            height,
        })
    }
}

const CANCELED: &str = "requested_by_customer";
const TIMED_OUT: &str = "abandoned";

/// Stripe's name for the reason to give up a payment.
pub(super) fn cancellation_reason(why: GiveUpReason) -> &'static str {
    match why {
        GiveUpReason::Canceled => CANCELED,
        GiveUpReason::TimedOut => TIMED_OUT,
    }
}

#[cfg(test)]
mod tests;
