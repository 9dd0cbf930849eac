//! The metrics of charges. Their labels are fixed words, never texts that were sent.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use protocol::DeclineCode;

/// Counts cards, attempts to pay, and declines. Clones share their counts.
#[derive(Debug, Clone, Default)]
pub struct ChargeCounts {
    cards: Family<CardFormLabel, Counter>,
    attempts: Family<OutcomeLabel, Counter>,
    declines: Family<CodeLabel, Counter>,
    last_reconciliation: Family<NoLabels, Gauge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CardFormLabel {
    came: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CodeLabel {
    code: &'static str,
}

/// The time of a reconciliation has a value only after the first one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct NoLabels {}

/// The outcome of an attempt to pay, as it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountedOutcome {
    /// The provider accepted the card.
    Succeeded,
    /// The provider declined the card.
    Declined,
    /// The provider's answer was lost. The real outcome is counted when it is known.
    Lost,
}

impl CountedOutcome {
    const ALL: [Self; 3] = [Self::Succeeded, Self::Declined, Self::Lost];

    fn label(self) -> OutcomeLabel {
        let outcome = match self {
            Self::Succeeded => "succeeded",
            Self::Declined => "declined",
            Self::Lost => "lost",
        };
        OutcomeLabel { outcome }
    }
}

impl ChargeCounts {
    /// Registers them; attempts and declines begin at zero.
    pub fn register(&self, registry: &mut Registry) {
        for outcome in CountedOutcome::ALL {
            drop(self.attempts.get_or_create(&outcome.label()));
        }
        for code in DeclineCode::ALL {
            drop(self.declines.get_or_create(&CodeLabel { code: code.as_str() }));
        }
        registry.register(
            "cards",
            "Cards in direct charges, by how they were sent",
            self.cards.clone(),
        );
        registry.register("attempts", "Attempts to pay, by outcome", self.attempts.clone());
        registry.register(
            "declines",
            "Declined attempts to pay, by code",
            self.declines.clone(),
        );
        registry.register(
            "reconciliation_last_success_timestamp_seconds",
            "When the provider was last asked for lost outcomes and could be reached, in seconds since 1970",
            self.last_reconciliation.clone(),
        );
    }

    /// Counts a card in a direct charge, which was `sealed` or `plain`.
    pub(super) fn card(&self, came: &'static str) {
        self.cards.get_or_create(&CardFormLabel { came }).inc();
    }

    /// Counts the outcome of an attempt.
    pub(super) fn attempt(&self, outcome: CountedOutcome) {
        self.attempts.get_or_create(&outcome.label()).inc();
    }

    /// Counts a declined attempt by its code.
    pub(super) fn decline(&self, code: DeclineCode) {
        let code = code.as_str();
        self.declines.get_or_create(&CodeLabel { code }).inc();
    }

    /// Notes a reconciliation that reached the provider, in seconds since 1970.
    pub(super) fn reconciled(&self, seconds: i64) {
        self.last_reconciliation.get_or_create(&NoLabels {}).set(seconds);
    }
}
