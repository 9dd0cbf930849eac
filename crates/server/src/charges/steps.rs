//! The steps of an attempt for its charge's story: each call to the provider, and what the shopper did.

use std::time::Duration;

use model::clock::{Clock, millis};
use providers::{PaymentLookup, Preparation, ProviderOutcome};
use store::{AttemptStep, StepKind};
use tokio::time::Instant;

/// A call to the provider that has begun.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProviderCallBegun(Instant);

impl ProviderCallBegun {
    /// It begins now.
    pub(super) fn now() -> Self {
        Self(Instant::now())
    }

    /// How long it has taken so far.
    pub(super) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// The step, as the call ends now with this result.
    pub(super) fn ended(self, what: StepKind, result: &'static str, clock: &Clock) -> AttemptStep {
        AttemptStep {
            at: clock.now_ms(),
            what,
            result: result.into(),
            took_ms: millis(self.elapsed()),
        }
    }
}

/// The word for what came of a preparation.
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

/// The word for what the provider says about a payment.
pub(super) fn lookup_word(answer: &PaymentLookup) -> &'static str {
    match answer {
        PaymentLookup::Known(outcome) => outcome_word(outcome),
        PaymentLookup::NeverReceived => "never_received",
        PaymentLookup::Unreachable => "unreachable",
    }
}
