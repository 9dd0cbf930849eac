//! Saved cards at Stripe: each shopper has a `Customer`, and a card is attached to it until the shopper removes the
//! card.

use std::time::Duration;

use http::StatusCode;
use protocol::KeptCard;
use serde::Deserialize;
use uuid::Uuid;

use super::calls::{Deadline, StripeAnswer, StripeRefusal, is_name};
use super::form::FormFields;
use super::{StripeConnector, StripeObject};
use crate::CardChangeOutcome;

/// The part that we read of a card's `PaymentMethod`.
#[derive(Debug, Deserialize)]
struct StripePaymentMethod {
    customer: Option<String>,
    card: Option<StripeCardDate>,
}

#[derive(Debug, Deserialize)]
struct StripeCardDate {
    exp_month: i64,
    exp_year: i64,
}

impl StripeConnector {
    pub(super) async fn make_customer(
        &self,
        key: &str,
        shopper_id: &str,
        deadline: Deadline,
    ) -> Option<String> {
        let form = FormFields::new().with("metadata[cardform_shopper]", shopper_id);
        let answer = self
            .calls
            .post::<StripeObject>("/v1/customers", key, form, deadline)
            .await;
        match answer {
            StripeAnswer::Given(customer) => customer.reference(),
            StripeAnswer::Refused(refusal) => {
                refusal.report("a customer");
                None
            }
            StripeAnswer::Lost => None,
        }
    }

    /// Attaches a card, unless Stripe has attached it already, as it does for a payment that stores its card. A date that is
    /// later than Stripe's was typed since that payment.
    pub(super) async fn attach_card(
        &self,
        kept: &KeptCard,
        date: Option<(i64, i64)>,
        timeout: Duration,
    ) -> CardChangeOutcome {
        let deadline = Deadline::after(timeout);
        let path = format!("/v1/payment_methods/{}", kept.card);
        let method = match self.calls.get::<StripePaymentMethod>(&path, deadline).await {
            StripeAnswer::Given(method) => method,
            StripeAnswer::Refused(refusal) if is_our_key(&refusal) => {
                refusal.report("a card to attach");
                return CardChangeOutcome::NotNow;
            }
            StripeAnswer::Refused(_) => return CardChangeOutcome::Refused,
            StripeAnswer::Lost => return CardChangeOutcome::NotNow,
        };
        if method.customer.is_none() {
            let form = FormFields::new().with("customer", &kept.customer);
            let attached = self.tell(&kept.card, "/attach", form, deadline).await;
            if attached != CardChangeOutcome::Done {
                return attached;
            }
        }
        match (date, method.card) {
            (Some((month, year)), Some(old)) if (year, month) > (old.exp_year, old.exp_month) => {
                match self.change_date(&kept.card, (month, year), deadline).await {
                    CardChangeOutcome::Refused => {
                        tracing::error!(
                            card = kept.card,
                            "Stripe refused the date of a card, which it has attached; compare them"
                        );
                        CardChangeOutcome::Done
                    }
                    told => told,
                }
            }
            _ => CardChangeOutcome::Done,
        }
    }

    /// Detaches a card. If Stripe refuses, the card is unknown or detached already, which is the wanted result.
    pub(super) async fn detach_card(&self, card: &str, timeout: Duration) -> CardChangeOutcome {
        match self
            .tell(card, "/detach", FormFields::new(), Deadline::after(timeout))
            .await
        {
            CardChangeOutcome::Refused => CardChangeOutcome::Done,
            told => told,
        }
    }

    /// Gives a card its new date.
    pub(super) async fn change_date(
        &self,
        card: &str,
        (month, year): (i64, i64),
        deadline: Deadline,
    ) -> CardChangeOutcome {
        let form = FormFields::new()
            .with("card[exp_month]", &month.to_string())
            .with("card[exp_year]", &year.to_string());
        self.tell(card, "", form, deadline).await
    }

    /// Deletes a customer, whose cards Stripe then detaches. If Stripe does not know it, that is the wanted result.
    pub(super) async fn delete_customer(&self, customer: &str, timeout: Duration) -> CardChangeOutcome {
        if !is_name(customer) {
            return CardChangeOutcome::Refused;
        }
        let path = format!("/v1/customers/{customer}");
        match self
            .calls
            .delete::<StripeObject>(&path, Deadline::after(timeout))
            .await
        {
            StripeAnswer::Refused(refusal) if is_our_key(&refusal) => {
                refusal.report("the deletion of a customer");
                CardChangeOutcome::NotNow
            }
            StripeAnswer::Given(_) | StripeAnswer::Refused(_) => CardChangeOutcome::Done,
            StripeAnswer::Lost => CardChangeOutcome::NotNow,
        }
    }

    async fn tell(
        &self,
        card: &str,
        action: &'static str,
        form: FormFields,
        deadline: Deadline,
    ) -> CardChangeOutcome {
        if !is_name(card) {
            return CardChangeOutcome::Refused;
        }
        // Doing this twice is harmless, so each call has a new key, like a cancellation.
        let key = format!("{card}-{}", Uuid::new_v4().simple());
        let path = format!("/v1/payment_methods/{card}{action}");
        match self.calls.post::<StripeObject>(&path, &key, form, deadline).await {
            StripeAnswer::Given(_) => CardChangeOutcome::Done,
            StripeAnswer::Refused(refusal) if is_our_key(&refusal) => {
                refusal.report("a change of a card");
                CardChangeOutcome::NotNow
            }
            StripeAnswer::Refused(_) => CardChangeOutcome::Refused,
            StripeAnswer::Lost => CardChangeOutcome::NotNow,
        }
    }
}

/// Whether our key is wrong or has too few permissions. The operator can correct that, so the call is retried.
fn is_our_key(refusal: &StripeRefusal) -> bool {
    matches!(refusal.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}

#[cfg(test)]
mod tests;
