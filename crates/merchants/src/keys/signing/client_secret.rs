//! Client secrets: JWTs signed with `EdDSA`, each of which gives access to one charge. Card sessions and links are signed the
//! same way, under other issuers.

use std::sync::Arc;
use std::time::Duration;

use protocol::clock::Clock;
use protocol::ids::{IdKind, new_id};
use protocol::{CardSessionClaims, ClientSecretClaims, ExperimentTokenClaims};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use store::Charge;
use thiserror::Error;

use super::checked_tokens::CheckedTokens;
use super::key;
use crate::keys::signing::{SigningError, SigningKey, SigningKeys};

/// The `iss` of every client secret.
pub const ISSUER: &str = "cardform";
/// The `iss` of every experiment token, so that none can be used as a client secret.
pub const EXPERIMENT_TOKEN_ISSUER: &str = "cardform-experiments";

/// The `iss` of every card session, so that none can be used as a client secret.
const CARD_SESSION_ISSUER: &str = "cardform-cards";

/// The `iss` of every link to a charge.
const LINK_ISSUER: &str = "cardform-link";

/// The longest client secret that is checked, in bytes. Ours have a few hundred, and more with a merchant's list of
/// origins.
const CLIENT_SECRET_BYTES_MAX: usize = 8 * 1024;

/// Signs and checks client secrets. Cheap to clone.
#[derive(Clone)]
pub struct ClientSecrets {
    pub(super) keys: Arc<SigningKeys>,
    checked: CheckedTokens,
    clock: Clock,
    lifetime: Duration,
}

/// Why a client secret is refused.
#[derive(Debug, Error)]
pub enum ClientSecretError {
    /// It is malformed, has another algorithm, or is not signed by this service.
    #[error("the client secret is not one of this service")]
    Invalid,
    /// It was valid, but has expired.
    #[error("the client secret has expired")]
    Expired,
    /// The keys could not be read.
    #[error(transparent)]
    Keys(#[from] SigningError),
}

/// A client secret with its claims and its key.
#[derive(Debug, Clone)]
pub struct Signed {
    /// The bearer token.
    pub token: String,
    /// Its claims.
    pub claims: ClientSecretClaims,
    /// The key that signed it.
    pub key: Arc<SigningKey>,
}

/// A card session's token with its claims and its key.
#[derive(Debug, Clone)]
pub struct SignedCardSession {
    /// The bearer token.
    pub token: String,
    /// Its claims.
    pub claims: CardSessionClaims,
    /// The key that signed it.
    pub key: Arc<SigningKey>,
}

impl ClientSecrets {
    /// Signs with these keys. Client secrets are valid for `lifetime`.
    pub fn new(keys: Arc<SigningKeys>, clock: Clock, lifetime: Duration) -> Self {
        Self {
            keys,
            checked: CheckedTokens::default(),
            clock,
            lifetime,
        }
    }

    /// A new client secret for this charge.
    pub async fn issue(&self, charge: &Charge, allowed_origins: &[String]) -> Result<Signed, SigningError> {
        let now = self.clock.now_seconds();
        let lifetime = i64::try_from(self.lifetime.as_secs()).unwrap_or(i64::MAX);
        let token_id = new_id(IdKind::Token, &self.clock);
        let claims = claims(
            charge,
            allowed_origins,
            token_id,
            now,
            now.saturating_add(lifetime),
        );
        self.sign(self.keys.active().await?, claims)
    }

    /// The same client secret as before, byte for byte, made again from its stored parts. If its key has ended, a
    /// new client secret, because the old one would be refused.
    pub async fn issue_again(
        &self,
        charge: &Charge,
        allowed_origins: &[String],
        issued: Issued<'_>,
    ) -> Result<Signed, SigningError> {
        let Some(key) = self.keys.key(issued.key_id).await? else {
            return self.issue(charge, allowed_origins).await;
        };
        let token_id = issued.token_id.to_owned();
        self.sign(
            key,
            claims(charge, allowed_origins, token_id, issued.iat, issued.exp),
        )
    }

    fn sign(&self, key: Arc<SigningKey>, claims: ClientSecretClaims) -> Result<Signed, SigningError> {
        let token = key.sign_token(&claims)?;
        self.checked.note(&token);
        Ok(Signed { token, claims, key })
    }

    /// The claims of a client secret that this service signed, and whether it has expired.
    pub async fn verify_signature(
        &self,
        token: &str,
    ) -> Result<(ClientSecretClaims, bool), ClientSecretError> {
        let claims: ClientSecretClaims = self.opened(token, ISSUER).await?;
        let has_expired = self.has_passed(claims.exp);
        Ok((claims, has_expired))
    }

    /// A card session with these claims. The issuer and the times are set here.
    pub async fn issue_card_session(
        &self,
        claims: CardSessionClaims,
    ) -> Result<SignedCardSession, SigningError> {
        let now = self.clock.now_seconds();
        let lifetime = i64::try_from(self.lifetime.as_secs()).unwrap_or(i64::MAX);
        let claims = CardSessionClaims {
            iss: CARD_SESSION_ISSUER.to_owned(),
            iat: now,
            exp: now.saturating_add(lifetime),
            ..claims
        };
        let key = self.keys.active().await?;
        let token = key.sign_token(&claims)?;
        self.checked.note(&token);
        Ok(SignedCardSession { token, claims, key })
    }

    /// The claims of a card session that this service signed and that has not expired.
    pub async fn verify_card_session(&self, token: &str) -> Result<CardSessionClaims, ClientSecretError> {
        let claims: CardSessionClaims = self.opened(token, CARD_SESSION_ISSUER).await?;
        if self.has_passed(claims.exp) {
            return Err(ClientSecretError::Expired);
        }
        Ok(claims)
    }

    /// The claims of a link that this service signed. A link has no end of its own: it is valid as long as its key.
    pub async fn verify_link(&self, token: &str) -> Result<LinkClaims, ClientSecretError> {
        self.opened(token, LINK_ISSUER).await
    }

    /// Signs an experiment token. It does not give the access of a client secret.
    pub async fn sign_experiments(&self, claims: &ExperimentTokenClaims) -> Result<String, SigningError> {
        self.keys.active().await?.sign_token(claims)
    }

    /// The claims of an experiment token that this service signed and that has not expired.
    pub async fn verify_experiments(&self, token: &str) -> Result<ExperimentTokenClaims, ClientSecretError> {
        let claims: ExperimentTokenClaims = self.opened(token, EXPERIMENT_TOKEN_ISSUER).await?;
        if self.has_passed(claims.exp) {
            return Err(ClientSecretError::Expired);
        }
        Ok(claims)
    }

    fn has_passed(&self, seconds: i64) -> bool {
        seconds <= self.clock.now_seconds()
    }

    /// The claims of a token of `issuer` that this service signed. It may have expired.
    async fn opened<T: DeserializeOwned>(&self, token: &str, issuer: &str) -> Result<T, ClientSecretError> {
        if token.len() > CLIENT_SECRET_BYTES_MAX {
            return Err(ClientSecretError::Invalid);
        }
        let header = jsonwebtoken::decode_header(token).map_err(|_| ClientSecretError::Invalid)?;
        let key_id = header.kid.ok_or(ClientSecretError::Invalid)?;
        let key = self.keys.key(&key_id).await?.ok_or(ClientSecretError::Invalid)?;
        if !self.checked.check(token, || key.has_signed(token)) {
            return Err(ClientSecretError::Invalid);
        }
        key::claims(token, issuer).ok_or(ClientSecretError::Invalid)
    }
}

/// The claims of a link: the charge that it opens, at the amount that its merchant has sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkClaims {
    iss: String,
    /// The merchant.
    pub sub: String,
    /// The charge.
    pub charge_id: String,
    /// A decimal string.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
}

/// The link of this charge, which gets a client secret whenever it is opened.
pub fn sign_link(charge: &Charge, key: &SigningKey) -> Result<String, SigningError> {
    key.sign_token(&LinkClaims {
        iss: LINK_ISSUER.to_owned(),
        sub: charge.partner_id.clone(),
        charge_id: charge.id.clone(),
        amount_value: charge.amount_value.clone(),
        amount_currency: charge.amount_currency.clone(),
    })
}

/// The stored parts of a client secret, from which it can be made again.
#[derive(Debug, Clone, Copy)]
pub struct Issued<'a> {
    /// Its `jti`.
    pub token_id: &'a str,
    /// Its `kid`.
    pub key_id: &'a str,
    /// Its `iat`, in seconds since 1970.
    pub iat: i64,
    /// Its `exp`, in seconds since 1970.
    pub exp: i64,
}

fn claims(
    charge: &Charge,
    allowed_origins: &[String],
    token_id: String,
    iat: i64,
    exp: i64,
) -> ClientSecretClaims {
    ClientSecretClaims {
        iss: ISSUER.to_owned(),
        sub: charge.partner_id.clone(),
        charge_id: charge.id.clone(),
        shopper_id: charge.shopper_id.clone(),
        amount_value: charge.amount_value.clone(),
        amount_currency: charge.amount_currency.clone(),
        allowed_origins: allowed_origins.to_vec(),
        iat,
        exp,
        jti: token_id,
    }
}
