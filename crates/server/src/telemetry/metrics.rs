//! The metrics of this process. Labels are words of our own: never a path, an id or anything else that a client sent.

use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use page::Pages;
use prometheus_client::encoding::{EncodeLabelSet, text::encode};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use wire::DeclineCode;

use super::health_metrics::HealthMetrics;
use super::process_metrics::ProcessMetrics;
use crate::events::EventCounts;
use crate::http::connections::Connections;

/// The bounds of durations, in seconds: from a file out of memory to a provider at its timeout.
const BUCKETS: [f64; 11] = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// The metrics of this process.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    request_seconds: Family<RouteLabel, Histogram>,
    violations: Family<DirectiveLabel, Counter>,
    cards: Family<CardFormLabel, Counter>,
    attempts: Family<OutcomeLabel, Counter>,
    declines: Family<CodeLabel, Counter>,
    provider_seconds: Family<CallLabel, Histogram>,
    webhooks_waiting: Gauge,
    attempts_open: Gauge,
    presses: Gauge,
    /// What an operator is alarmed by.
    pub(crate) health: HealthMetrics,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabel {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DirectiveLabel {
    directive: &'static str,
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

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabel {
    call: &'static str,
}

/// The outcome of an attempt to pay, as it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountedOutcome {
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

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    /// Starts all counts at zero; also registers those of pages, events and connections.
    pub(crate) fn new(pages: &Pages, events: &EventCounts, connections: &Connections) -> Self {
        let mut whole = Registry::default();
        let process = ProcessMetrics::new(&mut whole);
        let registry = whole.sub_registry_with_prefix("cardform");
        let health = HealthMetrics::new(registry, process);
        let build = [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("page", pages.assets().build_id.clone()),
        ];
        registry.register("build", "The running version", Info::new(build.to_vec()));
        let requests = Family::default();
        registry.register("requests", "Answered requests", requests.clone());
        let request_seconds = seconds("request", "How long requests took", registry);
        let violations = Family::default();
        registry.register(
            "csp_violations",
            "Violations of the page's policy that browsers reported",
            violations.clone(),
        );
        let cards = Family::default();
        registry.register(
            "cards",
            "Cards in direct charges, by how they were sent",
            cards.clone(),
        );
        let (asked, rendered) = pages.counters();
        registry.register("pages", "Requested pages", asked);
        registry.register(
            "pages_rendered",
            "Pages rendered by React; the others came from the cache",
            rendered,
        );
        events.register(registry);
        connections.register(registry);
        registry.register(
            "log_lines_dropped",
            "Log lines that were dropped because the log was not read fast enough",
            crate::telemetry::DROPPED.clone(),
        );
        let attempts: Family<OutcomeLabel, Counter> = Family::default();
        for outcome in CountedOutcome::ALL {
            drop(attempts.get_or_create(&outcome.label()));
        }
        registry.register("attempts", "Attempts to pay, by outcome", attempts.clone());
        let declines: Family<CodeLabel, Counter> = Family::default();
        for code in DeclineCode::ALL {
            drop(declines.get_or_create(&CodeLabel { code: code.as_str() }));
        }
        registry.register("declines", "Declined attempts to pay, by code", declines.clone());
        let provider_seconds = seconds("provider", "How long calls to the provider took", registry);
        let gauge = |name: &str, help: &str, registry: &mut Registry| {
            let gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let webhooks_waiting = gauge(
            "webhooks_waiting",
            "Webhook events that merchants have not accepted yet",
            registry,
        );
        let attempts_open = gauge(
            "attempts_open",
            "Attempts to pay whose outcome is not known yet",
            registry,
        );
        let presses = gauge(
            "presses",
            "Presses of the pay button under way in this process",
            registry,
        );
        Self {
            registry: whole,
            requests,
            request_seconds,
            violations,
            cards,
            attempts,
            declines,
            provider_seconds,
            webhooks_waiting,
            attempts_open,
            presses,
            health,
        }
    }

    /// Counts an answered request. `route` is the pattern in our routes, and `method` one of the words for methods that
    /// are known, so there are few of both.
    pub(crate) fn count_request(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        let route = route.to_owned();
        let label = RouteLabel { route: route.clone() };
        self.request_seconds
            .get_or_create(&label)
            .observe(took.as_secs_f64());
        let labels = RequestLabels {
            method,
            route,
            status,
        };
        self.requests.get_or_create(&labels).inc();
    }

    /// Counts a card in a direct charge, which was `sealed` or `plain`.
    pub(crate) fn count_card(&self, came: &'static str) {
        self.cards.get_or_create(&CardFormLabel { came }).inc();
    }

    /// Counts a policy violation that a browser reported.
    pub(crate) fn count_violation(&self, directive: &'static str) {
        self.violations.get_or_create(&DirectiveLabel { directive }).inc();
    }

    /// Counts the outcome of an attempt.
    pub(crate) fn count_attempt(&self, outcome: CountedOutcome) {
        self.attempts.get_or_create(&outcome.label()).inc();
    }

    /// Counts a declined attempt by its code.
    pub(crate) fn count_decline(&self, code: DeclineCode) {
        let code = code.as_str();
        self.declines.get_or_create(&CodeLabel { code }).inc();
    }

    /// Notes how long a call to the provider took.
    pub(crate) fn count_provider_call(&self, call: &'static str, took: Duration) {
        self.provider_seconds
            .get_or_create(&CallLabel { call })
            .observe(took.as_secs_f64());
    }

    /// Sets how many presses of the pay button are being handled in this process.
    pub(crate) fn set_presses(&self, presses: usize) {
        self.presses.set(i64::try_from(presses).unwrap_or(i64::MAX));
    }

    /// Sets the lengths of the queues.
    pub(crate) fn set_queue_lengths(&self, webhooks: i64, attempts: i64) {
        self.webhooks_waiting.set(webhooks);
        self.attempts_open.set(attempts);
    }

    /// All metrics in Prometheus' text format.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// Registers durations.
fn seconds<L>(name: &str, help: &str, registry: &mut Registry) -> Family<L, Histogram>
where
    L: EncodeLabelSet + Clone + fmt::Debug + Eq + Hash + Send + Sync + 'static,
{
    let family = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
    registry.register_with_unit(name, help, Unit::Seconds, family.clone());
    family
}
