//! The metrics of this process. Labels are words of our own: never a path, an id or anything else that a client sent.

use std::fmt;
use std::time::Duration;

use page::Pages;
use prometheus_client::encoding::{EncodeLabelSet, text::encode};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Metric, Registry, Unit};

use super::health_metrics::HealthMetrics;
use super::process_metrics::ProcessMetrics;
use web::Connections;

/// The bounds of durations, in seconds: from a file out of memory to a provider at its timeout.
const BUCKETS: [f64; 11] = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// The queues whose lengths the background check counts.
const QUEUES: [(&str, &str); 4] = [
    (
        "webhooks_waiting",
        "Webhook events that merchants have not accepted yet",
    ),
    ("attempts_open", "Attempts to pay whose outcome is not known yet"),
    (
        "operations_overdue",
        "Refunds, captures and releases without a result after ten minutes",
    ),
    (
        "holds_overdue",
        "Holds that should have been captured or have ended ten minutes ago",
    ),
];

/// The metrics of this process.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    request_seconds: Family<[(&'static str, String); 1], Histogram>,
    violations: Family<[(&'static str, &'static str); 1], Counter>,
    queue_lengths: [Gauge; 4],
    presses: Gauge,
    /// The metrics of alarms.
    pub(crate) health: HealthMetrics,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    /// Starts all counts at zero. `add_others` registers those of other rooms.
    pub(crate) fn new(
        pages: &Pages,
        connections: &Connections,
        add_others: impl FnOnce(&mut Registry),
    ) -> Self {
        let mut whole = Registry::default();
        let process = ProcessMetrics::new(&mut whole);
        let registry = whole.sub_registry_with_prefix("cardform");
        let health = HealthMetrics::new(registry, process);
        let build = [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("page", pages.assets().build_id.clone()),
        ];
        registry.register("build", "The running version", Info::new(build.to_vec()));
        let (asked, rendered) = pages.counters();
        registry.register("pages", "Requested pages", asked);
        registry.register(
            "pages_rendered",
            "Pages rendered by React; the others came from the cache",
            rendered,
        );
        connections.register(registry);
        add_others(registry);
        registry.register(
            "log_lines_dropped",
            "Log lines that were dropped because the log was not read fast enough",
            crate::telemetry::DROPPED.clone(),
        );
        let request_seconds = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        registry.register_with_unit(
            "request",
            "How long requests took",
            Unit::Seconds,
            request_seconds.clone(),
        );
        let mut metrics = MetricMaker(registry);
        Self {
            requests: metrics.plain("requests", "Answered requests"),
            request_seconds,
            violations: metrics.plain(
                "csp_violations",
                "Violations of the page's policy that browsers reported",
            ),
            queue_lengths: QUEUES.map(|(name, help)| metrics.plain(name, help)),
            presses: metrics.plain("presses", "Presses of the pay button under way in this process"),
            health,
            registry: whole,
        }
    }

    /// Counts an answered request. `route` is the pattern in our routes, and `method` one of the words for methods that
    /// are known, so there are few of both.
    pub(crate) fn count_request(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        let route = route.to_owned();
        self.request_seconds
            .get_or_create(&[("route", route.clone())])
            .observe(took.as_secs_f64());
        let labels = RequestLabels {
            method,
            route,
            status,
        };
        self.requests.get_or_create(&labels).inc();
    }

    /// Counts a policy violation that a browser reported.
    pub(crate) fn count_violation(&self, directive: &'static str) {
        self.violations.get_or_create(&[("directive", directive)]).inc();
    }

    /// Sets how many presses of the pay button are being handled in this process.
    pub(crate) fn set_presses(&self, presses: usize) {
        self.presses.set(i64::try_from(presses).unwrap_or(i64::MAX));
    }

    /// Sets the lengths of [`QUEUES`].
    pub(crate) fn set_queue_lengths(&self, lengths: [i64; 4]) {
        for (gauge, length) in self.queue_lengths.iter().zip(lengths) {
            gauge.set(length);
        }
    }

    /// All metrics in Prometheus' text format.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// Makes and registers metrics.
pub(super) struct MetricMaker<'a>(pub(super) &'a mut Registry);

impl MetricMaker<'_> {
    pub(super) fn plain<M: Metric + Clone + Default>(&mut self, name: &str, help: &str) -> M {
        let metric = M::default();
        self.0.register(name, help, metric.clone());
        metric
    }

    pub(super) fn in_seconds<M: Metric + Clone + Default>(&mut self, name: &str, help: &str) -> M {
        let metric = M::default();
        self.0
            .register_with_unit(name, help, Unit::Seconds, metric.clone());
        metric
    }
}
