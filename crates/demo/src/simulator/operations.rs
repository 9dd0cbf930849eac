//! Refunds, captures and releases of payments: one entry per idempotency key, in a file of their own. Sums are exact, in
//! the currency's minor unit.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::OperationKind;
use protocol::clock::rfc3339;
use providers::HOLD_ENDED;
use providers::simulator::payment::{AskedOperation, HoldState, Operation, PaymentOutcome, SimulatedStatus};
use rules::amount::{minor_units, minor_units_text};
use serde::{Deserialize, Serialize};

use super::journal::{Journal, JournalEntry, JournalError};
use super::ledger::Entry;
use super::scenarios::refund_status;

/// The file of the operations in the data directory.
pub(super) const OPERATIONS_FILE: &str = "operations.jsonl";

/// More than is held, or more than is left of what was captured.
const AMOUNT_TOO_LARGE: &str = "amount_too_large";
/// A refund of money that was not taken.
const NOT_CAPTURED: &str = "not_captured";
/// A second capture, or the release of captured money.
const ALREADY_CAPTURED: &str = "already_captured";
/// The money was never held: it was taken at once, or the card was declined.
const NOT_HELD: &str = "not_held";

/// An operation as it was received, and whether it was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationEntry {
    /// What was asked for.
    #[serde(flatten)]
    pub asked: AskedOperation,
    /// When it was received, in unix milliseconds.
    pub at: i64,
    /// Why it was refused.
    pub refused: Option<String>,
}

impl JournalEntry for OperationEntry {
    fn key(&self) -> &str {
        &self.asked.idempotency_key
    }
}

impl OperationEntry {
    /// The operation in its state at this time.
    pub(super) fn at(&self, now_ms: i64) -> Operation {
        let (status, failure_code) = self.status(now_ms);
        Operation {
            reference: format!("sim_{}", self.asked.idempotency_key),
            asked: self.asked.clone(),
            status,
            failure_code: failure_code.map(str::to_owned),
            at: rfc3339(self.at),
        }
    }

    fn status(&self, now_ms: i64) -> (SimulatedStatus, Option<&str>) {
        match (&self.refused, self.asked.kind) {
            (Some(code), _) => (SimulatedStatus::Failed, Some(code)),
            (None, OperationKind::Refund) => refund_status(self.minor_units(), now_ms - self.at),
            (None, OperationKind::Capture | OperationKind::Release) => (SimulatedStatus::Succeeded, None),
        }
    }

    fn minor_units(&self) -> u64 {
        minor_units(&self.asked.amount_value, &self.asked.amount_currency).unwrap_or_default()
    }
}

/// The operations of all payments.
#[derive(Debug)]
pub struct Operations {
    journal: Journal<OperationEntry>,
    /// The entries of each payment. Locked while one is added, so that two never take the same money.
    by_payment: Mutex<HashMap<String, Vec<OperationEntry>>>,
}

impl Operations {
    /// Operations that are lost when the process ends.
    pub(super) fn in_memory() -> Self {
        Self::with(Journal::in_memory())
    }

    /// The operations in this file, which is created if it is missing.
    pub(super) fn open(path: &Path) -> Result<Self, JournalError> {
        Ok(Self::with(Journal::open(path)?))
    }

    fn with(journal: Journal<OperationEntry>) -> Self {
        let mut by_payment: HashMap<String, Vec<OperationEntry>> = HashMap::new();
        for entry in journal.entries_where(|_| true) {
            by_payment
                .entry(entry.asked.payment_key.clone())
                .or_default()
                .push(entry);
        }
        Self {
            journal,
            by_payment: Mutex::new(by_payment),
        }
    }

    /// The operation with this key.
    pub fn find(&self, key: &str) -> Option<OperationEntry> {
        self.journal.find(key)
    }

    /// Every operation, oldest first.
    pub fn entries(&self) -> Vec<OperationEntry> {
        self.journal.entries_where(|_| true)
    }

    /// Adds an operation of this payment, refused if the payment does not allow it. A known key gets its first entry.
    pub(super) fn add(
        &self,
        payment: &Entry,
        mut operation: OperationEntry,
    ) -> Result<OperationEntry, JournalError> {
        let mut by_payment = self.locked();
        let known = by_payment.entry(operation.asked.payment_key.clone()).or_default();
        let key = operation.asked.idempotency_key.clone();
        let mut is_new = false;
        let entry = self.journal.entry(&key, || {
            is_new = true;
            let money = Money::of(payment, known, operation.at);
            operation.refused = money
                .refusal(operation.asked.kind, operation.minor_units())
                .map(str::to_owned);
            operation
        })?;
        if is_new {
            known.push(entry.clone());
        }
        Ok(entry)
    }

    /// The money of a payment at this time.
    pub(super) fn money(&self, payment: &Entry, now_ms: i64) -> Money {
        let by_payment = self.locked();
        let known = by_payment.get(&payment.asked.idempotency_key);
        Money::of(payment, known.map_or(&[], Vec::as_slice), now_ms)
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<String, Vec<OperationEntry>>> {
        self.by_payment.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the money of a payment is, in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Money {
    /// What the payment is for.
    amount: u64,
    /// What was taken.
    captured: u64,
    /// What was given back, or may be: a pending refund counts.
    refunded: u64,
    /// Absent if the money was never held.
    pub(super) hold: Option<HoldState>,
}

impl Money {
    fn of(payment: &Entry, known: &[OperationEntry], now_ms: i64) -> Self {
        let counted = |kind: OperationKind| {
            known.iter().filter(move |entry| {
                entry.asked.kind == kind && entry.status(now_ms).0 != SimulatedStatus::Failed
            })
        };
        let amount =
            minor_units(&payment.asked.amount_value, &payment.asked.amount_currency).unwrap_or_default();
        let capture = counted(OperationKind::Capture).next();
        let hold = (payment.outcome == PaymentOutcome::Authorized).then(|| {
            if capture.is_some() {
                HoldState::Captured
            } else if counted(OperationKind::Release).next().is_some() {
                HoldState::Released
            } else if payment.hold_ends_at.is_some_and(|ends_at| now_ms >= ends_at) {
                HoldState::Ended
            } else {
                HoldState::Held
            }
        });
        Self {
            amount,
            captured: match payment.outcome {
                PaymentOutcome::Approved => amount,
                PaymentOutcome::Authorized => capture.map_or(0, OperationEntry::minor_units),
                PaymentOutcome::Declined | PaymentOutcome::Pending => 0,
            },
            refunded: counted(OperationKind::Refund)
                .map(OperationEntry::minor_units)
                .sum(),
            hold,
        }
    }

    /// Why an operation of this many minor units is refused.
    fn refusal(self, kind: OperationKind, minor_units: u64) -> Option<&'static str> {
        match (kind, self.hold) {
            (OperationKind::Refund, _) if self.captured == 0 => Some(NOT_CAPTURED),
            (OperationKind::Refund, _) => {
                (minor_units > self.captured.saturating_sub(self.refunded)).then_some(AMOUNT_TOO_LARGE)
            }
            (OperationKind::Capture | OperationKind::Release, None) => Some(NOT_HELD),
            (_, Some(HoldState::Captured)) => Some(ALREADY_CAPTURED),
            (_, Some(HoldState::Released | HoldState::Ended)) => Some(HOLD_ENDED),
            (OperationKind::Capture, Some(HoldState::Held)) => {
                (minor_units > self.amount).then_some(AMOUNT_TOO_LARGE)
            }
            (OperationKind::Release, Some(HoldState::Held)) => None,
        }
    }

    /// What was taken, as a decimal number.
    pub(super) fn captured_text(self, currency: &str) -> String {
        minor_units_text(self.captured, currency)
    }

    /// What is still held, as a decimal number.
    pub(super) fn capturable_text(self, currency: &str) -> String {
        let is_held = self.hold == Some(HoldState::Held);
        minor_units_text(if is_held { self.amount } else { 0 }, currency)
    }

    /// What was given back, as a decimal number.
    pub(super) fn refunded_text(self, currency: &str) -> String {
        minor_units_text(self.refunded, currency)
    }
}

#[cfg(test)]
mod tests;
