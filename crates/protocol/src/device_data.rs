//! `POST /v1/pub/device-data/initiate`: starts the collection of device data (docs/calls.md#device-data).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The answer. It has both fields, or neither if device data is unavailable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct DeviceDataSession {
    /// The provider's token for this collection, for the form field `JWT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt: Option<String>,
    /// The address that the hidden frame posts to. The page accepts only messages from exactly this origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}
