//! Calls the provider for an attempt. A payment is prepared, the provider's reference is made durable, and only then
//! the money is taken. Each call adds a step to the charge's story.

use std::time::Duration;

use protocol::clock::millis;
use protocol::{ChargeDescription, DEFAULT_COUNTRY, SaveCardUsage};
use providers::{
    Authentication, Billing, GiveUpReason, MerchantPayment, PaymentLookup, PaymentRef, Preparation,
    ProviderCard, ProviderCharge, ProviderOutcome,
};
use store::{Attempt, AttemptStep, CardOwner, Charge, StepKind};
use tokio::time::Instant;

use super::press::LEASE;
use super::state::Charges;
use super::steps::{lookup_word, outcome_word, preparation_word, with_step};
use crate::saved_cards::at_provider::{customer, keep_customer};

/// How often a request renews the lease of its attempt.
const LEASE_RENEWAL: Duration = Duration::from_secs(3);
/// How long the provider may take to look up a payment. Shorter than the lease, so that no other node asks at the same
/// time.
pub(crate) const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);

/// What the provider is asked for.
pub(super) struct Payment {
    /// The charge to pay.
    pub(super) charge: Charge,
    /// The postal code of the card's billing address.
    pub(super) zip_code: Option<String>,
    /// The card.
    pub(super) card: ProviderCard,
    /// Set if the merchant pays without the shopper.
    pub(super) merchant: Option<MerchantPayment>,
    /// For which payments the card is saved once it has paid; `None` if it is not saved.
    pub(super) save_card: Option<SaveCardUsage>,
    /// The data that the provider needs for 3-D Secure.
    pub(super) authentication: Authentication,
}

/// Calls the provider and renews the lease meanwhile. The provider's time-out begins with the attempt: a process that
/// was held up before the call must not pay after other processes count the attempt as lost.
pub(super) async fn call(
    charges: &Charges,
    attempt: &mut Attempt,
    payment: Payment,
    steps: &mut Vec<AttemptStep>,
) -> ProviderOutcome {
    let deadline = attempt.created_at + millis(charges.settings.provider_timeout);
    let Some(left) = u64::try_from(deadline - charges.clock.now_ms())
        .ok()
        .filter(|ms| *ms > 0)
    else {
        return ProviderOutcome::Unknown;
    };
    let names = (attempt.id.clone(), attempt.provider_key.clone());
    let time = Duration::from_millis(left);
    let mut answer = std::pin::pin!(pay(charges, names, payment, time, steps));
    let mut renewal = tokio::time::interval_at(Instant::now() + LEASE_RENEWAL, LEASE_RENEWAL);
    loop {
        tokio::select! {
            outcome = &mut answer => return outcome,
            _ = renewal.tick() => {
                let until = charges.clock.now_ms() + millis(LEASE);
                match charges.store.own_attempt(attempt, until).await {
                    Ok(true) => attempt.owner_until = until,
                    Ok(false) => tracing::warn!(
                        attempt_id = attempt.id,
                        charge_id = attempt.charge_id,
                        "another node holds this attempt's lease"
                    ),
                    Err(cause) => tracing::warn!(
                        %cause,
                        attempt_id = attempt.id,
                        charge_id = attempt.charge_id,
                        "could not renew the lease"
                    ),
                }
            }
        }
    }
}

/// Prepares, records and makes the payment.
async fn pay(
    charges: &Charges,
    (attempt_id, idempotency_key): (String, String),
    payment: Payment,
    time: Duration,
    steps: &mut Vec<AttemptStep>,
) -> ProviderOutcome {
    let began = Instant::now();
    let left = || time.saturating_sub(began.elapsed());
    let keep_for = if payment.save_card.is_some() {
        customer(&charges.saved_cards, &payment.charge).await
    } else {
        None
    };
    let owner = CardOwner::new(&payment.charge.partner_id, &payment.charge.shopper_id);
    let charge = ProviderCharge {
        attempt_id,
        idempotency_key,
        charge_id: payment.charge.id,
        amount_value: payment.charge.amount_value,
        amount_currency: payment.charge.amount_currency,
        description: ChargeDescription {
            partner_id: payment.charge.partner_id,
            partner_reference: payment.charge.partner_reference,
            item_code: payment.charge.item_code,
            item_name: payment.charge.item_name,
        },
        capture: payment.charge.capture_method,
        statement_descriptor: payment.charge.statement_descriptor,
        billing: Billing {
            zip_code: payment.zip_code,
            email: some(payment.charge.shopper_email),
            // The default is no word of the merchant's, and an issuer would check it.
            country: some(payment.charge.payment_method_country_code)
                .filter(|country| country != DEFAULT_COUNTRY),
        },
        card: payment.card,
        authentication: Authentication {
            request: payment.charge.three_ds,
            exemption: payment.charge.exemption,
            ..payment.authentication
        },
        merchant: payment.merchant,
        saved_for: payment.save_card,
        keep_for,
        shopper_id: payment.charge.shopper_id,
    };
    let clock = &charges.clock;
    let preparing = charges.provider.prepare(&charge, left());
    let preparation = if charges.provider.prepares() {
        with_step(steps, clock, StepKind::Prepare, preparation_word, preparing).await
    } else {
        preparing.await
    };
    let prepared = match preparation {
        Preparation::Ready(prepared) => prepared,
        Preparation::Refused(code) => return ProviderOutcome::declined(code),
    };
    if let (Some(gone), Some(kept)) = (&charge.keep_for, &prepared.kept)
        && *gone != kept.customer
    {
        keep_customer(&charges.saved_cards, &owner, &kept.customer).await;
    }
    if let Some(reference) = &prepared.reference {
        let noted = charges
            .store
            .record_payment(&charge.attempt_id, reference, prepared.kept.as_ref())
            .await;
        match noted {
            Ok(true) => {}
            // The attempt was given up meanwhile: no money was taken and none will be.
            Ok(false) => {
                tracing::warn!(
                    attempt_id = charge.attempt_id,
                    charge_id = charge.charge_id,
                    "given up before the payment was made"
                );
                return ProviderOutcome::Unknown;
            }
            Err(cause) => {
                tracing::error!(
                    %cause,
                    attempt_id = charge.attempt_id,
                    charge_id = charge.charge_id,
                    "could not record the payment's id at the provider; the card was not charged"
                );
                return ProviderOutcome::Unknown;
            }
        }
    }
    let paying = charges
        .provider
        .charge(&charge, prepared.reference.as_deref(), left());
    with_step(steps, clock, StepKind::Charge, outcome_word, paying).await
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// Looks an attempt's payment up.
pub(super) async fn lookup(
    charges: &Charges,
    attempt: &Attempt,
    steps: &mut Vec<AttemptStep>,
) -> PaymentLookup {
    let call = charges.provider.lookup(payment_of(attempt), LOOKUP_TIMEOUT);
    with_step(steps, &charges.clock, StepKind::Lookup, lookup_word, call).await
}

/// Makes sure that the payment of an attempt which the provider never received is never made, in case its request is
/// still on the way. If payments are prepared, this needs no call.
pub(super) async fn prevent(
    charges: &Charges,
    attempt: &Attempt,
    steps: &mut Vec<AttemptStep>,
) -> PaymentLookup {
    if charges.provider.prepares() {
        return PaymentLookup::NeverReceived;
    }
    let call = charges.provider.prevent(payment_of(attempt), LOOKUP_TIMEOUT);
    with_step(steps, &charges.clock, StepKind::GiveUp, lookup_word, call).await
}

/// Gives up the payment of an attempt that waits for the shopper.
pub(super) async fn give_up(
    charges: &Charges,
    attempt: &Attempt,
    why: GiveUpReason,
    steps: &mut Vec<AttemptStep>,
) -> PaymentLookup {
    let reason = match why {
        GiveUpReason::Canceled => StepKind::ShopperCanceled,
        GiveUpReason::TimedOut => StepKind::ShopperTimedOut,
    };
    steps.push(AttemptStep::moment(reason, charges.clock.now_ms()));
    let call = charges.provider.give_up(payment_of(attempt), why, LOOKUP_TIMEOUT);
    with_step(steps, &charges.clock, StepKind::GiveUp, lookup_word, call).await
}

/// The ids of an attempt's payment at the provider.
pub(crate) fn payment_of(attempt: &Attempt) -> PaymentRef<'_> {
    PaymentRef {
        attempt_id: &attempt.id,
        charge_id: &attempt.charge_id,
        idempotency_key: &attempt.provider_key,
        reference: attempt.provider_reference.as_deref(),
    }
}
