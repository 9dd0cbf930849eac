//! Counts the requests that were refused for a limit. Connections that were turned away are counted by themselves.

use std::sync::LazyLock;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

/// The label of a limit in the metrics.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct LimitLabel {
    limit: &'static str,
}

/// A limit that a request was refused for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestLimit {
    /// Attempts to pay a charge, with a card, from an address or of a merchant.
    Attempts,
    /// Presses of the pay button at the same time in this process.
    Presses,
    /// Events of a client.
    Events,
    /// Wrong keys of an operator's page.
    OperatorKeys,
    /// Reports of policy violations of a client.
    CspReports,
}

impl RequestLimit {
    const ALL: [Self; 5] = [
        Self::Attempts,
        Self::Presses,
        Self::Events,
        Self::OperatorKeys,
        Self::CspReports,
    ];

    fn label(self) -> LimitLabel {
        let limit = match self {
            Self::Attempts => "attempts",
            Self::Presses => "presses",
            Self::Events => "events",
            Self::OperatorKeys => "operator_keys",
            Self::CspReports => "csp_reports",
        };
        LimitLabel { limit }
    }
}

/// How often each limit was hit since the start of the process.
pub static LIMITS_HIT: LazyLock<Family<LimitLabel, Counter>> = LazyLock::new(|| {
    let family = Family::default();
    for limit in RequestLimit::ALL {
        drop(family.get_or_create(&limit.label()));
    }
    family
});

/// Counts a request that was refused for a limit.
pub fn count_limit(limit: RequestLimit) {
    LIMITS_HIT.get_or_create(&limit.label()).inc();
}
