//! What `GET /v1/pub/embedding` says to the SDK of a page whose frame stays silent.

use serde::{Deserialize, Serialize};

/// Whether the caller's page may show the form of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Embedding {
    /// What the browser does with the frame.
    pub result: Embeds,
}

/// What a browser does with the form's frame in the caller's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Embeds {
    /// It shows the form.
    Allowed,
    /// It refuses: the merchant has allowed origins, and the caller's is none of them.
    OriginNotAllowed,
    /// It shows no form: the payload opens none.
    PayloadRefused,
}
