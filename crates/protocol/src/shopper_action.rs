//! The action that a charge waits for, such as a 3-D Secure challenge (docs/calls.md#direct-charge).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The action of the shopper that the charge waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ShopperAction {
    /// Visit `url` and come back.
    Redirect {
        /// The page to visit.
        url: String,
    },
    /// Pass the bank's 3-D Secure challenge, whose page at `url` is shown in a frame of this size.
    Challenge {
        /// The challenge's page.
        url: String,
        /// CSS pixels.
        width: u32,
        /// CSS pixels.
        height: u32,
    },
}
