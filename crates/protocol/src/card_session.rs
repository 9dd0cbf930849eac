//! Card sessions: for a while a shopper's page lists, names and removes the shopper's cards, and adds one
//! (docs/card-page.md).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SaveCardUsage;
use crate::limits::{TEXT_CHARACTERS_MAX, URL_BYTES_MAX};
use crate::patterns::{CURRENCY, NAMED, WEB};

/// How many setups a session can end. Each saves a card.
pub const SESSION_SETUPS_MAX: usize = 10;

/// `POST /v1/shoppers/{shopper_id}/card-sessions`: every field may be absent, and so may the body.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateCardSession {
    /// Where the card page leads back to; `https:` or, for tests on one machine, `http:`.
    #[schemars(length(max = URL_BYTES_MAX), pattern(WEB), example = &"https://shop.example/account")]
    pub return_url: Option<String>,
    /// What the shopper agrees to when a card is added: `on_session`, by default, or `off_session`.
    pub save_card_usage: Option<SaveCardUsage>,
    /// The merchant's own reference, which the setup of each added card has. The session's id if absent.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED), example = &"account-7")]
    pub partner_reference: Option<String>,
    /// ISO 4217: the currency in which the issuer is asked to accept an added card; "USD" if absent. No money moves.
    #[schemars(pattern(CURRENCY), example = &"EUR")]
    pub amount_currency: Option<String>,
}

/// The answer to `POST /v1/shoppers/{shopper_id}/card-sessions`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CardSession {
    /// The session's id: `cs_…`.
    pub id: String,
    /// The card page by itself. Only its shopper may get it: it opens the shopper's cards.
    pub url: String,
    /// For the card page in the merchant's own page.
    pub payload: String,
    /// The session's bearer token. It is no client secret of a charge.
    pub client_secret: String,
    /// When it expires, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub expires_at: String,
}

/// The claims of a card session, a JWT signed with `EdDSA`. Its issuer is another than a client secret's, so it pays nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardSessionClaims {
    /// Who signed it, and for what: the service, for card sessions.
    pub iss: String,
    /// The merchant.
    pub sub: String,
    /// The shopper whose cards it opens.
    pub shopper_id: String,
    /// What the shopper agrees to when a card is added.
    pub save_card_usage: SaveCardUsage,
    /// The merchant's reference of each added card's setup.
    pub partner_reference: String,
    /// The currency of each added card's setup.
    pub amount_currency: String,
    /// Signed at, in seconds since 1970.
    pub iat: i64,
    /// Expires at, in seconds since 1970.
    pub exp: i64,
    /// The session's id.
    pub jti: String,
}
