//! What the room of events is told by the settings.

use std::path::PathBuf;
use std::time::Duration;

use model::AttemptLimit;
use model::SecretSource;

/// Where events are kept.
#[derive(Debug, Clone)]
pub enum SinkChoice {
    /// In the database.
    Database,
    /// In Kafka.
    Kafka(KafkaSettings),
}

/// What becomes of events.
#[derive(Debug, Clone)]
pub struct EventSettings {
    /// Where they are kept.
    pub sink: SinkChoice,
    /// The topic that there is.
    pub topic: String,
    /// How long the database keeps events.
    pub retention: Duration,
    /// How many bytes of events the database keeps; the oldest go first.
    pub storage_bytes: i64,
    /// How many events a public client address may send.
    pub limit_per_address: Option<AttemptLimit>,
}

/// How Kafka is reached.
#[derive(Debug, Clone)]
pub struct KafkaSettings {
    /// Host and port of some of the brokers; they know the others.
    pub brokers: Vec<String>,
    /// Absent, the connection is plain.
    pub tls: Option<KafkaTls>,
    /// Absent, the brokers do not ask who we are.
    pub login: Option<KafkaLogin>,
}

/// Whose certificates are believed.
#[derive(Debug, Clone)]
pub struct KafkaTls {
    /// A PEM file with root certificates; absent, this machine's.
    pub roots: Option<PathBuf>,
}

/// A user of Kafka.
#[derive(Debug, Clone)]
pub struct KafkaLogin {
    /// How the password is proved.
    pub mechanism: SaslMechanism,
    /// The name.
    pub user: String,
    /// Its password.
    pub password: SecretSource,
}

/// How a password is proved to a broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaslMechanism {
    /// It is sent.
    Plain,
    /// SCRAM-SHA-256: it is never sent.
    ScramSha256,
    /// SCRAM-SHA-512.
    ScramSha512,
}
