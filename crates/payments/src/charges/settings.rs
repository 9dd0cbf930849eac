//! The settings of charges.

use std::path::PathBuf;
use std::time::Duration;

use protocol::AttemptLimit;

/// Time limits of charges, and which attempts are accepted.
#[derive(Debug, Clone)]
pub struct ChargeSettings {
    /// How long the provider may take.
    pub provider_timeout: Duration,
    /// How long after the time-out an attempt that the provider does not know counts as never made.
    pub provider_grace: Duration,
    /// How often lost outcomes are asked for.
    pub reconcile_interval: Duration,
    /// Whether lost outcomes are asked for when the service starts, too.
    pub reconcile_at_start: bool,
    /// How long a shopper may take for a 3-D Secure challenge.
    pub challenge_timeout: Duration,
    /// How long a charge can be paid.
    pub lifetime: Duration,
    /// How many attempts to pay are allowed.
    pub attempt_limits: AttemptLimits,
    /// Whether a direct charge may send its card as it was typed, without sealing it.
    pub accept_plain_cards: bool,
}

/// How long charges are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionSettings {
    /// Milliseconds.
    pub kept_ms: i64,
    /// The folder of the exports.
    pub export: Option<PathBuf>,
}

/// How many attempts are allowed. A subject without a limit is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimits {
    /// Per charge.
    pub charge: Option<AttemptLimit>,
    /// Per public client address; the /64 network of an IPv6 address.
    pub address: Option<AttemptLimit>,
    /// Per card of a merchant.
    pub card: Option<AttemptLimit>,
    /// Per merchant.
    pub partner: Option<AttemptLimit>,
}

const fn limit_per_window(attempts: u32, window_seconds: u32) -> AttemptLimit {
    AttemptLimit {
        attempts,
        window_seconds,
    }
}

impl Default for AttemptLimits {
    fn default() -> Self {
        Self {
            // A shopper who mistypes or tries another card needs fewer; a person who tests stolen cards needs many.
            charge: Some(limit_per_window(20, 3_600)),
            // All people in an office or behind a mobile network's gateway share an address.
            address: Some(limit_per_window(60, 600)),
            card: Some(limit_per_window(20, 3_600)),
            // About sixteen a second. This limits the damage; the operator of a large merchant raises it.
            partner: Some(limit_per_window(10_000, 600)),
        }
    }
}

impl AttemptLimits {
    /// The defaults for this provider. All users of the simulator share its test cards, so cards are not counted there.
    pub fn of_provider(name: Option<&str>) -> Self {
        let mut limits = Self::default();
        if name.is_none_or(|name| name == "simulator") {
            limits.card = None;
        }
        limits
    }

    /// For demo mode, in which all shoppers share the simulator's test cards, one address and one merchant.
    pub fn demo() -> Self {
        Self {
            charge: Self::default().charge,
            address: None,
            card: None,
            partner: None,
        }
    }
}
