//! The settings of events.

use std::path::PathBuf;
use std::time::Duration;

use protocol::{AttemptLimit, SecretSource};

/// Where events are kept.
#[derive(Debug, Clone)]
pub enum SinkChoice {
    /// In the database.
    Database,
    /// In Kafka.
    Kafka(KafkaSettings),
}

/// How events are stored.
#[derive(Debug, Clone)]
pub struct EventSettings {
    /// Where they are kept.
    pub sink: SinkChoice,
    /// The only topic.
    pub topic: String,
    /// How long the database keeps events.
    pub retention: Duration,
    /// How many bytes of events the database keeps; the oldest are removed first.
    pub storage_bytes: i64,
    /// How many events one public client address may send; if absent, there is no limit.
    pub limit_per_address: Option<AttemptLimit>,
}

/// How to connect to Kafka.
#[derive(Debug, Clone)]
pub struct KafkaSettings {
    /// Host and port of some of the brokers; these know the others.
    pub brokers: Vec<String>,
    /// TLS; if absent, the connection is not encrypted.
    pub tls: Option<KafkaTls>,
    /// The login; if absent, the brokers do not need one.
    pub login: Option<KafkaLogin>,
}

/// Which certificates are trusted.
#[derive(Debug, Clone)]
pub struct KafkaTls {
    /// A PEM file with root certificates; if absent, this machine's are used.
    pub roots: Option<PathBuf>,
}

/// A user of Kafka.
#[derive(Debug, Clone)]
pub struct KafkaLogin {
    /// How the login proves the password.
    pub mechanism: SaslMechanism,
    /// The user name.
    pub user: String,
    /// Where its password comes from.
    pub password: SecretSource,
}

/// How the login proves the password to a broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaslMechanism {
    /// The password is sent.
    Plain,
    /// SCRAM-SHA-256: the password is never sent.
    ScramSha256,
    /// SCRAM-SHA-512: the password is never sent.
    ScramSha512,
}
