//! The client secret: the bearer token that opens one charge (docs/calls.md#client-secret).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The claims of a client secret, a JWT signed with `EdDSA`. The server trusts these claims and never the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClientSecretClaims {
    /// Who signed it: the service.
    pub iss: String,
    /// The partner (merchant) of the charge.
    pub sub: String,
    /// The charge that the secret opens.
    pub charge_id: String,
    /// The shopper whose saved cards the secret opens; empty for a guest.
    pub shopper_id: String,
    /// The charge's amount, a decimal string.
    pub amount_value: String,
    /// The charge's currency, ISO 4217.
    pub amount_currency: String,
    /// The origins that may embed the form; empty for any.
    pub allowed_origins: Vec<String>,
    /// Signed at, in seconds since 1970.
    #[ts(type = "number")]
    pub iat: i64,
    /// Expires at, in seconds since 1970.
    #[ts(type = "number")]
    pub exp: i64,
    /// The token's own id.
    pub jti: String,
}
