//! The metrics of charges. Their labels are fixed words, never texts that were sent.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use protocol::{AttemptOutcome, DeclineCode, OperationKind, OperationStatus};

/// Counts cards, attempts to pay, and declines. Clones share their counts.
#[derive(Debug, Clone, Default)]
pub struct ChargeCounts {
    cards: Family<Labels<1>, Counter>,
    attempts: Family<Labels<1>, Counter>,
    declines: Family<Labels<1>, Counter>,
    operations: Family<Labels<2>, Counter>,
    last_reconciliation: Gauge,
}

/// The labels of a metric: their names and values.
type Labels<const N: usize> = [(&'static str, &'static str); N];

/// The outcomes that are counted. After `lost` the real outcome is counted, too, when it is known.
const OUTCOMES: [&str; 3] = ["succeeded", "declined", "lost"];

impl ChargeCounts {
    /// Registers them; attempts and declines begin at zero.
    pub fn register(&self, registry: &mut Registry) {
        for outcome in OUTCOMES {
            drop(self.attempts.get_or_create(&[("outcome", outcome)]));
        }
        for code in DeclineCode::ALL {
            drop(self.declines.get_or_create(&[("code", code.as_str())]));
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
            "operations",
            "Refunds, captures and releases, by each status that they got",
            self.operations.clone(),
        );
        registry.register(
            "reconciliation_last_success_timestamp_seconds",
            "When the provider was last asked for lost outcomes and could be reached, or else the start, in seconds since 1970",
            self.last_reconciliation.clone(),
        );
    }

    /// Counts a card in a direct charge, which was `sealed` or `plain`.
    pub(super) fn card(&self, came: &'static str) {
        self.cards.get_or_create(&[("came", came)]).inc();
    }

    /// Counts the outcome of an attempt, and a decline by its code.
    pub(super) fn outcome(&self, outcome: &AttemptOutcome) {
        match outcome {
            AttemptOutcome::Succeeded(_) => self.attempt("succeeded"),
            AttemptOutcome::Declined(reason) => {
                self.attempt("declined");
                self.declines
                    .get_or_create(&[("code", reason.code.as_str())])
                    .inc();
            }
        }
    }

    /// Counts an operation that has got this status.
    pub(crate) fn operation(&self, kind: OperationKind, status: OperationStatus) {
        let labels = [("kind", kind.as_str()), ("status", status.as_str())];
        self.operations.get_or_create(&labels).inc();
    }

    /// Counts a lost answer of the provider.
    pub(super) fn lost_answer(&self) {
        self.attempt("lost");
    }

    fn attempt(&self, outcome: &'static str) {
        self.attempts.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Notes a reconciliation that reached the provider, or the start before it, in seconds since 1970.
    pub fn reconciled(&self, seconds: i64) {
        self.last_reconciliation.set(seconds);
    }
}
