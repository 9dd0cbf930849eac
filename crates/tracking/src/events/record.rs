//! An event as it was sent, and the result of storing it.

use protocol::{RecordErrorCode, RecordOffset};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::known_fields::KnownFields;

/// The largest size of one record's key and value together, in bytes. Brokers accept messages of a megabyte.
const RECORD_BYTES_MAX: usize = 256 * 1024;
/// The largest size of a record with only its known fields, in bytes. The form's own have one or two kilobytes; larger ones
/// would push many of them out of a full log.
const STORED_BYTES_MAX: usize = 16 * 1024;
/// A record counts once against the limit of its sender for each so many bytes that it begins.
const BYTES_PER_COUNT: usize = 2 * 1024;

/// A record with its JSON: as it was sent, or with its known fields.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// Records with the same key keep their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<Box<RawValue>>,
    /// The event.
    pub(super) value: Box<RawValue>,
    /// The partition that the sender asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// The record is larger than a broker accepts.
    pub(super) const TOO_LARGE: Self = Self::Final("The record is too large.");
    /// The value is no object.
    pub(super) const NO_EVENT: Self = Self::Final("The record's value is no event.");
    /// The topic does not have the partition.
    pub(super) const NO_PARTITION: Self = Self::Final("The topic does not have this partition.");
    /// Too many records are waiting.
    pub(super) const BUSY: Self = Self::Retriable("Too many records wait to be stored. Send it again later.");
    /// The broker refuses this record.
    pub(super) const REFUSED_BY_KAFKA: Self = Self::Final("Kafka does not accept this record.");
    /// Neither the database nor Kafka accepted it.
    pub(super) const NOT_KEPT: Self = Self::Retriable("The record could not be stored. Send it again later.");
}

impl Record {
    /// The bytes of its JSON.
    pub(super) fn size(&self) -> usize {
        self.key.as_ref().map_or(0, |key| key.get().len()) + self.value.get().len()
    }

    /// How many events it counts as for the limit of its sender.
    pub(super) fn count(&self) -> usize {
        self.size().div_ceil(BYTES_PER_COUNT).max(1)
    }

    /// The record with the known fields of its event, and whether one contained digits that look like a card number.
    /// An error says why the record cannot be accepted.
    pub(super) fn with_known_fields(self) -> Result<(Self, bool), RecordError> {
        if self.size() > RECORD_BYTES_MAX {
            return Err(RecordError::TOO_LARGE);
        }
        if self
            .partition
            .is_some_and(|asked| i32::try_from(asked).is_err() || asked < 0)
        {
            return Err(RecordError::NO_PARTITION);
        }
        let event = KnownFields::of_event(self.value.get()).ok_or(RecordError::NO_EVENT)?;
        let key = self.key.and_then(|key| KnownFields::of_key(key.get()));
        let is_masked = event.is_masked || key.as_ref().is_some_and(|key| key.is_masked);
        let record = Self {
            key: key.map(|key| written(&key.value)).transpose()?,
            value: written(&event.value)?,
            partition: self.partition,
        };
        if record.size() > STORED_BYTES_MAX {
            return Err(RecordError::TOO_LARGE);
        }
        Ok((record, is_masked))
    }
}

fn written(value: &Value) -> Result<Box<RawValue>, RecordError> {
    to_raw_value(value).map_err(|_| RecordError::NO_EVENT)
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
