//! Brings back the payments that the provider knows and a restored database does not (docs/backup.md#after-a-restore).

use std::time::Duration;

use protocol::ListedPayment;
use protocol::clock::{Clock, rfc3339};
use providers::{ListError, Provider};
use serde::Serialize;
use store::{AttemptStep, BroughtBack, FinishOutcome, StepKind, Store, StoreError};
use thiserror::Error;

/// How long the provider may take for one page of its list.
const PAGE_TIMEOUT: Duration = Duration::from_secs(30);
/// The list begins so much earlier, in milliseconds: the provider's clock may differ, and an attempt begins before its
/// payment.
const MARGIN_MS: i64 = 15 * 60 * 1_000;

/// The payments that were brought back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Recovery {
    /// The beginning of the provider's list, RFC 3339.
    pub since: String,
    /// How many payments the provider has since then.
    pub payments: usize,
    /// How many of them changed nothing.
    pub known: usize,
    /// How many outcomes of known attempts were recorded.
    pub outcomes: usize,
    /// How many attempts were brought back.
    pub attempts: usize,
    /// How many charges were brought back with them.
    pub charges: usize,
    /// How many payments have no outcome yet; the running service asks for it.
    pub open: usize,
    /// Payments that took money although their charge is paid otherwise or ended: a person must refund them.
    pub refund: Vec<PaymentToCheck>,
    /// Payments of merchants that are not known here: a person must look at them.
    pub no_merchant: Vec<PaymentToCheck>,
}

/// A payment for a person to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PaymentToCheck {
    /// The charge.
    pub charge_id: String,
    /// The idempotency key that the provider got.
    pub provider_key: String,
    /// The provider's reference.
    pub reference: Option<String>,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
}

/// Why not everything was brought back. Payments stay closed; it can be tried again.
#[derive(Debug, Error)]
pub enum RecoveryError {
    /// The provider's list cannot be read.
    #[error(transparent)]
    List(#[from] ListError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Brings back the payments since `since`, in unix milliseconds. It may be interrupted and repeated. No node may serve
/// payments meanwhile, so payments must be closed or the nodes stopped.
pub async fn recover(
    store: &Store,
    provider: &Provider,
    clock: &Clock,
    since: i64,
) -> Result<Recovery, RecoveryError> {
    let (_, oldest_open) = store.attempt_times().await?;
    let from = oldest_open.map_or(since, |oldest| oldest.min(since)) - MARGIN_MS;
    let listed = provider.payments_since(from, PAGE_TIMEOUT).await?;
    let mut recovery = Recovery {
        since: rfc3339(from),
        payments: listed.len(),
        ..Recovery::default()
    };
    for payment in listed {
        bring_back(store, clock, payment, &mut recovery).await?;
    }
    Ok(recovery)
}

async fn bring_back(
    store: &Store,
    clock: &Clock,
    payment: ListedPayment,
    recovery: &mut Recovery,
) -> Result<(), StoreError> {
    let brought = store.bring_back(&payment, clock.now_ms()).await?;
    let is_known = matches!(brought, BroughtBack::Known(_));
    let attempt = match brought {
        BroughtBack::Known(attempt) => attempt,
        BroughtBack::Attempt(attempt) => {
            recovery.attempts += 1;
            attempt
        }
        BroughtBack::Charge(attempt) => {
            recovery.attempts += 1;
            recovery.charges += 1;
            attempt
        }
        BroughtBack::NotNeeded => {
            recovery.known += 1;
            return Ok(());
        }
        BroughtBack::Refund => {
            recovery.refund.push(to_check(payment));
            return Ok(());
        }
        BroughtBack::NoMerchant => {
            recovery.no_merchant.push(to_check(payment));
            return Ok(());
        }
    };
    let Some(outcome) = &payment.outcome else {
        recovery.open += 1;
        return Ok(());
    };
    let now_ms = clock.now_ms();
    let step = AttemptStep::moment(StepKind::BroughtBack, now_ms);
    match store.finish_attempt(&attempt, outcome, &[step], now_ms).await? {
        FinishOutcome::Before => recovery.known += 1,
        FinishOutcome::Recorded | FinishOutcome::RecordedWithoutEvent | FinishOutcome::ApprovedLate => {
            recovery.outcomes += usize::from(is_known);
        }
        FinishOutcome::ApprovedTooLate => recovery.refund.push(to_check(payment)),
    }
    Ok(())
}

fn to_check(payment: ListedPayment) -> PaymentToCheck {
    PaymentToCheck {
        charge_id: payment.charge_id,
        provider_key: payment.provider_key,
        reference: payment.reference,
        amount_value: payment.amount_value,
        amount_currency: payment.amount_currency,
    }
}
