//! The settings of connections: how many, how long a client may take, and how many threads answer.

use std::time::Duration;

use super::values::duration_ms;
use super::{ConfigError, Settings};
use web::connections::ConnectionLimits;

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
    /// The limits for a process with this number of file descriptors.
    pub fn limits(&self, descriptors: u64) -> ConnectionLimits {
        ConnectionLimits::within(descriptors, self.total, self.per_address)
    }
}

/// The settings, or their defaults.
pub(super) fn connection_settings(settings: &Settings) -> Result<ConnectionSettings, ConfigError> {
    let request_timeout = duration_ms(
        "request_timeout_ms",
        settings.request_timeout_ms,
        REQUEST_TIMEOUT_MS,
    )?;
    let head_timeout = duration_ms("head_timeout_ms", settings.head_timeout_ms, HEAD_TIMEOUT_MS)?;
    Ok(ConnectionSettings {
        // If the whole request has less time than the head's default, the head has no more.
        head_timeout: head_timeout.min(request_timeout),
        request_timeout,
        total: at_least_one("connections_max", settings.connections_max)?,
        per_address: at_least_one(
            "connections_per_address_max",
            settings.connections_per_address_max,
        )?,
    })
}

/// How many threads answer requests; without a number as many as there are processors.
pub(super) fn threads(given: Option<usize>) -> Result<Option<usize>, ConfigError> {
    match given {
        Some(0 | 1_025..) => Err(ConfigError::Value("threads", "must be 1 to 1024")),
        given => Ok(given),
    }
}

/// How many connections to the database a node may hold. Each is a process on a PostgreSQL server.
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
