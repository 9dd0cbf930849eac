//! An event as it came, and what became of it.

use serde_json::value::RawValue;
use wire::{RecordErrorCode, RecordOffset};

/// The largest key and value of one record together, in bytes: brokers take messages of a megabyte.
const RECORD_BYTES_MAX: usize = 256 * 1024;

/// A record with its JSON as it was written.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// Any JSON but null: records with the same key stay in their order.
    pub(super) key: Option<Box<RawValue>>,
    /// The event: any JSON but null.
    pub(super) value: Box<RawValue>,
    /// The partition that the sender asks for.
    pub(super) partition: Option<i64>,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed {
    /// It is in the log.
    At {
        /// From 0.
        partition: i32,
        /// From 0 in each partition.
        offset: i64,
    },
    /// It is durable here and goes to Kafka when that is back, where its place is not known yet.
    Waiting,
    /// It was not taken.
    No(Fault),
}

/// Why a record was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Sending it again is of no use.
    Final(&'static str),
    /// It may be sent again.
    Retriable(&'static str),
}

impl Fault {
    /// The record is larger than a broker takes.
    pub(super) const TOO_LARGE: Self = Self::Final("The record is too large.");
    /// The topic does not have the partition.
    pub(super) const NO_PARTITION: Self = Self::Final("The topic does not have this partition.");
    /// Too much waits already.
    pub(super) const BUSY: Self = Self::Retriable("Too many records wait to be kept. Send it again later.");
    /// The broker looked at it and will not have it.
    pub(super) const REFUSED_BY_KAFKA: Self = Self::Final("Kafka does not take this record.");
    /// Neither the database nor Kafka took it.
    pub(super) const NOT_KEPT: Self = Self::Retriable("The record could not be kept. Send it again later.");
}

impl Record {
    /// The bytes of its JSON.
    pub(super) fn size(&self) -> usize {
        self.key.as_ref().map_or(0, |key| key.get().len()) + self.value.get().len()
    }

    /// Why it cannot be taken by any sink, if so.
    pub(super) fn fault(&self) -> Option<Fault> {
        if self.size() > RECORD_BYTES_MAX {
            Some(Fault::TOO_LARGE)
        } else if self
            .partition
            .is_some_and(|asked| i32::try_from(asked).is_err() || asked < 0)
        {
            Some(Fault::NO_PARTITION)
        } else {
            None
        }
    }
}

impl From<Placed> for RecordOffset {
    fn from(placed: Placed) -> Self {
        let (partition, offset, fault) = match placed {
            Placed::At { partition, offset } => (Some(partition), Some(offset), None),
            Placed::Waiting => (None, None, None),
            Placed::No(Fault::Final(words)) => (None, None, Some((RecordErrorCode::Final, words))),
            Placed::No(Fault::Retriable(words)) => (None, None, Some((RecordErrorCode::Retriable, words))),
        };
        Self {
            partition,
            offset,
            error_code: fault.map(|(code, _)| code),
            error: fault.map(|(_, words)| words.to_owned()),
        }
    }
}
