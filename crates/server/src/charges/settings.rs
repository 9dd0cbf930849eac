//! What the room of charges is told by the settings.

use std::time::Duration;

use model::AttemptLimit;

/// How long things may take, and what is let through.
#[derive(Debug, Clone)]
pub struct ChargeSettings {
    /// How long the provider may take.
    pub provider_timeout: Duration,
    /// How long after the time-out an attempt that the provider does not know counts as never made.
    pub provider_grace: Duration,
    /// How often lost outcomes are asked for.
    pub reconcile_interval: Duration,
    /// How long a shopper may take for a 3-D Secure challenge.
    pub challenge_timeout: Duration,
    /// How long a charge can be paid.
    pub lifetime: Duration,
    /// How many attempts to pay are let through.
    pub attempt_limits: AttemptLimits,
    /// Whether a direct charge may have its card as it was typed, and not sealed.
    pub accept_plain_cards: bool,
}

/// The limit of each dimension; absent, it is not counted.
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

const fn per(attempts: u32, window_seconds: u32) -> AttemptLimit {
    AttemptLimit {
        attempts,
        window_seconds,
    }
}

impl Default for AttemptLimits {
    fn default() -> Self {
        Self {
            // A shopper who mistypes, and tries another card or two, needs fewer; one who tests cards needs many.
            charge: Some(per(20, 3_600)),
            // An office or a mobile network's gateway shares an address.
            address: Some(per(60, 600)),
            card: Some(per(20, 3_600)),
            // About sixteen a second: a bound to the damage, which a large merchant's operator raises.
            partner: Some(per(10_000, 600)),
        }
    }
}

impl AttemptLimits {
    /// The defaults with this provider. Everybody shares the simulator's test cards, so they are not counted.
    pub(crate) fn of_provider(name: Option<&str>) -> Self {
        let mut limits = Self::default();
        if name.is_none_or(|name| name == "simulator") {
            limits.card = None;
        }
        limits
    }

    /// For demo mode, in which everybody shares the simulator's test cards, one address and one merchant.
    pub fn demo() -> Self {
        Self {
            charge: Self::default().charge,
            address: None,
            card: None,
            partner: None,
        }
    }
}
