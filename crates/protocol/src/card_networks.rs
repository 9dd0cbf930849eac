//! `POST /v1/pub/card-networks`: between which networks a shopper can choose (docs/calls.md#card-networks).

use rules::Brand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The request. The rest of the number never leaves the page for this.
#[derive(Debug, Clone, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct NetworkLookup {
    /// The first eight digits of a card number.
    #[schemars(pattern("^[0-9]{8}$"))]
    pub prefix: String,
}

/// The networks of numbers that begin with the prefix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct NumberNetworks {
    /// Empty if no number with the prefix has a network of its own.
    pub ranges: Vec<NetworkRange>,
}

/// The networks of numbers of one length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct NetworkRange {
    /// How many digits the number has.
    pub length: u8,
    /// One network, or the two between which the shopper chooses.
    #[ts(type = "BrandName[]")]
    pub networks: Vec<Brand>,
}
