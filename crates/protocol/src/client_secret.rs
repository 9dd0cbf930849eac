//! The client secret: the bearer token that opens one charge (docs/calls.md#client-secret).

use serde::{Deserialize, Serialize};

/// What a client secret, a JWT signed with `EdDSA`, claims. The server believes these and nothing the page says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClientSecretClaims {
    /// Who signed it: the service.
    pub iss: String,
    /// The partner (merchant) the charge belongs to.
    pub sub: String,
    /// The charge it opens.
    pub charge_id: String,
    /// The shopper whose saved cards it opens; empty for a guest.
    pub shopper_id: String,
    /// The charge's amount, a decimal string.
    pub amount_value: String,
    /// The charge's currency, ISO 4217.
    pub amount_currency: String,
    /// The origins that may embed the form; empty for any.
    pub allowed_origins: Vec<String>,
    /// Signed at, in seconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub iat: i64,
    /// Refused from then on, in seconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub exp: i64,
    /// The token's own id.
    pub jti: String,
}
