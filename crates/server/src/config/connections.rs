//! The settings of connections: how many, and how long a client may take.

use std::time::Duration;

use super::values::duration_ms;
use super::{ConfigError, Settings};
use crate::http::connections::ConnectionLimits;

/// Enough for a phone far from an antenna, and too little to hold many connections with half a head each.
const HEAD_TIMEOUT_MS: u64 = 10_000;
/// Longer than proxies keep a connection without requests, a minute.
const REQUEST_TIMEOUT_MS: u64 = 75_000;

/// What a client may take.
#[derive(Debug, Clone)]
pub struct ConnectionSettings {
    /// For a request's head.
    pub head_timeout: Duration,
    /// For its body, and between two requests.
    pub request_timeout: Duration,
    /// Connections in all; absent, as many as there are descriptors for.
    pub total: Option<usize>,
    /// Connections of one public address; absent, a quarter of all.
    pub per_address: Option<usize>,
}

impl ConnectionSettings {
    /// How many connections there may be with so many descriptors.
    pub fn limits(&self, descriptors: u64) -> ConnectionLimits {
        ConnectionLimits::within(descriptors, self.total, self.per_address)
    }
}

/// As given, or the defaults.
pub(super) fn connection_settings(settings: &Settings) -> Result<ConnectionSettings, ConfigError> {
    let request_timeout = duration_ms(
        "request_timeout_ms",
        settings.request_timeout_ms,
        REQUEST_TIMEOUT_MS,
    )?;
    let head_timeout = duration_ms("head_timeout_ms", settings.head_timeout_ms, HEAD_TIMEOUT_MS)?;
    Ok(ConnectionSettings {
        // A service that gives little time for all gives no more for the head.
        head_timeout: head_timeout.min(request_timeout),
        request_timeout,
        total: at_least_one("connections_max", settings.connections_max)?,
        per_address: at_least_one(
            "connections_per_address_max",
            settings.connections_per_address_max,
        )?,
    })
}

/// How many connections to the database a node may hold. Each is a process at a PostgreSQL server.
pub(super) fn database_connections(given: Option<u32>) -> Result<Option<u32>, ConfigError> {
    match given {
        Some(0 | 1_001..) => Err(ConfigError::Value("database_connections", "must be 1 to 1000")),
        given => Ok(given),
    }
}

fn at_least_one(name: &'static str, given: Option<usize>) -> Result<Option<usize>, ConfigError> {
    match given {
        Some(0) => Err(ConfigError::Value(name, "must be at least 1")),
        given => Ok(given),
    }
}
