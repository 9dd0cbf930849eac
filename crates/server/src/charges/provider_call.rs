//! Calls the provider for an attempt: prepares the payment, makes the provider's reference durable, and only then
//! takes the money.

use std::time::Duration;

use model::ToldCharge;
use model::clock::millis;
use providers::{PaymentRef, Preparation, ProviderCharge, ProviderOutcome};
use store::{Attempt, AttemptStep, StepKind};
use tokio::time::Instant;

use super::presses::{LEASE, Press};
use super::state::Charges;
use super::steps::{ProviderCallBegun, outcome_word, preparation_word};
use crate::saved_cards::at_provider::customer;
use crate::telemetry::provider_span::provider_call;

/// How often a request renews the lease of its attempt.
const LEASE_RENEWAL: Duration = Duration::from_secs(3);

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
                        "somebody else looks after this attempt"
                    ),
                    Err(cause) => tracing::warn!(
                        %cause,
                        attempt_id = attempt.id,
                        charge_id = attempt.charge_id,
                        "cannot go on looking after it"
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
    let preparing = ProviderCallBegun::now();
    let preparation = charges.provider.prepare(&charge, left());
    let preparation = if charges.provider.prepares() {
        let preparation = provider_call("prepare", &attempt.id, &charge.charge_id, preparation).await;
        let word = preparation_word(&preparation);
        steps.push(preparing.ended(StepKind::Prepare, word, &charges.clock));
        preparation
    } else {
        preparation.await
    };
    let prepared = match preparation {
        Preparation::Ready(prepared) => prepared,
        Preparation::Refused(code) => return ProviderOutcome::Declined(code),
    };
    if let Some(reference) = &prepared.reference {
        let noted = charges
            .store
            .record_payment(&attempt.id, reference, prepared.kept.as_ref())
            .await;
        match noted {
            Ok(true) => {}
            // The attempt was given up meanwhile: no money was taken and none will be.
            Ok(false) => {
                tracing::warn!(
                    attempt_id = attempt.id,
                    charge_id = charge.charge_id,
                    "given up before the payment was made"
                );
                return ProviderOutcome::Unknown;
            }
            Err(cause) => {
                tracing::error!(
                    %cause,
                    attempt_id = attempt.id,
                    charge_id = charge.charge_id,
                    "a payment could not be noted, so it was not made"
                );
                return ProviderOutcome::Unknown;
            }
        }
    }
    let paying = ProviderCallBegun::now();
    let paid = charges
        .provider
        .charge(&charge, prepared.reference.as_deref(), left());
    let outcome = provider_call("charge", &attempt.id, &charge.charge_id, paid).await;
    steps.push(paying.ended(StepKind::Charge, outcome_word(&outcome), &charges.clock));
    charges.metrics.count_provider_call("charge", paying.elapsed());
    outcome
}

/// The names by which the provider knows an attempt's payment.
pub(super) fn payment_of(attempt: &Attempt) -> PaymentRef<'_> {
    PaymentRef {
        idempotency_key: &attempt.provider_key,
        reference: attempt.provider_reference.as_deref(),
    }
}
