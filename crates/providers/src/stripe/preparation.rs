//! What comes before a payment is made: the card's `PaymentMethod` and an unconfirmed `PaymentIntent`. Nothing is taken.

use std::time::Duration;

use model::KeptCard;
use wire::DeclineCode;

use super::calls::{Answer, Deadline, Refusal};
use super::form::Form;
use super::payment::{PaymentIntent, metadata};
use super::{Connector, Named, PAYMENT_PREFIX, PAYMENTS, amount};
use crate::{Preparation, Prepared, ProviderCard, ProviderCharge};

impl Connector {
    pub(crate) async fn prepare(&self, charge: &ProviderCharge, timeout: Duration) -> Preparation {
        let deadline = Deadline::after(timeout);
        match self.try_to_prepare(charge, deadline).await {
            Ok(prepared) => Preparation::Ready(prepared),
            Err(code) => Preparation::Refused(code),
        }
    }

    async fn try_to_prepare(
        &self,
        charge: &ProviderCharge,
        deadline: Deadline,
    ) -> Result<Prepared, DeclineCode> {
        let Some(amount) = amount::counted(&charge.amount_value, &charge.amount_currency) else {
            tracing::error!(
                charge_id = charge.charge_id,
                currency = charge.amount_currency,
                "Stripe cannot be told this amount exactly, so it is not charged"
            );
            return Err(DeclineCode::CurrencyNotSupported);
        };
        let card = self
            .new_card(&charge.card, &charge.idempotency_key, deadline)
            .await?;
        let form = payment_form(charge, amount, &card);
        let key = format!("{}-payment", charge.idempotency_key);
        if let Some(customer) = &charge.keep_for {
            let keeping = form
                .clone()
                .with("customer", customer)
                .with_optional("setup_future_usage", "on_session");
            match self.calls.post(PAYMENTS, &key, keeping, deadline).await {
                Answer::Refused(refusal) => {
                    refusal.report("a payment whose card is kept; it goes on without keeping the card");
                }
                answer => {
                    let kept = KeptCard {
                        card,
                        customer: customer.clone(),
                    };
                    return prepared(answer, Some(kept));
                }
            }
        }
        let key = if charge.keep_for.is_some() {
            format!("{key}-alone")
        } else {
            key
        };
        prepared(self.calls.post(PAYMENTS, &key, form, deadline).await, None)
    }

    /// The card as a `PaymentMethod`.
    async fn new_card(
        &self,
        card: &ProviderCard,
        idempotency_key: &str,
        deadline: Deadline,
    ) -> Result<String, DeclineCode> {
        let mut form = Form::new()
            .with("type", "card")
            .with("card[number]", card.number.expose())
            .with("card[exp_month]", &card.expiration_month.to_string())
            .with("card[exp_year]", &card.expiration_year.to_string())
            .with("card[cvc]", card.security_code.expose());
        if !card.holder_name.is_empty() {
            form = form.with("billing_details[name]", &card.holder_name);
        }
        let key = format!("{idempotency_key}-card");
        let answer = self
            .calls
            .post_card::<Named>("/v1/payment_methods", &key, form, deadline)
            .await;
        given("a card", answer)?
            .reference()
            .ok_or(DeclineCode::ProcessingError)
    }
}

fn payment_form(charge: &ProviderCharge, amount: u64, card: &str) -> Form {
    let form = Form::new()
        .with("amount", &amount.to_string())
        .with("currency", &charge.amount_currency.to_ascii_lowercase())
        .with("payment_method", card)
        .with("payment_method_types[]", "card")
        .with("capture_method", "automatic")
        .with("metadata[cardform_charge]", &charge.charge_id)
        .with("metadata[cardform_payment]", &charge.idempotency_key);
    metadata(&charge.authentication)
        .iter()
        .fold(form, |form, (name, value)| form.with(name, value))
}

fn prepared(answer: Answer<PaymentIntent>, kept: Option<KeptCard>) -> Result<Prepared, DeclineCode> {
    let payment = given("a payment", answer)?;
    let reference = payment.reference().filter(|id| id.starts_with(PAYMENT_PREFIX));
    let reference = reference.ok_or(DeclineCode::ProcessingError)?.to_owned();
    Ok(Prepared {
        reference: Some(reference),
        kept,
    })
}

/// What was made, or why the shopper cannot pay with it. Nothing has been taken in either case.
fn given<T>(what: &'static str, answer: Answer<T>) -> Result<T, DeclineCode> {
    match answer {
        Answer::Given(made) => Ok(made),
        Answer::Refused(refusal) => Err(refused(what, &refusal)),
        Answer::Lost => Err(DeclineCode::ProcessingError),
    }
}

fn refused(what: &'static str, refusal: &Refusal) -> DeclineCode {
    refusal.error.decline().unwrap_or_else(|| {
        refusal.report(what);
        DeclineCode::ProcessingError
    })
}
