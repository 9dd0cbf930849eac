//! What amounts provoke at the simulator, when a hold ends, and when a dispute begins. The test cards are in `cards.rs`.

use providers::simulator::payment::SimulatedStatus;

const HOUR_MS: i64 = 60 * 60 * 1_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// How long money is held.
pub const HOLD_DAYS: i64 = 7;
/// The same in milliseconds.
pub(super) const HOLD_MS: i64 = HOLD_DAYS * DAY_MS;

/// How long after the payment a dispute begins.
pub const DISPUTE_AFTER_DAYS: i64 = 3;
/// How long a dispute takes.
pub const DISPUTE_DAYS: i64 = 10;
/// The same in milliseconds.
pub(super) const DISPUTE_AFTER_MS: i64 = DISPUTE_AFTER_DAYS * DAY_MS;
pub(super) const DISPUTE_MS: i64 = DISPUTE_DAYS * DAY_MS;

/// What happens to refunds of some amounts. All others succeed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefundScenario {
    /// The last two digits of the amount in the currency's minor unit: 77 for 1.77 USD and for 177 JPY.
    pub last_digits: u64,
    /// What happens, for people.
    pub text: &'static str,
    first: RefundState,
    /// The state after this time.
    later: Option<(i64, RefundState)>,
}

/// The state of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefundState {
    Pending,
    Succeeded,
    Failed(&'static str),
}

/// Every scenario of refunds.
pub const REFUND_SCENARIOS: &[RefundScenario] = &[
    RefundScenario {
        last_digits: 77,
        text: "pending, succeeds after an hour",
        first: RefundState::Pending,
        later: Some((HOUR_MS, RefundState::Succeeded)),
    },
    RefundScenario {
        last_digits: 78,
        text: "succeeds, fails three days later: expired_or_canceled_card",
        first: RefundState::Succeeded,
        later: Some((3 * DAY_MS, RefundState::Failed("expired_or_canceled_card"))),
    },
    RefundScenario {
        last_digits: 79,
        text: "fails: insufficient_funds",
        first: RefundState::Failed("insufficient_funds"),
        later: None,
    },
];

/// The status of a refund of this many minor units, `age_ms` after it was asked for, and the code of a failure.
pub(super) fn refund_status(minor_units: u64, age_ms: i64) -> (SimulatedStatus, Option<&'static str>) {
    let scenario = REFUND_SCENARIOS
        .iter()
        .find(|scenario| scenario.last_digits == minor_units % 100);
    let state = scenario.map_or(RefundState::Succeeded, |scenario| match scenario.later {
        Some((after_ms, later)) if age_ms >= after_ms => later,
        _ => scenario.first,
    });
    match state {
        RefundState::Pending => (SimulatedStatus::Pending, None),
        RefundState::Succeeded => (SimulatedStatus::Succeeded, None),
        RefundState::Failed(code) => (SimulatedStatus::Failed, Some(code)),
    }
}

#[cfg(test)]
mod tests;
