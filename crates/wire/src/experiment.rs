//! Experiments: which of them a shopper is in (docs/experiments.md#the-eight).

use rules::Brand;
use serde::{Deserialize, Serialize};

use crate::Features;

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

/// The answer of `GET /v1/pub/experiment-token`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExperimentToken {
    /// A JWT signed with `EdDSA`, whose claims say what the form assigns to the shopper.
    pub token: String,
    /// The shopper's cookie id, to be kept by a page that has none.
    pub cookie_id: String,
    /// When the token is refused, RFC 3339.
    pub expires_at: String,
}

/// What an experiment token claims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExperimentTokenClaims {
    /// Who signed it: the service's experiments.
    pub iss: String,
    /// The shopper's cookie id.
    pub sub: String,
    /// Which experiments are on.
    pub features: Features,
    /// The experiments that the shopper is really in.
    pub experiments: Vec<Assignment>,
    /// The brands that are shown before one is detected.
    pub available_brands: Vec<Brand>,
    /// Signed at, in seconds since 1970.
    pub iat: i64,
    /// Refused from then on, in seconds since 1970.
    pub exp: i64,
}
