//! What a merchant asks of strong customer authentication (docs/three-d-secure.md#steer-it).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Whether the bank shall ask the shopper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ThreeDsRequest {
    /// Bank and provider decide.
    #[default]
    Automatic,
    /// The bank shall show its challenge.
    Challenge,
}

/// Why the bank shall not ask the shopper. The bank may ask all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ScaExemption {
    /// The amount is small.
    LowValue,
    /// The provider's analysis found little risk.
    TransactionRiskAnalysis,
}
