//! Counts the requests that were refused for a limit. `connections.rs` counts refused connections.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use strum::{EnumIter, IntoEnumIterator, IntoStaticStr};

/// The label of a limit in the metrics: its name and its value.
type LimitLabel = [(&'static str, &'static str); 1];

/// A limit that a request was refused for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RequestLimit {
    /// Attempts to pay a charge, with a card, from an address or of a merchant.
    Attempts,
    /// Presses of the pay button at the same time in this process.
    Presses,
    /// Events of a client.
    Events,
    /// Wrong keys of an operator's page.
    OperatorKeys,
    /// Sessions of device data for a charge.
    DeviceData,
    /// Look-ups of card networks for a charge.
    CardNetworks,
    /// Client secrets for the link of a charge, and setups of a card session.
    Links,
    /// Reports of policy violations of a client.
    CspReports,
}

impl RequestLimit {
    fn label(self) -> LimitLabel {
        [("limit", self.into())]
    }
}

/// How often each limit was hit since the start of the process.
pub static LIMITS_HIT: LazyLock<Family<LimitLabel, Counter>> = LazyLock::new(|| {
    let family = Family::default();
    for limit in RequestLimit::iter() {
        drop(family.get_or_create(&limit.label()));
    }
    family
});

/// Counts a request that was refused for a limit.
pub fn count_limit(limit: RequestLimit) {
    LIMITS_HIT.get_or_create(&limit.label()).inc();
}
