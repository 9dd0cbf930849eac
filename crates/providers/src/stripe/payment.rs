//! Stripe's `PaymentIntent`, and the meaning of its status.

use protocol::{DeclineCode, ShopperAction};
use protocol::{ListedPayment, ToldCharge};
use serde::Deserialize;
use serde_json::Value;

use super::amount;
use super::calls::is_name;
use super::declines::StripeError;
use crate::{Authentication, ChallengeWindow, GiveUpReason, ListError, ProviderOutcome};

/// The parts that we read of a payment.
#[derive(Debug, Deserialize)]
pub(super) struct PaymentIntent {
    id: String,
    status: PaymentStatus,
    #[serde(default)]
    next_action: Option<NextAction>,
    #[serde(default)]
    last_payment_error: Option<StripeError>,
    #[serde(default)]
    cancellation_reason: Option<String>,
    #[serde(default)]
    metadata: PaymentMetadata,
    /// Seconds since 1970.
    #[serde(default)]
    created: i64,
    #[serde(default)]
    amount: u64,
    #[serde(default)]
    currency: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PaymentStatus {
    RequiresConfirmation,
    RequiresPaymentMethod,
    RequiresAction,
    Processing,
    Succeeded,
    Canceled,
    /// A status that our payments never have, such as `requires_capture`: they are captured at once.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct NextAction {
    #[serde(default)]
    redirect_to_url: Option<StripeRedirect>,
    #[serde(default)]
    use_stripe_sdk: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct StripeRedirect {
    url: String,
}

/// Data that we store with the payment, for a lookup that has only its reference.
#[derive(Debug, Default, Deserialize)]
struct PaymentMetadata {
    #[serde(default, rename = "cardform_return_url")]
    return_url: Option<String>,
    #[serde(default, rename = "cardform_challenge_window")]
    challenge_window: Option<String>,
    #[serde(default, rename = "cardform_charge")]
    charge: Option<String>,
    #[serde(default, rename = "cardform_payment")]
    payment: Option<String>,
    #[serde(default, rename = "cardform_merchant")]
    merchant: Option<String>,
    #[serde(default, rename = "cardform_reference")]
    reference: Option<String>,
    #[serde(default, rename = "cardform_item_code")]
    item_code: Option<String>,
    #[serde(default, rename = "cardform_item_name")]
    item_name: Option<String>,
}

/// The most characters of a value of metadata.
const METADATA_VALUE_MAX: usize = 500;

/// What is told of the charge as metadata of a request. A longer value is cut: it is for people.
pub(super) fn told_metadata(told: &ToldCharge) -> [(&'static str, String); 4] {
    let cut = |value: &str| value.chars().take(METADATA_VALUE_MAX).collect();
    [
        ("metadata[cardform_merchant]", told.partner_id.clone()),
        ("metadata[cardform_reference]", cut(&told.partner_reference)),
        ("metadata[cardform_item_code]", cut(&told.item_code)),
        ("metadata[cardform_item_name]", cut(&told.item_name)),
    ]
}

/// The names and values of [`PaymentMetadata`] in a request.
pub(super) fn metadata(authentication: &Authentication) -> [(&'static str, String); 2] {
    [
        ("metadata[cardform_return_url]", authentication.return_url.clone()),
        (
            "metadata[cardform_challenge_window]",
            authentication.challenge_window.to_string(),
        ),
    ]
}

impl PaymentIntent {
    /// The reference, if it is valid.
    pub(super) fn reference(&self) -> Option<&str> {
        Some(self.id.as_str()).filter(|id| is_name(id))
    }

    /// The payment as in our list; `None` for one that is not ours, an error for one of ours that is not understood.
    pub(super) fn listed(self) -> Result<Option<ListedPayment>, ListError> {
        let outcome = self.outcome();
        let Some(charge_id) = self.metadata.charge else {
            return Ok(None);
        };
        let currency = self.currency.to_ascii_uppercase();
        let told = self.metadata.merchant.map(|partner_id| ToldCharge {
            partner_id,
            partner_reference: self.metadata.reference.unwrap_or_default(),
            item_code: self.metadata.item_code.unwrap_or_default(),
            item_name: self.metadata.item_name.unwrap_or_default(),
        });
        Ok(Some(ListedPayment {
            provider_key: self.metadata.payment.ok_or(ListError::Unreadable)?,
            charge_id,
            amount_value: amount::decimal(self.amount, &currency).ok_or(ListError::Unreadable)?,
            amount_currency: currency,
            told,
            at: self.created * 1_000,
            reference: Some(self.id).filter(|id| is_name(id)),
            outcome: outcome.settled(),
        }))
    }

    /// Whether it is not confirmed yet.
    pub(super) fn is_unconfirmed(&self) -> bool {
        self.status == PaymentStatus::RequiresConfirmation
    }

    pub(super) fn is_canceled(&self) -> bool {
        self.status == PaymentStatus::Canceled
    }

    /// The outcome of the payment.
    pub(super) fn outcome(&self) -> ProviderOutcome {
        match self.status {
            PaymentStatus::Succeeded => ProviderOutcome::Approved(self.id.clone()),
            // The status after a declined card or a failed challenge; we never confirm it again.
            PaymentStatus::RequiresPaymentMethod => ProviderOutcome::Declined(self.decline()),
            PaymentStatus::Canceled => ProviderOutcome::Declined(self.canceled_because()),
            PaymentStatus::RequiresAction => self.action().map_or_else(
                || {
                    tracing::error!("Stripe wants an action of the shopper that is not known here");
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

    fn decline(&self) -> DeclineCode {
        let reason = self.last_payment_error.as_ref().and_then(StripeError::decline);
        reason.unwrap_or(DeclineCode::GenericDecline)
    }

    /// We give a reason when we cancel for the shopper. Without a reason it was canceled before it was confirmed.
    fn canceled_because(&self) -> DeclineCode {
        match self.cancellation_reason.as_deref() {
            Some(CANCELED) => GiveUpReason::Canceled.decline(),
            Some(TIMED_OUT) => GiveUpReason::TimedOut.decline(),
            Some("fraudulent") => DeclineCode::Fraudulent,
            _ => DeclineCode::ProcessingError,
        }
    }

    /// The challenge. Stripe's page of it may be shown in a frame. Without such a page (test servers have none, nor has
    /// Stripe for merchants who load its script) we show our own return page, which asks for the payment's outcome.
    fn action(&self) -> Option<ShopperAction> {
        let next = self.next_action.as_ref()?;
        let page = match (&next.redirect_to_url, &next.use_stripe_sdk) {
            (Some(redirect), _) => Some(redirect.url.as_str()),
            (None, Some(sdk)) => sdk.get("stripe_js").and_then(Value::as_str),
            (None, None) => return None,
        };
        let is_web = |url: &&str| url.starts_with("https://") || url.starts_with("http://");
        let url = page
            .filter(is_web)
            .or_else(|| self.metadata.return_url.as_deref().filter(is_web))?;
        let window = self.metadata.challenge_window.as_deref();
        let window = window.and_then(ChallengeWindow::parse).unwrap_or_default();
        Some(ShopperAction::Challenge {
            url: url.to_owned(),
            width: window.width,
            height: window.height,
        })
    }
}

const CANCELED: &str = "requested_by_customer";
const TIMED_OUT: &str = "abandoned";

/// Stripe's name of the reason to give up a payment.
pub(super) fn cancellation_reason(why: GiveUpReason) -> &'static str {
    match why {
        GiveUpReason::Canceled => CANCELED,
        GiveUpReason::TimedOut => TIMED_OUT,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(changes: &Value) -> ProviderOutcome {
        let mut payment =
            json!({"id": "pi_1", "object": "payment_intent", "next_action": null, "metadata": {}});
        let fields = changes.as_object().unwrap().clone();
        payment.as_object_mut().unwrap().extend(fields);
        serde_json::from_value::<PaymentIntent>(payment)
            .unwrap()
            .outcome()
    }

    #[test]
    fn each_payment_status_has_one_outcome() {
        let declined = |code| ProviderOutcome::Declined(code);
        let cases = [
            (
                json!({"status": "succeeded"}),
                ProviderOutcome::Approved("pi_1".into()),
            ),
            (json!({"status": "processing"}), ProviderOutcome::Unknown),
            (
                json!({"status": "requires_confirmation"}),
                ProviderOutcome::Unknown,
            ),
            (json!({"status": "requires_capture"}), ProviderOutcome::Unknown),
            (json!({"status": "of_next_year"}), ProviderOutcome::Unknown),
            (
                json!({"status": "requires_payment_method", "last_payment_error": {"code": "card_declined", "decline_code": "do_not_honor"}}),
                declined(DeclineCode::DoNotHonor),
            ),
            (
                json!({"status": "requires_payment_method", "last_payment_error": null}),
                declined(DeclineCode::GenericDecline),
            ),
            (
                json!({"status": "canceled", "cancellation_reason": null}),
                declined(DeclineCode::ProcessingError),
            ),
        ];
        for (changes, expected) in cases {
            assert_eq!(outcome(&changes), expected, "{changes}");
        }
        for why in [GiveUpReason::Canceled, GiveUpReason::TimedOut] {
            let canceled = json!({"status": "canceled", "cancellation_reason": cancellation_reason(why)});
            assert_eq!(outcome(&canceled), declined(why.decline()));
        }
    }

    #[test]
    fn a_challenge_is_stripes_page_in_the_requested_size() {
        let waits = |next_action: Value, metadata: Value| {
            outcome(&json!({"status": "requires_action", "next_action": next_action, "metadata": metadata}))
        };
        let challenge = |url: &str, width, height| {
            ProviderOutcome::ActionRequired(ShopperAction::Challenge {
                url: url.into(),
                width,
                height,
            })
        };
        let redirect =
            json!({"type": "redirect_to_url", "redirect_to_url": {"url": "https://hooks.stripe.example/1"}});
        let ours = json!({"cardform_challenge_window": "500x600", "cardform_return_url": "https://pay.example/back"});
        assert_eq!(
            waits(redirect.clone(), ours.clone()),
            challenge("https://hooks.stripe.example/1", 500, 600)
        );
        assert_eq!(
            waits(redirect, json!({})),
            challenge("https://hooks.stripe.example/1", 390, 400)
        );
        let sdk = |page: &str| json!({"type": "use_stripe_sdk", "use_stripe_sdk": {"stripe_js": page}});
        assert_eq!(
            waits(sdk("https://hooks.stripe.example/2"), ours.clone()),
            challenge("https://hooks.stripe.example/2", 500, 600)
        );
        assert_eq!(
            waits(sdk(""), ours.clone()),
            challenge("https://pay.example/back", 500, 600)
        );
        assert_eq!(
            waits(sdk("javascript:alert(1)"), json!({})),
            ProviderOutcome::Unknown
        );
        assert_eq!(
            waits(json!({"type": "of_next_year"}), ours),
            ProviderOutcome::Unknown
        );
    }
}
