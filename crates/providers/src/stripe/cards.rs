//! Saved cards at Stripe: a `Customer` per shopper, and the card attached to it until the shopper removes it.

use std::time::Duration;

use model::KeptCard;
use reqwest::StatusCode;
use serde::Deserialize;
use uuid::Uuid;

use super::calls::{Answer, Deadline, is_name};
use super::form::Form;
use super::{Connector, Named};
use crate::ChangeResult;

/// A `PaymentMethod`: whose it is.
#[derive(Debug, Deserialize)]
struct Method {
    #[serde(default)]
    customer: Option<String>,
}

impl Connector {
    /// Makes the customer of a shopper. `key` is the same whenever this shopper's is made, so that two nodes that make
    /// it at once make one. `None` when it cannot be made now.
    pub async fn new_customer(&self, key: &str, shopper_id: &str, timeout: Duration) -> Option<String> {
        let form = Form::new().with("metadata[cardform_shopper]", shopper_id);
        let answer = self
            .calls
            .post::<Named>("/v1/customers", key, form, Deadline::after(timeout))
            .await;
        match answer {
            Answer::Given(customer) => customer.reference(),
            Answer::Refused(refusal) => {
                refusal.report("a customer");
                None
            }
            Answer::Lost => None,
        }
    }

    /// Has a card that has paid belong to its customer. Stripe does so by itself when the payment said that the card is
    /// to be kept, so this looks first.
    pub async fn attach(&self, kept: &KeptCard, timeout: Duration) -> ChangeResult {
        let deadline = Deadline::after(timeout);
        let path = format!("/v1/payment_methods/{}", kept.card);
        match self.calls.get::<Method>(&path, deadline).await {
            Answer::Given(method) if method.customer.is_some() => ChangeResult::Done,
            Answer::Given(_) => {
                let form = Form::new().with("customer", &kept.customer);
                self.tell(&kept.card, "attach", form, deadline).await
            }
            Answer::Refused(_) => ChangeResult::Refused,
            Answer::Lost => ChangeResult::NotNow,
        }
    }

    /// Has a card belong to nobody, after which nobody can pay with it. Stripe refuses one that it does not know or that
    /// belongs to nobody already, which is as good.
    pub async fn detach(&self, card: &str, timeout: Duration) -> ChangeResult {
        match self
            .tell(card, "detach", Form::new(), Deadline::after(timeout))
            .await
        {
            ChangeResult::Refused => ChangeResult::Done,
            told => told,
        }
    }

    async fn tell(&self, card: &str, what: &'static str, form: Form, deadline: Deadline) -> ChangeResult {
        if !is_name(card) {
            return ChangeResult::Refused;
        }
        // Telling twice is telling once; a key of its own for each, as for cancellations.
        let key = format!("{card}-{what}-{}", Uuid::new_v4().simple());
        let path = format!("/v1/payment_methods/{card}/{what}");
        match self.calls.post::<Named>(&path, &key, form, deadline).await {
            Answer::Given(_) => ChangeResult::Done,
            // Our key is wrong or may not do this: the operator can put that right.
            Answer::Refused(refusal)
                if matches!(refusal.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) =>
            {
                refusal.report(what);
                ChangeResult::NotNow
            }
            Answer::Refused(_) => ChangeResult::Refused,
            Answer::Lost => ChangeResult::NotNow,
        }
    }
}
