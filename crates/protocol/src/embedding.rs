//! What `GET /v1/pub/embedding` answers to the SDK of a page whose frame sends no message.

use serde::{Deserialize, Serialize};

/// Whether the caller's page may show the form of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct Embedding {
    /// What the browser does with the frame.
    pub result: Embeds,
}

/// What a browser does with the form's frame in the caller's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Embeds {
    /// It shows the form.
    Allowed,
    /// It refuses: the merchant has a list of allowed origins without the caller's.
    OriginNotAllowed,
    /// It shows no form, because the payload is not valid.
    PayloadRefused,
}
