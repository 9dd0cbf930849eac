//! The metrics of an operator's alarms: the database, the age of queues, limits that were hit, and the process itself.
//! Reading them is immediate, because a background check writes the metrics of the database.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use store::{AttemptState, DatabaseWork, OpenAttempts, PoolState, database_errors};

use super::metrics::MetricMaker;
use super::process_metrics::ProcessMetrics;
use web::LIMITS_HIT;

/// In seconds: a durable write to a healthy database takes a few milliseconds, and is given up after one second.
const WRITE_BUCKETS: [f64; 9] = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0];
/// The states in which an attempt is open.
const OPEN_STATES: [AttemptState; 3] = [
    AttemptState::InFlight,
    AttemptState::OutcomeUnknown,
    AttemptState::WaitingForShopperAction,
];

/// The time of an empty queue.
const NOTHING_WAITS: i64 = i64::MAX;

/// The one label of a metric: its name and its value.
type Label = [(&'static str, &'static str); 1];

/// A metric that has a value only where there is something to measure.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct NoLabels {}

/// The metrics.
#[derive(Debug)]
pub(crate) struct HealthMetrics {
    ready: Gauge,
    database_write_seconds: Histogram,
    /// Statements, round trips and commits.
    database_work: [Counter; 3],
    database_errors: Family<Label, Counter>,
    connections: Family<Label, Gauge>,
    connections_waiting: Gauge,
    connections_max: Gauge,
    attempts_oldest: Family<Label, Gauge>,
    webhooks_oldest: Gauge,
    /// Since when the oldest attempt of each open state waits, in unix milliseconds. Ages are computed when metrics are
    /// read, so that they grow while the database does not answer.
    attempts_since: [AtomicI64; 3],
    webhooks_since: AtomicI64,
    certificate_end: Family<NoLabels, Gauge>,
    process: ProcessMetrics,
}

impl HealthMetrics {
    /// Registers them.
    pub(super) fn new(registry: &mut Registry, process: ProcessMetrics) -> Self {
        let database_write_seconds = Histogram::new(WRITE_BUCKETS);
        registry.register_with_unit(
            "database_write",
            "How long the check's durable write to the database took; it is made every second",
            Unit::Seconds,
            database_write_seconds.clone(),
        );
        registry.register(
            "limits_hit",
            "Requests that were refused for a limit, by limit",
            LIMITS_HIT.clone(),
        );
        let mut metrics = MetricMaker(registry);
        Self {
            ready: metrics.plain("ready", "1 while this node can serve (/readyz)"),
            database_write_seconds,
            database_work: [
                metrics.plain("database_statements", "Statements sent to the database"),
                metrics.plain("database_round_trips", "Round trips to PostgreSQL; 0 on SQLite"),
                metrics.plain(
                    "database_commits",
                    "Commits written to SQLite's disk; 0 on PostgreSQL",
                ),
            ],
            database_errors: metrics.plain(
                "database_errors",
                "Statements and commits that failed, by kind; a conflict is retried",
            ),
            connections: metrics.plain("database_connections", "Connections to the database, by state"),
            connections_waiting: metrics.plain(
                "database_connections_waiting",
                "Statements and transactions that wait for a connection to the database",
            ),
            connections_max: metrics.plain(
                "database_connections_max",
                "How many connections to the database there may be",
            ),
            attempts_oldest: metrics.in_seconds(
                "attempts_oldest",
                "How long ago the oldest open attempt to pay began, by its state; 0 without one",
            ),
            webhooks_oldest: metrics.in_seconds(
                "webhooks_oldest",
                "How long the oldest webhook event waits for its merchant; 0 without one",
            ),
            attempts_since: [const { AtomicI64::new(NOTHING_WAITS) }; 3],
            webhooks_since: AtomicI64::new(NOTHING_WAITS),
            certificate_end: metrics.plain(
                "certificate_end_timestamp_seconds",
                "When the certificate of our https ends, in seconds since 1970; absent without one",
            ),
            process,
        }
    }

    /// Sets the database's work so far.
    pub(crate) fn set_database_work(&self, work: DatabaseWork) {
        let so_far = [work.statements, work.round_trips, work.commits];
        for (counter, so_far) in self.database_work.iter().zip(so_far) {
            counter.inner().store(so_far, Ordering::Relaxed);
        }
    }

    /// Notes whether the node can serve.
    pub(crate) fn set_ready(&self, is_ready: bool) {
        self.ready.set(i64::from(is_ready));
    }

    /// Notes how long the check's durable write took.
    pub(crate) fn note_database_write(&self, took: Duration) {
        self.database_write_seconds.observe(took.as_secs_f64());
    }

    /// Notes since when attempts and webhook events wait.
    pub(crate) fn set_waiting_since(&self, attempts: &[OpenAttempts], webhooks: Option<i64>) {
        for (state, since) in OPEN_STATES.iter().zip(&self.attempts_since) {
            let oldest = attempts.iter().find(|open| open.state == *state);
            since.store(
                oldest.map_or(NOTHING_WAITS, |open| open.oldest),
                Ordering::Relaxed,
            );
        }
        self.webhooks_since
            .store(webhooks.unwrap_or(NOTHING_WAITS), Ordering::Relaxed);
    }

    /// Notes when the certificate ends, in seconds since 1970.
    pub(crate) fn set_certificate_end(&self, seconds: i64) {
        self.certificate_end.get_or_create(&NoLabels {}).set(seconds);
    }

    /// Sets the metrics that need no query to the database.
    pub(crate) fn refresh(&self, pool: PoolState, now_ms: i64) {
        let gauge = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        for (state, connections) in [("in_use", pool.in_use), ("idle", pool.idle)] {
            self.connections
                .get_or_create(&[("state", state)])
                .set(gauge(connections));
        }
        self.connections_waiting.set(gauge(pool.waiting));
        self.connections_max.set(gauge(pool.max));
        let age = |since: &AtomicI64| match since.load(Ordering::Relaxed) {
            NOTHING_WAITS => 0,
            since => now_ms.saturating_sub(since).max(0) / 1_000,
        };
        for (state, since) in OPEN_STATES.iter().zip(&self.attempts_since) {
            let label = [("state", (*state).into())];
            self.attempts_oldest.get_or_create(&label).set(age(since));
        }
        self.webhooks_oldest.set(age(&self.webhooks_since));
        for (kind, errors) in database_errors() {
            let counter = self.database_errors.get_or_create(&[("kind", kind)]);
            counter.inner().store(errors, Ordering::Relaxed);
        }
        self.process.refresh();
    }
}
