//! How many attempts to pay are allowed per charge, client address, card and merchant, as a defence against card
//! testing.

use std::fmt;
use std::str::FromStr;

use protocol::AttemptLimit;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use super::Settings;
use payments::charges::settings::AttemptLimits;

/// A setting that is either a limit or `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitSetting(pub Option<AttemptLimit>);

/// The longest window is a day. Counts are kept as long.
const WINDOW_SECONDS_MAX: u32 = 86_400;

impl Settings {
    /// The limits of the settings. A limit that is not set is that of `default`.
    pub(super) fn attempt_limits(&self, default: AttemptLimits) -> AttemptLimits {
        let given = |setting: Option<LimitSetting>, default| setting.map_or(default, |setting| setting.0);
        AttemptLimits {
            charge: given(self.limit_per_charge, default.charge),
            address: given(self.limit_per_address, default.address),
            card: given(self.limit_per_card, default.card),
            partner: given(self.limit_per_partner, default.partner),
        }
    }
}

/// A limit that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a limit is `off`, or attempts and seconds like 20/3600, of a day at most")]
pub struct UnusableLimit;

impl FromStr for LimitSetting {
    type Err = UnusableLimit;

    fn from_str(text: &str) -> Result<Self, UnusableLimit> {
        if text == "off" {
            return Ok(Self(None));
        }
        let (attempts, seconds) = text.split_once('/').ok_or(UnusableLimit)?;
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
        let window_seconds = number(seconds)
            .filter(|seconds| *seconds <= WINDOW_SECONDS_MAX)
            .ok_or(UnusableLimit)?;
        let attempts = number(attempts).ok_or(UnusableLimit)?;
        Ok(Self(Some(AttemptLimit {
            attempts,
            window_seconds,
        })))
    }
}

impl fmt::Display for LimitSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(limit) => write!(f, "{}/{}", limit.attempts, limit.window_seconds),
            None => f.write_str("off"),
        }
    }
}

impl<'de> Deserialize<'de> for LimitSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests;
