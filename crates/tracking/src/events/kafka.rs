//! Sends records to Kafka with `rskafka`, and chooses each record's partition.
//!
//! `rskafka` is written in Rust only. `rdkafka` is better known, but builds librdkafka with make and a C++ compiler,
//! and OpenSSL for TLS, which this service does not need otherwise.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rskafka::BackoffConfig;
use rskafka::client::error::{Error, ProtocolError};
use rskafka::client::partition::{Compression, PartitionClient, UnknownTopicHandling};
use rskafka::client::{Client, ClientBuilder};
use thiserror::Error;
use tokio::task::JoinSet;
use tokio::time::error::Elapsed;

use super::kafka_login::{KafkaAccess, KafkaLoginError};
use super::record::{Record, RecordError, RecordOutcome};
use super::settings::KafkaSettings;

/// The largest produce request, in bytes. Brokers accept a megabyte by default.
const REQUEST_BYTES_MAX: usize = 900_000;
/// The largest answer, in bytes. An attacker in a broker's place could announce any length.
const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How many bytes a record takes in a request in addition to its key and value.
const RECORD_OVERHEAD_BYTES: usize = 64;
/// How long the client retries by itself, for example after a broken connection. After that the events wait in the
/// database, and the forwarder retries.
const RETRY_TIME: Duration = Duration::from_secs(1);
/// Lets the broker use its defaults for a new topic.
const BROKERS_DEFAULT: i16 = -1;
/// How long creating a topic may take, in milliseconds.
const TOPIC_TIMEOUT_MS: i32 = 5_000;

/// The result of sending a record. `None` if Kafka did not accept it, or if its answer was lost; then it may have arrived
/// nevertheless.
pub(super) type Delivery = Option<RecordOutcome>;

/// A connection to the topic's brokers. It is opened when it is first needed, and again after a failure.
#[derive(Debug)]
pub(super) struct Kafka {
    settings: KafkaSettings,
    topic: String,
    connected: Option<Connected>,
    is_unreachable: bool,
    /// Counts the calls, so that records without a key go to all partitions.
    round_robin: usize,
}

#[derive(Debug)]
struct Connected {
    client: Client,
    partitions: BTreeMap<i32, Option<Arc<PartitionClient>>>,
}

/// Why Kafka cannot be reached.
#[derive(Debug, Error)]
enum KafkaError {
    #[error("Kafka: {0}")]
    Client(#[from] Error),
    #[error(transparent)]
    Login(#[from] KafkaLoginError),
    #[error("the topic has no partition in Kafka")]
    NoPartition,
}

impl Kafka {
    pub(super) fn new(settings: &KafkaSettings, topic: &str) -> Self {
        Self {
            settings: settings.clone(),
            topic: topic.to_owned(),
            connected: None,
            is_unreachable: false,
            round_robin: 0,
        }
    }

    /// Connects if there is no connection. Returns whether there is one within `limit`.
    pub(super) async fn connect(&mut self, limit: Duration) -> bool {
        if self.connected.is_some() {
            return true;
        }
        let opened = tokio::time::timeout(limit, Connected::open(&self.settings, &self.topic)).await;
        self.connected = self.ok_or_log(opened);
        self.connected.is_some()
    }

    /// Sends records with the time `at`, in unix milliseconds. Returns the result of each, in their order, within `limit`.
    pub(super) async fn send(&mut self, records: &[Record], at: i64, limit: Duration) -> Vec<Delivery> {
        let sent = tokio::time::timeout(limit, self.try_send(records, at)).await;
        let sent = self.ok_or_log(sent).unwrap_or_else(|| vec![None; records.len()]);
        if sent.contains(&None) {
            // A connection that does not answer would probably not answer again.
            self.connected = None;
        }
        sent
    }

    /// The result if there was no error. A line is logged only when Kafka stops or starts answering.
    fn ok_or_log<T>(&mut self, done: Result<Result<T, KafkaError>, Elapsed>) -> Option<T> {
        let was_unreachable = std::mem::replace(&mut self.is_unreachable, !matches!(done, Ok(Ok(_))));
        match done {
            Ok(Ok(done)) => {
                if was_unreachable {
                    tracing::info!("Kafka is reachable again");
                }
                return Some(done);
            }
            Ok(Err(cause)) if !was_unreachable => tracing::warn!(%cause, "Kafka unreachable"),
            Err(_) if !was_unreachable => tracing::warn!("Kafka does not answer in time"),
            _ => {}
        }
        None
    }

    async fn try_send(&mut self, records: &[Record], at: i64) -> Result<Vec<Delivery>, KafkaError> {
        let connected = match &mut self.connected {
            Some(connected) => connected,
            none => none.insert(Connected::open(&self.settings, &self.topic).await?),
        };
        self.round_robin = self.round_robin.wrapping_add(1);
        let mut parts: BTreeMap<i32, PartitionRecords> = BTreeMap::new();
        // Records stay `None` if their partition fails or its task panics, and are sent again.
        let mut sent = vec![None; records.len()];
        for (place, record) in records.iter().enumerate() {
            match connected.partition(record, self.round_robin) {
                Some(partition) => {
                    let part = parts.entry(partition).or_default();
                    part.push((place, kafka_record(record, at)));
                }
                None => sent[place] = Some(RecordOutcome::Refused(RecordError::NO_PARTITION)),
            }
        }
        let mut running = JoinSet::new();
        for (partition, part) in parts {
            match connected.client(partition, &self.topic).await {
                Ok(client) => {
                    running.spawn(async move { send_to_partition(part, partition, &client).await });
                }
                // The other partitions get their records all the same.
                Err(cause) => tracing::warn!(%cause, partition, "Kafka did not accept events"),
            }
        }
        while let Some(done) = running.join_next().await {
            for (place, delivery) in done.unwrap_or_default() {
                sent[place] = delivery;
            }
        }
        Ok(sent)
    }
}

impl Connected {
    async fn open(settings: &KafkaSettings, topic: &str) -> Result<Self, KafkaError> {
        let backoff = BackoffConfig {
            init_backoff: Duration::from_millis(50),
            max_backoff: Duration::from_millis(500),
            base: 2.0,
            deadline: Some(RETRY_TIME),
        };
        let mut builder = ClientBuilder::new(settings.brokers.clone())
            .client_id("cardform")
            .max_message_size(ANSWER_BYTES_MAX)
            .backoff_config(backoff);
        // Certificates and passwords are read for each connection, because they change.
        let access = KafkaAccess::open(settings)?;
        if let Some(tls) = access.tls {
            builder = builder.tls_config(tls);
        }
        if let Some(sasl) = access.sasl {
            builder = builder.sasl_config(sasl);
        }
        let client = builder.build().await?;
        let mut partitions = partitions(&client, topic).await?;
        if partitions.is_none() {
            tracing::warn!("the topic does not exist in Kafka; creating it with the broker's defaults");
            client
                .controller_client()?
                .create_topic(topic, BROKERS_DEFAULT.into(), BROKERS_DEFAULT, TOPIC_TIMEOUT_MS)
                .await?;
            partitions = self::partitions(&client, topic).await?;
        }
        let partitions = partitions.filter(|known| !known.is_empty());
        Ok(Self {
            client,
            partitions: partitions.ok_or(KafkaError::NoPartition)?,
        })
    }

    /// The partition that the record asks for, if it exists; with a key, the one that Kafka's own producers choose for
    /// it.
    fn partition(&self, record: &Record, round_robin: usize) -> Option<i32> {
        if let Some(asked) = record.partition {
            let asked = i32::try_from(asked).ok()?;
            return self.partitions.contains_key(&asked).then_some(asked);
        }
        let hash = record.key.as_ref().map_or(round_robin, |key| {
            usize::try_from(murmur2(key.get().as_bytes()) & 0x7fff_ffff).unwrap_or_default()
        });
        self.partitions.keys().nth(hash % self.partitions.len()).copied()
    }

    async fn client(&mut self, partition: i32, topic: &str) -> Result<Arc<PartitionClient>, KafkaError> {
        if let Some(Some(client)) = self.partitions.get(&partition) {
            return Ok(Arc::clone(client));
        }
        let client = self
            .client
            .partition_client(topic, partition, UnknownTopicHandling::Retry)
            .await?;
        let client = Arc::new(client);
        self.partitions.insert(partition, Some(Arc::clone(&client)));
        Ok(client)
    }
}

async fn partitions(
    client: &Client,
    topic: &str,
) -> Result<Option<BTreeMap<i32, Option<Arc<PartitionClient>>>>, KafkaError> {
    let topics = client.list_topics().await?;
    let found = topics.into_iter().find(|known| known.name == topic);
    Ok(found.map(|known| {
        known
            .partitions
            .into_iter()
            .map(|partition| (partition, None))
            .collect()
    }))
}

/// Records for one partition, in their order, each with its place among all records.
type PartitionRecords = Vec<(usize, rskafka::record::Record)>;

fn kafka_record(record: &Record, at: i64) -> rskafka::record::Record {
    rskafka::record::Record {
        key: record.key.as_ref().map(|key| key.get().as_bytes().to_vec()),
        value: Some(record.value.get().as_bytes().to_vec()),
        headers: BTreeMap::new(),
        timestamp: DateTime::<Utc>::from_timestamp_millis(at).unwrap_or_default(),
    }
}

/// Sends one piece after the other, so that the order is kept. After a failure nothing more is sent.
async fn send_to_partition(
    records: PartitionRecords,
    partition: i32,
    client: &PartitionClient,
) -> Vec<(usize, Delivery)> {
    let mut sent = Vec::with_capacity(records.len());
    // The list is a stack: the next piece is at its end.
    let mut pieces = pieces(records);
    pieces.reverse();
    while let Some(mut piece) = pieces.pop() {
        let records = piece.iter().map(|(_, record)| record.clone()).collect();
        match client.produce(records, Compression::Snappy).await {
            Ok(offsets) => {
                let stored = piece
                    .into_iter()
                    .zip(offsets)
                    .map(|((place, _), offset)| (place, Some(RecordOutcome::Stored { partition, offset })));
                sent.extend(stored);
            }
            Err(cause) if is_final(&cause) && piece.len() > 1 => {
                // One record may be refused, or the piece is too large, so each half is sent separately.
                let rest = piece.split_off(piece.len() / 2);
                pieces.extend([rest, piece]);
            }
            Err(cause) if is_final(&cause) => {
                let refused = Some(RecordOutcome::Refused(RecordError::REFUSED_BY_KAFKA));
                sent.extend(piece.into_iter().map(|(place, _)| (place, refused)));
            }
            Err(cause) => {
                tracing::warn!(%cause, partition, "Kafka did not accept events");
                break;
            }
        }
    }
    sent
}

fn pieces(records: PartitionRecords) -> Vec<PartitionRecords> {
    let mut pieces: Vec<PartitionRecords> = Vec::new();
    let mut bytes = 0;
    for record in records {
        let size = record.1.approximate_size() + RECORD_OVERHEAD_BYTES;
        match pieces.last_mut() {
            Some(piece) if bytes + size <= REQUEST_BYTES_MAX => {
                bytes += size;
                piece.push(record);
            }
            _ => {
                bytes = size;
                pieces.push(vec![record]);
            }
        }
    }
    pieces
}

/// Whether the broker refuses these records and would refuse them again.
fn is_final(cause: &Error) -> bool {
    matches!(
        cause,
        Error::ServerError {
            protocol_error: ProtocolError::MessageTooLarge
                | ProtocolError::RecordListTooLarge
                | ProtocolError::InvalidRecord
                | ProtocolError::InvalidTimestamp,
            ..
        }
    )
}

/// The hash by which Kafka's own producers choose a key's partition.
fn murmur2(key: &[u8]) -> u32 {
    const M: u32 = 0x5bd1_e995;
    const SEED: u32 = 0x9747_b28c;
    let mut hash = SEED ^ u32::try_from(key.len()).unwrap_or(u32::MAX);
    let (fours, rest) = key.as_chunks::<4>();
    for four in fours {
        let mut k = u32::from_le_bytes(*four).wrapping_mul(M);
        k ^= k >> 24;
        hash = hash.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    for (place, byte) in rest.iter().enumerate() {
        hash ^= u32::from(*byte) << (8 * place);
    }
    if !rest.is_empty() {
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests;
