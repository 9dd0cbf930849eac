//! `GET /v1/pub/embedding`: the SDK asks it why the frame in its page sends no message.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Whether the caller's page may show the form of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Embedding {
    /// Whether the browser shows the form, or why it does not.
    pub result: Embeds,
}

/// Whether a browser shows the form in the caller's page, or why it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Embeds {
    /// The browser shows the form.
    Allowed,
    /// The browser refuses the frame, because the merchant's list of allowed origins does not have the caller's.
    OriginNotAllowed,
    /// The frame shows an error page, because the payload is not valid.
    PayloadRefused,
}
