//! The settings of events.

use std::time::Duration;

use protocol::AttemptLimit;

use super::kafka::kafka_settings;
use super::values::within;
use super::{ConfigError, Settings};
use tracking::events::settings::{EventSettings, SinkChoice};

/// The one topic that the page posts to.
const TOPIC: &str = "cardform-events";
/// The longest topic name that Kafka's brokers accept.
const TOPIC_CHARACTERS_MAX: usize = 249;
/// A month, so that it can be compared with the month before.
const RETENTION_DAYS: u64 = 30;
/// About two million events.
const STORAGE_MB: u64 = 2_048;
const BYTES_PER_MB: u64 = 1_000_000;
/// A shopper's page sends a few dozen; everyone in an office or behind a mobile network's gateway has the same
/// address.
const LIMIT_PER_ADDRESS: AttemptLimit = AttemptLimit {
    attempts: 6_000,
    window_seconds: 60,
};

/// The settings, or their defaults.
pub(super) fn event_settings(settings: &Settings) -> Result<EventSettings, ConfigError> {
    let topic = settings.event_topic.as_deref().unwrap_or(TOPIC);
    let days = settings.event_retention_days.unwrap_or(RETENTION_DAYS);
    let days = within("event_retention_days", days, 1..=3_650)?;
    // At most a terabyte.
    let megabytes = settings.event_storage_mb.unwrap_or(STORAGE_MB);
    let megabytes = within("event_storage_mb", megabytes, 1..=1_000_000)?;
    if !is_topic(topic) {
        return Err(ConfigError::Value(
            "event_topic",
            "must be 1 to 249 letters, digits, points, hyphens and underscores",
        ));
    }
    Ok(EventSettings {
        sink: sink(settings)?,
        topic: topic.to_owned(),
        retention: Duration::from_secs(days * 86_400),
        storage_bytes: i64::try_from(megabytes * BYTES_PER_MB).unwrap_or(i64::MAX),
        limit_per_address: settings
            .limit_events_per_address
            .map_or(Some(LIMIT_PER_ADDRESS), |given| given.0),
    })
}

fn sink(settings: &Settings) -> Result<SinkChoice, ConfigError> {
    match settings.event_sink.as_deref().unwrap_or("database") {
        "database" => Ok(SinkChoice::Database),
        "kafka" => Ok(SinkChoice::Kafka(kafka_settings(settings)?)),
        _ => Err(ConfigError::Value("event_sink", "must be database or kafka")),
    }
}

fn is_topic(name: &str) -> bool {
    (1..=TOPIC_CHARACTERS_MAX).contains(&name.len())
        && !matches!(name, "." | "..")
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

#[cfg(test)]
mod tests;
