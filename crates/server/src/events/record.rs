//! An event as it was sent, and the result of storing it.

use serde_json::value::RawValue;
use wire::{RecordErrorCode, RecordOffset};

/// The largest size of one record's key and value together, in bytes. Brokers accept messages of a megabyte.
const RECORD_BYTES_MAX: usize = 256 * 1024;

/// A record with its JSON exactly as it was sent.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// Any JSON but null. Records with the same key keep their order.
    pub(super) key: Option<Box<RawValue>>,
    /// The event: any JSON but null.
    pub(super) value: Box<RawValue>,
    /// The partition that the sender asks for.
    pub(super) partition: Option<i64>,
}

/// The result of storing a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordOutcome {
    /// It is in the log.
    Stored {
        /// From 0.
        partition: i32,
        /// From 0 in each partition.
        offset: i64,
    },
    /// It is durable in the database and is sent to Kafka later, so its partition and offset are not known yet.
    Waiting,
    /// It was not accepted.
    Refused(RecordError),
}

/// Why a record was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordError {
    /// Sending it again would fail again.
    Final(&'static str),
    /// It may be sent again.
    Retriable(&'static str),
}

impl RecordError {
    /// The record is larger than a broker takes.
    pub(super) const TOO_LARGE: Self = Self::Final("The record is too large.");
    /// The topic does not have the partition.
    pub(super) const NO_PARTITION: Self = Self::Final("The topic does not have this partition.");
    /// Too many records are waiting.
    pub(super) const BUSY: Self = Self::Retriable("Too many records wait to be kept. Send it again later.");
    /// The broker refuses this record.
    pub(super) const REFUSED_BY_KAFKA: Self = Self::Final("Kafka does not take this record.");
    /// Neither the database nor Kafka accepted it.
    pub(super) const NOT_KEPT: Self = Self::Retriable("The record could not be kept. Send it again later.");
}

impl Record {
    /// The bytes of its JSON.
    pub(super) fn size(&self) -> usize {
        self.key.as_ref().map_or(0, |key| key.get().len()) + self.value.get().len()
    }

    /// Why no sink could accept it; `None` if it is well formed.
    pub(super) fn error(&self) -> Option<RecordError> {
        if self.size() > RECORD_BYTES_MAX {
            Some(RecordError::TOO_LARGE)
        } else if self
            .partition
            .is_some_and(|asked| i32::try_from(asked).is_err() || asked < 0)
        {
            Some(RecordError::NO_PARTITION)
        } else {
            None
        }
    }
}

impl From<RecordOutcome> for RecordOffset {
    fn from(outcome: RecordOutcome) -> Self {
        let (partition, offset, error) = match outcome {
            RecordOutcome::Stored { partition, offset } => (Some(partition), Some(offset), None),
            RecordOutcome::Waiting => (None, None, None),
            RecordOutcome::Refused(RecordError::Final(words)) => {
                (None, None, Some((RecordErrorCode::Final, words)))
            }
            RecordOutcome::Refused(RecordError::Retriable(words)) => {
                (None, None, Some((RecordErrorCode::Retriable, words)))
            }
        };
        Self {
            partition,
            offset,
            error_code: error.map(|(code, _)| code),
            error: error.map(|(_, words)| words.to_owned()),
        }
    }
}
