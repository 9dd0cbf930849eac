//! `POST /topics/{topic}`: the answer to events, in the format of Kafka's REST proxy, version 2
//! (docs/events.md#sending).

use schemars::JsonSchema;
use serde::Serialize;

/// The result of each record, in the order in which they were sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProduceAnswer {
    /// One for each record.
    pub offsets: Vec<RecordOffset>,
    /// Always null: keys have no schema.
    pub key_schema_id: Option<i32>,
    /// Always null: values have no schema.
    pub value_schema_id: Option<i32>,
}

/// Where a record was stored, or why it was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecordOffset {
    /// The partition; null while it is not known, or if the record was not accepted.
    pub partition: Option<i32>,
    /// The record's place in the partition; null if the partition is. An accepted record without an offset waits for
    /// Kafka.
    pub offset: Option<i64>,
    /// Null if the record was accepted.
    pub error_code: Option<RecordErrorCode>,
    /// The reason in words.
    pub error: Option<String>,
}

/// Why a record was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordErrorCode {
    /// A retry cannot help.
    Final = 50_002,
    /// A retry may help.
    Retriable = 50_003,
}

impl Serialize for RecordErrorCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(*self as u32)
    }
}

impl JsonSchema for RecordErrorCode {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RecordErrorCode".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "enum": [50_002, 50_003],
            "description": "50002: a retry cannot help. 50003: a retry may help.",
        })
    }
}

/// Why a request as a whole was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProduceError {
    /// The HTTP status, or the status with two more digits.
    pub error_code: u32,
    /// For the developer who reads it. It repeats nothing that was sent.
    pub message: String,
}
