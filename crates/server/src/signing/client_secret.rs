//! Client secrets: EdDSA JWTs that open one charge, signed with keys that all nodes share through the database.

use std::sync::Arc;
use std::time::Duration;

use model::clock::Clock;
use model::ids::{IdKind, new_id};
use serde::de::DeserializeOwned;
use store::Charge;
use thiserror::Error;
use wire::{ClientSecretClaims, ExperimentTokenClaims};

use crate::signing::{SigningError, SigningKey, SigningKeys};

/// `iss` of every client secret.
pub const ISSUER: &str = "cardform";
/// `iss` of every experiment token: none is a client secret.
pub const EXPERIMENT_TOKEN_ISSUER: &str = "cardform-experiments";

/// The longest client secret that is looked at, in bytes. Ours are some hundred; a merchant's list of origins grows them.
const CLIENT_SECRET_BYTES_MAX: usize = 8 * 1024;

/// Signs and checks client secrets. Cheap to clone.
#[derive(Clone)]
pub struct ClientSecrets {
    pub(super) keys: Arc<SigningKeys>,
    clock: Clock,
    lifetime: Duration,
}

/// Why a client secret does not open anything.
#[derive(Debug, Error)]
pub enum ClientSecretError {
    /// Malformed, of another algorithm, or not signed by this service.
    #[error("the client secret is not one of this service")]
    Invalid,
    /// Good once, now expired.
    #[error("the client secret has expired")]
    Expired,
    /// The keys could not be read.
    #[error(transparent)]
    Keys(#[from] SigningError),
}

/// A client secret with what there is to say about it.
#[derive(Debug, Clone)]
pub struct Signed {
    /// The bearer token.
    pub token: String,
    /// What it claims.
    pub claims: ClientSecretClaims,
    /// The key that signed it.
    pub key: Arc<SigningKey>,
}

impl ClientSecrets {
    /// Signs with these keys client secrets that are good for so long.
    pub fn new(keys: Arc<SigningKeys>, clock: Clock, lifetime: Duration) -> Self {
        Self {
            keys,
            clock,
            lifetime,
        }
    }

    /// A client secret for this charge, good from now on.
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
        sign(self.keys.active().await?, claims)
    }

    /// The client secret that was issued before with these particulars, byte for byte. When the key that signed it has
    /// been ended, it would open nothing: then it is a new one.
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
        sign(
            key,
            claims(charge, allowed_origins, token_id, issued.iat, issued.exp),
        )
    }

    /// What the client secret claims, provided that this service signed it and that it has not expired.
    pub async fn verify(&self, token: &str) -> Result<ClientSecretClaims, ClientSecretError> {
        let claims: ClientSecretClaims = self.opened(token, ISSUER).await?;
        if claims.exp <= self.clock.now_seconds() {
            return Err(ClientSecretError::Expired);
        }
        Ok(claims)
    }

    /// A token of what experiments assign, signed with the same keys. It opens nothing that a client secret does.
    pub async fn sign_experiments(&self, claims: &ExperimentTokenClaims) -> Result<String, SigningError> {
        self.keys.active().await?.sign_token(claims)
    }

    /// What such a token claims, provided that this service signed it and that it has not expired.
    pub async fn verify_experiments(&self, token: &str) -> Result<ExperimentTokenClaims, ClientSecretError> {
        let claims: ExperimentTokenClaims = self.opened(token, EXPERIMENT_TOKEN_ISSUER).await?;
        if claims.exp <= self.clock.now_seconds() {
            return Err(ClientSecretError::Expired);
        }
        Ok(claims)
    }

    /// The claims of a token of `issuer` that this service signed.
    async fn opened<T: DeserializeOwned + Clone>(
        &self,
        token: &str,
        issuer: &str,
    ) -> Result<T, ClientSecretError> {
        if token.len() > CLIENT_SECRET_BYTES_MAX {
            return Err(ClientSecretError::Invalid);
        }
        let header = jsonwebtoken::decode_header(token).map_err(|_| ClientSecretError::Invalid)?;
        let key_id = header.kid.ok_or(ClientSecretError::Invalid)?;
        let key = self.keys.key(&key_id).await?.ok_or(ClientSecretError::Invalid)?;
        key.open_token(token, issuer).ok_or(ClientSecretError::Invalid)
    }
}

/// Particulars of a client secret that was issued before.
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

fn sign(key: Arc<SigningKey>, claims: ClientSecretClaims) -> Result<Signed, SigningError> {
    Ok(Signed {
        token: key.sign_token(&claims)?,
        claims,
        key,
    })
}
