//! `POST /v1/pub/device-data/initiate`: what the page needs to collect device data (docs/calls.md#device-data).

use serde::{Deserialize, Serialize};

/// The answer: both or, when there is no device data to be had, neither.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct DeviceDataSession {
    /// The provider's token for this collection; goes into the form field `JWT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub jwt: Option<String>,
    /// The address that the hidden frame posts to. The page accepts only messages from exactly this origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub url: Option<String>,
}
