//! The metrics of events. Their labels are fixed words, never texts that were sent.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The counters of this process. A clone counts into the same counters.
#[derive(Debug, Clone, Default)]
pub struct EventCounts {
    accepted: Family<Label, Counter>,
    dropped: Family<Label, Counter>,
    masked: Counter,
    sink_errors: Counter,
    waiting: Gauge,
}

/// The one label of a metric: its name and its value.
type Label = [(&'static str, &'static str); 1];

/// Why an event was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// It was the oldest in the log, and the log was full.
    NoRoom,
    /// Too many events were waiting when it came. The answer said so.
    Busy,
    /// Neither the database nor Kafka accepted it. The answer said so.
    NotKept,
    /// Kafka will never accept it.
    RefusedByKafka,
    /// It waited for Kafka longer than events are kept.
    TooOld,
}

impl Dropped {
    const ALL: [Self; 5] = [
        Self::NoRoom,
        Self::Busy,
        Self::NotKept,
        Self::RefusedByKafka,
        Self::TooOld,
    ];

    fn label(self) -> Label {
        let reason = match self {
            Self::NoRoom => "no_room",
            Self::Busy => "busy",
            Self::NotKept => "not_kept",
            Self::RefusedByKafka => "refused_by_kafka",
            Self::TooOld => "too_old",
        };
        [("reason", reason)]
    }
}

impl EventCounts {
    /// Adds these counts to the metrics.
    pub fn register(&self, registry: &mut Registry) {
        for why in Dropped::ALL {
            drop(self.dropped.get_or_create(&why.label()));
        }
        registry.register("events", "Accepted events, by type", self.accepted.clone());
        registry.register("events_dropped", "Lost events, by reason", self.dropped.clone());
        registry.register(
            "events_masked",
            "Events in which a text like a card number was masked",
            self.masked.clone(),
        );
        registry.register(
            "event_sink_errors",
            "How often storing events in the database or Kafka failed",
            self.sink_errors.clone(),
        );
        registry.register(
            "events_waiting",
            "Events that wait to be sent to Kafka",
            self.waiting.clone(),
        );
    }

    /// Sets how many events wait for Kafka.
    pub fn set_waiting(&self, events: i64) {
        self.waiting.set(events);
    }

    pub(super) fn accepted(&self, kind: &'static str) {
        self.accepted.get_or_create(&[("type", kind)]).inc();
    }

    /// Counts lost events.
    pub fn dropped(&self, why: Dropped, events: u64) {
        self.dropped.get_or_create(&why.label()).inc_by(events);
    }

    /// How many events this process has lost because the log was full, too many were waiting, or no sink accepted
    /// them.
    pub(crate) fn lost(&self) -> u64 {
        let reasons = [Dropped::NoRoom, Dropped::Busy, Dropped::NotKept];
        let lost = reasons.map(|why| self.dropped.get_or_create(&why.label()).get());
        lost.iter().sum()
    }

    pub(super) fn count_masked(&self) {
        self.masked.inc();
    }

    pub(super) fn sink_failed(&self) {
        self.sink_errors.inc();
    }
}
