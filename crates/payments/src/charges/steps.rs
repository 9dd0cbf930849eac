//! The steps of an attempt for its charge's story: each call to the provider, and each act of the shopper.

use protocol::clock::{Clock, millis};
use providers::{PaymentLookup, Preparation, ProviderOutcome};
use store::{AttemptStep, StepKind};
use tokio::time::Instant;

/// Makes a call to the provider and adds its step. `word` says how it ended.
pub(super) async fn with_step<T>(
    steps: &mut Vec<AttemptStep>,
    clock: &Clock,
    what: StepKind,
    word: fn(&T) -> &'static str,
    call: impl Future<Output = T>,
) -> T {
    let begun = Instant::now();
    let answer = call.await;
    steps.push(AttemptStep {
        at: clock.now_ms(),
        what,
        result: word(&answer).into(),
        took_ms: millis(begun.elapsed()),
    });
    answer
}

/// The word for how a preparation ended.
pub(super) fn preparation_word(preparation: &Preparation) -> &'static str {
    match preparation {
        Preparation::Ready(_) => "ready",
        Preparation::Refused(_) => "declined",
    }
}

/// The word for the outcome of a payment.
pub(super) fn outcome_word(outcome: &ProviderOutcome) -> &'static str {
    match outcome {
        ProviderOutcome::Approved(_) => "approved",
        ProviderOutcome::Declined(_) => "declined",
        ProviderOutcome::ActionRequired(_) => "action_required",
        ProviderOutcome::Unknown => "unknown",
    }
}

/// The word for the provider's answer about a payment.
pub(super) fn lookup_word(answer: &PaymentLookup) -> &'static str {
    match answer {
        PaymentLookup::Known(outcome) => outcome_word(outcome),
        PaymentLookup::NeverReceived => "never_received",
        PaymentLookup::Unreachable => "unreachable",
    }
}
