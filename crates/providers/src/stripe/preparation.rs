//! Prepares a payment or a setup: creates the card's `PaymentMethod` and an unconfirmed intent. No money is taken.

use protocol::{DeclineCode, KeptCard};

use super::calls::{Deadline, StripeAnswer};
use super::form::FormFields;
use super::payment::{PaymentIntent, challenge_metadata, description_metadata};
use super::{PAYMENTS, SETUPS, StripeConnector, StripeObject, amount, intent_path};
use crate::{Billing, PreparedPayment, ProviderCard, ProviderCharge};

/// The end of keys of what is made anew because the shopper's customer was deleted at Stripe.
const ANEW: &str = "-anew";

impl StripeConnector {
    pub(super) async fn try_to_prepare(
        &self,
        charge: &ProviderCharge,
        deadline: Deadline,
    ) -> Result<PreparedPayment, DeclineCode> {
        if charge.is_setup() {
            return self.prepare_setup(charge, deadline).await;
        }
        let Some(amount) = amount::counted(&charge.amount_value, &charge.amount_currency) else {
            tracing::error!(
                charge_id = charge.charge_id,
                currency = charge.amount_currency,
                "Stripe cannot express this amount exactly, so it is not charged"
            );
            return Err(DeclineCode::CurrencyNotSupported);
        };
        // The merchant pays with the copy that Stripe keeps. Without one, Stripe gets the number from our vault.
        if let Some(kept) = charge
            .merchant
            .as_ref()
            .and_then(|merchant| merchant.kept.as_ref())
        {
            let form = payment_form(charge, amount, &kept.card).with("customer", &kept.customer);
            let key = format!("{}-payment", charge.idempotency_key);
            return prepared(self.calls.post(PAYMENTS, &key, form, deadline).await, None);
        }
        let card = self
            .new_card(&charge.card, &charge.billing, &charge.idempotency_key, deadline)
            .await?;
        let form = payment_form(charge, amount, &card);
        self.prepare_keeping(PAYMENTS, charge, card, form, deadline).await
    }

    /// An unconfirmed setup: the card is attached to the shopper's customer once the issuer has accepted it.
    async fn prepare_setup(
        &self,
        charge: &ProviderCharge,
        deadline: Deadline,
    ) -> Result<PreparedPayment, DeclineCode> {
        let card = self
            .new_card(&charge.card, &charge.billing, &charge.idempotency_key, deadline)
            .await?;
        let form = FormFields::new()
            .with("payment_method", &card)
            .with("payment_method_types[]", "card")
            .with_optional("usage", charge.saved_for.unwrap_or_default().as_str());
        let form = with_metadata(form, charge);
        self.prepare_keeping(SETUPS, charge, card, form, deadline).await
    }

    /// Creates the intent of this form, for the shopper's customer if there is one.
    async fn prepare_keeping(
        &self,
        path: &str,
        charge: &ProviderCharge,
        card: String,
        form: FormFields,
        deadline: Deadline,
    ) -> Result<PreparedPayment, DeclineCode> {
        let mut key = format!("{}-payment", charge.idempotency_key);
        let mut customer = charge.keep_for.clone();
        while let Some(reference) = customer.take() {
            let mut keeping = form.clone().with("customer", &reference);
            if !charge.is_setup() {
                keeping = keeping.with_optional(
                    "setup_future_usage",
                    charge.saved_for.unwrap_or_default().as_str(),
                );
            }
            match self.calls.post(path, &key, keeping, deadline).await {
                StripeAnswer::Refused(refusal) if refusal.names_no_customer() && !key.ends_with(ANEW) => {
                    key.push_str(ANEW);
                    // The same key for each node that meets the customer's absence.
                    let of_customer = format!("{reference}{ANEW}");
                    customer = self
                        .make_customer(&of_customer, &charge.shopper_id, deadline)
                        .await;
                }
                StripeAnswer::Refused(refusal) => {
                    refusal.report("a payment that stores its card; it is made without storing the card");
                }
                answer => {
                    let kept = KeptCard {
                        card,
                        customer: reference,
                    };
                    return prepared(answer, Some(kept));
                }
            }
        }
        if charge.keep_for.is_some() {
            key.push_str("-alone");
        }
        prepared(self.calls.post(path, &key, form, deadline).await, None)
    }

    /// The card as a `PaymentMethod`.
    async fn new_card(
        &self,
        card: &ProviderCard,
        billing: &Billing,
        idempotency_key: &str,
        deadline: Deadline,
    ) -> Result<String, DeclineCode> {
        let mut form = FormFields::new()
            .with("type", "card")
            .with("card[number]", card.number.expose())
            .with("card[exp_month]", &card.expiration_month.to_string())
            .with("card[exp_year]", &card.expiration_year.to_string());
        if let Some(security_code) = &card.security_code {
            form = form.with("card[cvc]", security_code.expose());
        }
        if !card.holder_name.is_empty() {
            form = form.with("billing_details[name]", &card.holder_name);
        }
        // Stripe may not accept a merchant's spelling. The payment does not depend on these.
        for (name, value) in [
            ("billing_details[address][postal_code]", &billing.zip_code),
            ("billing_details[address][country]", &billing.country),
            ("billing_details[email]", &billing.email),
        ] {
            if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
                form = form.with_optional(name, value);
            }
        }
        let key = format!("{idempotency_key}-card");
        let answer = self
            .calls
            .post_card::<StripeObject>("/v1/payment_methods", &key, form, deadline)
            .await;
        given("a card", answer)?
            .reference()
            .ok_or(DeclineCode::ProcessingError)
    }
}

fn payment_form(charge: &ProviderCharge, amount: u64, card: &str) -> FormFields {
    let form = FormFields::new()
        .with("amount", &amount.to_string())
        .with("currency", &charge.amount_currency.to_ascii_lowercase())
        .with("payment_method", card)
        .with("payment_method_types[]", "card")
        .with("capture_method", charge.capture.as_str());
    let form = with_metadata(form, charge);
    match &charge.statement_descriptor {
        // It may be too long together with the account's own descriptor.
        Some(descriptor) => form.with_optional("statement_descriptor_suffix", descriptor),
        None => form,
    }
}

/// Adds what we store with each intent.
fn with_metadata(form: FormFields, charge: &ProviderCharge) -> FormFields {
    let form = form
        .with("metadata[cardform_charge]", &charge.charge_id)
        .with("metadata[cardform_payment]", &charge.idempotency_key);
    challenge_metadata(&charge.authentication)
        .into_iter()
        .chain(description_metadata(&charge.description))
        .fold(form, |form, (name, value)| form.with(name, &value))
}

fn prepared(
    answer: StripeAnswer<PaymentIntent>,
    kept: Option<KeptCard>,
) -> Result<PreparedPayment, DeclineCode> {
    let payment = given("a payment", answer)?;
    let reference = payment.reference().filter(|id| intent_path(id).is_some());
    let reference = reference.ok_or(DeclineCode::ProcessingError)?.to_owned();
    Ok(PreparedPayment {
        reference: Some(reference),
        kept,
    })
}

/// The created object, or the decline code for the shopper. In both cases no money was taken.
fn given<T>(what: &'static str, answer: StripeAnswer<T>) -> Result<T, DeclineCode> {
    match answer {
        StripeAnswer::Given(made) => Ok(made),
        StripeAnswer::Refused(refusal) => Err(refusal.error.decline().unwrap_or_else(|| {
            refusal.report(what);
            DeclineCode::ProcessingError
        })),
        StripeAnswer::Lost => Err(DeclineCode::ProcessingError),
    }
}
