//! The settings of connections: how many, and how long a client may take.

use std::num::NonZero;
use std::time::Duration;

use super::values::duration_ms;
use super::{ConfigError, Settings};
use web::ConnectionLimits;

/// Enough for a phone with a weak signal, and too short for an attacker to hold many connections with unfinished
/// heads.
const HEAD_TIMEOUT_MS: u64 = 10_000;
/// Longer than a minute, which is how long proxies keep a connection without requests.
const REQUEST_TIMEOUT_MS: u64 = 75_000;

/// How long a client may take, and how many connections there may be.
#[derive(Debug, Clone)]
pub struct ConnectionSettings {
    /// How long a client may take to send a request's head.
    pub head_timeout: Duration,
    /// How long a client may take to send its body, and may wait between two requests.
    pub request_timeout: Duration,
    /// How many connections in all; if absent, as many as the file descriptors allow.
    pub total: Option<usize>,
    /// How many connections of one public address; if absent, a quarter of all.
    pub per_address: Option<usize>,
}

impl ConnectionSettings {
    /// The settings, or their defaults.
    pub(super) fn of(settings: &Settings) -> Result<Self, ConfigError> {
        let request_timeout = settings.request_timeout_ms.unwrap_or(REQUEST_TIMEOUT_MS);
        let request_timeout = duration_ms("request_timeout_ms", request_timeout)?;
        let head_timeout = settings.head_timeout_ms.unwrap_or(HEAD_TIMEOUT_MS);
        Ok(Self {
            // If the whole request has less time than the head's default, the head has no more.
            head_timeout: duration_ms("head_timeout_ms", head_timeout)?.min(request_timeout),
            request_timeout,
            total: settings.connections_max.map(NonZero::get),
            per_address: settings.connections_per_address_max.map(NonZero::get),
        })
    }

    /// The limits for a process with this number of file descriptors.
    pub fn limits(&self, descriptors: u64) -> ConnectionLimits {
        ConnectionLimits::within(descriptors, self.total, self.per_address)
    }
}
