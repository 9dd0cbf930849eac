//! Experiments: which of them a shopper is in (specification, points 3 and 9).

use serde::{Deserialize, Serialize};

/// The variation that a shopper has in an experiment. Features that are on or off by a rule are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Assignment {
    /// The experiment's key, the feature's name when it has none of its own.
    pub experiment_id: String,
    /// The feature that the experiment decides: "enable-save-payment-methods".
    pub feature: String,
    /// Which variation, from 0.
    pub variation_id: u32,
    /// The variation's key, its number when it has none of its own.
    pub variation_key: String,
}
