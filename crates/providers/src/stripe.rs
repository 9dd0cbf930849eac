//! The connector to Stripe: a payment is a `PaymentIntent`, and each of ours is confirmed once.
//!
//! Exactly once rests on the `PaymentIntent`, which Stripe lets succeed at most once, and not on idempotency keys, which
//! it forgets after a day:
//!
//! 1. [`Connector::prepare`] makes the card's `PaymentMethod` and an unconfirmed `PaymentIntent` for it. Neither takes
//!    money, so whatever fails up to here is a certain no.
//! 2. The intent's id becomes durable with the attempt. An attempt has one id: whoever gives up an attempt without one
//!    notes that it shall never have one, and who comes too late to note an id does not go on.
//! 3. [`Connector::charge`] confirms that intent, and no other call of ours ever confirms.
//!
//! A process that dies before 2 has taken nothing. One that dies later left the id: [`Connector::lookup`] reads the
//! intent, which says what became of it, and cancels it when nobody has confirmed it yet. A confirmation that comes late
//! then finds a canceled intent, so a "no" stays true and the shopper may try again. (To search by our own key instead
//! would not do: Stripe's search lags behind by a minute and more, and is not offered everywhere.)

mod amount;
pub mod api_key;
mod calls;
mod cards;
mod declines;
mod form;
mod payment;
mod preparation;

use std::time::Duration;

use reqwest::{StatusCode, Url};
use serde::Deserialize;
use uuid::Uuid;

use self::api_key::ApiKey;
use self::calls::{Answer, Calls, Deadline, is_name};
use self::form::Form;
use self::payment::{PaymentIntent, cancellation_reason};
use super::{GiveUp, Lookup, PaymentRef, ProviderCharge, ProviderError, ProviderOutcome};

/// What every reference of a `PaymentIntent` begins with.
const PAYMENT_PREFIX: &str = "pi_";
/// The payments.
const PAYMENTS: &str = "/v1/payment_intents";

/// Speaks with Stripe over HTTPS.
#[derive(Debug)]
pub struct Connector {
    calls: Calls,
    challenge_sources: String,
}

/// A `PaymentMethod` or a `Customer`, as far as it is read.
#[derive(Debug, Deserialize)]
struct Named {
    id: String,
}

impl Connector {
    /// A connector to the API at `url`.
    pub fn new(url: &Url, key: &ApiKey, page_url: Option<&Url>) -> Result<Self, ProviderError> {
        // Stripe's page leads on to the issuer's own, in the same frame, and banks are anywhere. A frame runs nothing in
        // our page, and only what Stripe names is opened in one.
        let challenge_sources = match page_url {
            Some(page) => format!("https: {}", page.origin().ascii_serialization()),
            None => "https:".to_owned(),
        };
        Ok(Self {
            calls: Calls::new(url, key)?,
            challenge_sources,
        })
    }

    pub(super) fn challenge_sources(&self) -> &str {
        &self.challenge_sources
    }

    pub(super) async fn charge(
        &self,
        charge: &ProviderCharge,
        reference: Option<&str>,
        timeout: Duration,
    ) -> ProviderOutcome {
        let Some(id) = reference else {
            return ProviderOutcome::Unknown;
        };
        let deadline = Deadline::after(timeout);
        let path = format!("{PAYMENTS}/{id}/confirm");
        let key = format!("{}-confirm", charge.idempotency_key);
        let form = Form::new().with_optional("return_url", &charge.authentication.return_url);
        match self
            .calls
            .post::<PaymentIntent>(&path, &key, form, deadline)
            .await
        {
            Answer::Given(payment) => payment.outcome(),
            Answer::Refused(refusal) => match refusal.error.decline() {
                Some(code) if refusal.status == StatusCode::PAYMENT_REQUIRED => {
                    ProviderOutcome::Declined(code)
                }
                // It is confirmed or canceled already, or can never be: the payment itself knows.
                _ => {
                    refusal.report("the confirmation of a payment");
                    match self.became(id, deadline).await {
                        Lookup::Known(outcome) => outcome,
                        Lookup::NeverHeard | Lookup::Unreachable => ProviderOutcome::Unknown,
                    }
                }
            },
            Answer::Lost => ProviderOutcome::Unknown,
        }
    }

    pub(super) async fn lookup(&self, payment: PaymentRef<'_>, timeout: Duration) -> Lookup {
        match payment_id(payment) {
            Some(id) => self.became(id, Deadline::after(timeout)).await,
            None => Lookup::NeverHeard,
        }
    }

    pub(super) async fn give_up(&self, payment: PaymentRef<'_>, why: GiveUp, timeout: Duration) -> Lookup {
        let Some(id) = payment_id(payment) else {
            return Lookup::NeverHeard;
        };
        let deadline = Deadline::after(timeout);
        match self.cancel(id, Some(why), deadline).await {
            // A peer that takes no reason gives none back.
            Answer::Given(payment) if payment.is_canceled() => {
                Lookup::Known(ProviderOutcome::Declined(why.decline()))
            }
            Answer::Given(payment) => Lookup::Known(payment.outcome()),
            // The shopper was faster, or it was canceled before.
            Answer::Refused(_) => match self.payment(id, deadline).await {
                Some(payment) => Lookup::Known(payment.outcome()),
                None => Lookup::Unreachable,
            },
            Answer::Lost => Lookup::Unreachable,
        }
    }

    /// What became of a payment. One that nobody has confirmed is canceled first, so that nobody can any more.
    async fn became(&self, id: &str, deadline: Deadline) -> Lookup {
        let Some(payment) = self.payment(id, deadline).await else {
            return Lookup::Unreachable;
        };
        if !payment.is_unconfirmed() {
            return Lookup::Known(payment.outcome());
        }
        let now = match self.cancel(id, None, deadline).await {
            Answer::Given(payment) => Some(payment),
            // Confirmed in between.
            Answer::Refused(_) => self.payment(id, deadline).await,
            Answer::Lost => None,
        };
        now.filter(|payment| !payment.is_unconfirmed())
            .map_or(Lookup::Unreachable, |payment| Lookup::Known(payment.outcome()))
    }

    /// The payment as it stands. One that Stripe does not know is another account's: nothing follows from that.
    async fn payment(&self, id: &str, deadline: Deadline) -> Option<PaymentIntent> {
        match self.calls.get(&format!("{PAYMENTS}/{id}"), deadline).await {
            Answer::Given(payment) => Some(payment),
            Answer::Refused(refusal) => {
                refusal.report("what became of a payment");
                None
            }
            Answer::Lost => None,
        }
    }

    async fn cancel(&self, id: &str, why: Option<GiveUp>, deadline: Deadline) -> Answer<PaymentIntent> {
        let mut form = Form::new();
        if let Some(why) = why {
            form = form.with_optional("cancellation_reason", cancellation_reason(why));
        }
        // Canceling twice is canceling once, so each wish has a key of its own: Stripe would otherwise repeat a refusal
        // for a day although the payment has moved on.
        let key = format!("{id}-cancel-{}", Uuid::new_v4().simple());
        self.calls
            .post(&format!("{PAYMENTS}/{id}/cancel"), &key, form, deadline)
            .await
    }
}

impl Named {
    /// The reference, if it is one.
    fn reference(self) -> Option<String> {
        Some(self.id).filter(|id| is_name(id))
    }
}

/// The payment's id, if one was noted.
fn payment_id(payment: PaymentRef<'_>) -> Option<&str> {
    payment
        .reference
        .filter(|id| id.starts_with(PAYMENT_PREFIX) && is_name(id))
}
