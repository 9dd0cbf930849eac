//! Calls the provider for an attempt: prepares the payment, makes the provider's reference durable, and only then
//! takes the money.

use std::time::Duration;

use model::clock::millis;
use providers::{PaymentRef, Preparation, ProviderCharge, ProviderOutcome};
use store::Attempt;
use tokio::time::Instant;
use tracing::Instrument;

use super::presses::{LEASE, Press};
use super::state::Charges;
use crate::saved_cards::at_provider::customer;

/// How often a request renews the lease of its attempt.
const LEASE_RENEWAL: Duration = Duration::from_secs(3);

/// Calls the provider and renews the lease meanwhile. The provider's time-out begins with the attempt: a process that
/// was held up before the call must not pay after other processes count the attempt as lost.
pub(super) async fn call(charges: &Charges, attempt: &mut Attempt, press: Press) -> ProviderOutcome {
    let deadline = attempt.created_at + millis(charges.settings.provider_timeout);
    let Some(left) = u64::try_from(deadline - charges.clock.now_ms())
        .ok()
        .filter(|ms| *ms > 0)
    else {
        return ProviderOutcome::Unknown;
    };
    let mut answer = std::pin::pin!(pay(charges, attempt.clone(), press, Duration::from_millis(left)));
    let mut renewal = tokio::time::interval_at(Instant::now() + LEASE_RENEWAL, LEASE_RENEWAL);
    loop {
        tokio::select! {
            outcome = &mut answer => return outcome,
            _ = renewal.tick() => {
                let until = charges.clock.now_ms() + millis(LEASE);
                match charges.store.own_attempt(attempt, until).await {
                    Ok(true) => attempt.owner_until = until,
                    Ok(false) => tracing::warn!(attempt_id = attempt.id, "somebody else looks after this attempt"),
                    Err(cause) => tracing::warn!(%cause, attempt_id = attempt.id, "cannot go on looking after it"),
                }
            }
        }
    }
}

/// Prepares, records and makes the payment.
async fn pay(charges: &Charges, attempt: Attempt, press: Press, time: Duration) -> ProviderOutcome {
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
        card: press.card,
        authentication: press.authentication,
        keep_for,
    };
    let prepared = match charges.provider.prepare(&charge, left()).await {
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
                tracing::warn!(attempt_id = attempt.id, "given up before the payment was made");
                return ProviderOutcome::Unknown;
            }
            Err(cause) => {
                tracing::error!(%cause, attempt_id = attempt.id, "a payment could not be noted, so it was not made");
                return ProviderOutcome::Unknown;
            }
        }
    }
    let called = Instant::now();
    let outcome = charges
        .provider
        .charge(&charge, prepared.reference.as_deref(), left())
        .instrument(tracing::info_span!(
            "provider",
            call = "charge",
            attempt_id = attempt.id
        ))
        .await;
    charges.metrics.count_provider_call("charge", called.elapsed());
    outcome
}

/// The names by which the provider knows an attempt's payment.
pub(super) fn payment_of(attempt: &Attempt) -> PaymentRef<'_> {
    PaymentRef {
        idempotency_key: &attempt.provider_key,
        reference: attempt.provider_reference.as_deref(),
    }
}
