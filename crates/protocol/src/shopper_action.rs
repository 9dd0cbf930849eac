//! What a shopper does besides typing a card (docs/calls.md#direct-charge).

use serde::{Deserialize, Serialize};

/// What the shopper must do before the charge goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ShopperAction {
    /// Visit `url` and come back.
    Redirect {
        /// Where to.
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
