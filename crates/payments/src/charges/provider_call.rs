//! Calls the provider for an attempt. A payment is prepared, the provider's reference is made durable, and only then
//! the money is taken. Each call adds a step to the charge's story.

use std::time::Duration;

use protocol::ToldCharge;
use protocol::clock::millis;
use providers::{GiveUpReason, PaymentLookup, PaymentRef, Preparation, ProviderCharge, ProviderOutcome};
use store::{Attempt, AttemptStep, StepKind};
use tokio::time::Instant;

use super::press::{LEASE, Press};
use super::state::Charges;
use super::steps::{lookup_word, outcome_word, preparation_word, with_step};
use crate::saved_cards::at_provider::customer;

/// How often a request renews the lease of its attempt.
const LEASE_RENEWAL: Duration = Duration::from_secs(3);
/// How long the provider may take to look up a payment. Shorter than the lease, so that no other node asks at the same
/// time.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);

/// How a payment ended at the provider, and the calls that were made.
pub(super) struct ProviderAnswer {
    pub(super) outcome: ProviderOutcome,
    pub(super) steps: Vec<AttemptStep>,
}

/// Calls the provider and renews the lease meanwhile. The provider's time-out begins with the attempt: a process that
/// was held up before the call must not pay after other processes count the attempt as lost.
pub(super) async fn call(charges: &Charges, attempt: &mut Attempt, press: Press) -> ProviderAnswer {
    let mut steps = Vec::new();
    let outcome = call_within_lease(charges, attempt, press, &mut steps).await;
    ProviderAnswer { outcome, steps }
}

async fn call_within_lease(
    charges: &Charges,
    attempt: &mut Attempt,
    press: Press,
    steps: &mut Vec<AttemptStep>,
) -> ProviderOutcome {
    let deadline = attempt.created_at + millis(charges.settings.provider_timeout);
    let Some(left) = u64::try_from(deadline - charges.clock.now_ms())
        .ok()
        .filter(|ms| *ms > 0)
    else {
        return ProviderOutcome::Unknown;
    };
    let mut answer = std::pin::pin!(pay(
        charges,
        attempt.clone(),
        press,
        Duration::from_millis(left),
        steps
    ));
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
    attempt: Attempt,
    press: Press,
    time: Duration,
    steps: &mut Vec<AttemptStep>,
) -> ProviderOutcome {
    let began = Instant::now();
    let left = || time.saturating_sub(began.elapsed());
    let keep_for = if press.save_card {
        customer(&charges.saved_cards, &press.charge).await
    } else {
        None
    };
    let charge = ProviderCharge {
        attempt_id: attempt.id,
        idempotency_key: attempt.provider_key,
        charge_id: press.charge.id,
        amount_value: press.charge.amount_value,
        amount_currency: press.charge.amount_currency,
        told: ToldCharge {
            partner_id: press.charge.partner_id,
            partner_reference: press.charge.partner_reference,
            item_code: press.charge.item_code,
            item_name: press.charge.item_name,
        },
        card: press.card,
        authentication: press.authentication,
        keep_for,
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
        Preparation::Refused(code) => return ProviderOutcome::Declined(code),
    };
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
                    "a payment could not be noted, so it was not made"
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
    let call = charges.provider.prevent(payment_of(attempt), LOOKUP_TIMEOUT);
    if charges.provider.prepares() {
        return call.await;
    }
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

/// The names by which the provider knows an attempt's payment.
fn payment_of(attempt: &Attempt) -> PaymentRef<'_> {
    PaymentRef {
        attempt_id: &attempt.id,
        charge_id: &attempt.charge_id,
        idempotency_key: &attempt.provider_key,
        reference: attempt.provider_reference.as_deref(),
    }
}
