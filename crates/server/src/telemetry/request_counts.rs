//! Counts requests by route, method and status. A route's counts are looked up by its name once for each request:
//! finding both by their labels would take a copy of the name for each.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// In seconds: from a file out of memory to a provider at its timeout.
pub(super) const BUCKETS: [f64; 11] = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// How many requests were answered, and how long they took.
pub(super) struct RequestCounts {
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabel, Histogram>,
    /// Of those above, those of each route that was asked for, by its pattern.
    of_routes: RwLock<HashMap<String, RouteCounts>>,
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

struct RouteCounts {
    seconds: Histogram,
    /// By method and status, of which a route has few.
    answered: Vec<(&'static str, u16, Counter)>,
}

impl RouteCounts {
    fn answered(&self, method: &'static str, status: u16) -> Option<&Counter> {
        let mut counters = self.answered.iter();
        counters
            .find(|(of_method, of_status, _)| (*of_method, *of_status) == (method, status))
            .map(|(_, _, counter)| counter)
    }
}

impl RequestCounts {
    /// Registers them, all at zero.
    pub(super) fn new(registry: &mut Registry) -> Self {
        let requests = Family::default();
        registry.register("requests", "Answered requests", requests.clone());
        let seconds = Family::<RouteLabel, Histogram>::new_with_constructor(|| Histogram::new(BUCKETS));
        registry.register_with_unit(
            "request",
            "How long requests took",
            Unit::Seconds,
            seconds.clone(),
        );
        Self {
            requests,
            seconds,
            of_routes: RwLock::default(),
        }
    }

    /// Counts an answered request. `route` is the pattern in our routes, and `method` one of the words for methods that
    /// are known, so there are few of both.
    pub(super) fn count(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        {
            let of_routes = self.of_routes.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(counts) = of_routes.get(route)
                && let Some(answered) = counts.answered(method, status)
            {
                counts.seconds.observe(took.as_secs_f64());
                answered.inc();
                return;
            }
        }
        self.find(method, route, status);
        self.count(method, route, status, took);
    }

    /// Finds the counts of a route's first answer with this status.
    fn find(&self, method: &'static str, route: &str, status: u16) {
        let mut of_routes = self.of_routes.write().unwrap_or_else(PoisonError::into_inner);
        let route = route.to_owned();
        let counts = of_routes.entry(route.clone()).or_insert_with(|| RouteCounts {
            seconds: self
                .seconds
                .get_or_create_owned(&RouteLabel { route: route.clone() }),
            answered: Vec::new(),
        });
        if counts.answered(method, status).is_none() {
            let counter = self.requests.get_or_create_owned(&RequestLabels {
                method,
                route,
                status,
            });
            counts.answered.push((method, status, counter));
        }
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    #[test]
    fn each_route_method_and_status_has_a_count_of_its_own() {
        let mut registry = Registry::default();
        let counts = RequestCounts::new(&mut registry);
        for (method, route, status) in [
            ("GET", "/", 200),
            ("GET", "/", 200),
            ("GET", "/", 404),
            ("HEAD", "/", 200),
            ("GET", "/{locale}", 200),
        ] {
            counts.count(method, route, status, Duration::from_millis(30));
        }
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for line in [
            "requests_total{method=\"GET\",route=\"/\",status=\"200\"} 2\n",
            "requests_total{method=\"GET\",route=\"/\",status=\"404\"} 1\n",
            "requests_total{method=\"HEAD\",route=\"/\",status=\"200\"} 1\n",
            "requests_total{method=\"GET\",route=\"/{locale}\",status=\"200\"} 1\n",
            "request_seconds_count{route=\"/\"} 4\n",
            "request_seconds_bucket{le=\"0.02\",route=\"/\"} 0\n",
            "request_seconds_bucket{le=\"0.05\",route=\"/\"} 4\n",
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
    }
}
