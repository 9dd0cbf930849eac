//! Client secrets: EdDSA JWTs that open one charge, signed with keys that all nodes share through the database.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use wire::{ClientSecretClaims, ExperimentTokenClaims};
use zeroize::Zeroizing;

use crate::clock::Clock;
use crate::experiments::experiment_token;
use crate::ids::{Kind, new_id};
use crate::store::{Charge, Store, StoreError, StoredSigningKey};

/// `iss` of every client secret.
pub const ISSUER: &str = "cardform";

/// The longest client secret that is looked at, in bytes. Ours are some hundred; a merchant's list of origins grows them.
const CLIENT_SECRET_BYTES_MAX: usize = 8 * 1024;

/// Signs and checks client secrets.
pub struct ClientSecrets {
    store: Store,
    clock: Clock,
    lifetime: Duration,
    active: Arc<SigningKey>,
    known: RwLock<HashMap<String, Arc<SigningKey>>>,
}

struct SigningKey {
    id: String,
    sign: EncodingKey,
    verify: DecodingKey,
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
    Store(#[from] StoreError),
}

/// Signing failed: no key of that id, or a stored key is unusable.
#[derive(Debug, Error)]
pub enum SigningError {
    /// The keys could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no usable signing key.
    #[error("there is no usable key to sign client secrets with")]
    Key,
}

/// A client secret with what there is to say about it.
#[derive(Debug, Clone)]
pub struct Signed {
    /// The bearer token.
    pub token: String,
    /// What it claims.
    pub claims: ClientSecretClaims,
    /// The key that signed it.
    pub key_id: String,
}

impl ClientSecrets {
    /// Reads the signing keys, and makes the first one when there is none. Two nodes that do so at once make two keys,
    /// of which each node knows the other's when it meets it.
    pub async fn load(store: Store, clock: Clock, lifetime: Duration) -> Result<Self, SigningError> {
        if store.signing_keys().await?.is_empty() {
            store.add_signing_key(&generate(&clock)?).await?;
        }
        let mut known = HashMap::new();
        let mut active = None;
        for stored in store.signing_keys().await? {
            let key = Arc::new(SigningKey::read(&stored).ok_or(SigningError::Key)?);
            active.get_or_insert_with(|| Arc::clone(&key));
            known.insert(stored.id, key);
        }
        Ok(Self {
            store,
            clock,
            lifetime,
            active: active.ok_or(SigningError::Key)?,
            known: RwLock::new(known),
        })
    }

    /// A client secret for this charge, good from now on.
    pub fn issue(&self, charge: &Charge, allowed_origins: &[String]) -> Result<Signed, SigningError> {
        let now = self.clock.now_seconds();
        let lifetime = i64::try_from(self.lifetime.as_secs()).unwrap_or(i64::MAX);
        let token_id = new_id(Kind::Token, &self.clock);
        let claims = claims(
            charge,
            allowed_origins,
            token_id,
            now,
            now.saturating_add(lifetime),
        );
        sign(&self.active, claims)
    }

    /// The client secret that was issued before with these particulars, byte for byte.
    pub async fn issue_again(
        &self,
        charge: &Charge,
        allowed_origins: &[String],
        issued: Issued<'_>,
    ) -> Result<Signed, SigningError> {
        let key = self.key(issued.key_id).await?.ok_or(SigningError::Key)?;
        let token_id = issued.token_id.to_owned();
        sign(
            &key,
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
    pub fn sign_experiments(&self, claims: &ExperimentTokenClaims) -> Result<String, SigningError> {
        encoded(&self.active, claims)
    }

    /// What such a token claims, provided that this service signed it and that it has not expired.
    pub async fn verify_experiments(&self, token: &str) -> Result<ExperimentTokenClaims, ClientSecretError> {
        let claims: ExperimentTokenClaims = self.opened(token, experiment_token::ISSUER).await?;
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
        let key = self.key(&key_id).await?.ok_or(ClientSecretError::Invalid)?;
        // One algorithm: a token cannot choose a weaker one, nor `none`.
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_issuer(&[issuer]);
        // The time is checked below, against our own clock and without leeway.
        validation.required_spec_claims.clear();
        validation.validate_exp = false;
        jsonwebtoken::decode::<T>(token, &key.verify, &validation)
            .map(|decoded| decoded.claims)
            .map_err(|_| ClientSecretError::Invalid)
    }

    /// The key of this id; another node may have made it after we started.
    async fn key(&self, id: &str) -> Result<Option<Arc<SigningKey>>, StoreError> {
        let known = self
            .known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .cloned();
        if known.is_some() {
            return Ok(known);
        }
        let stored = self.store.signing_key(id).await?;
        let key = stored.as_ref().and_then(SigningKey::read).map(Arc::new);
        if let Some(key) = &key {
            let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
            all.insert(id.to_owned(), Arc::clone(key));
        }
        Ok(key)
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

impl SigningKey {
    fn read(stored: &StoredSigningKey) -> Option<Self> {
        let der = Zeroizing::new(STANDARD.decode(&stored.private_key).ok()?);
        let pair = Ed25519KeyPair::from_pkcs8(&der).ok()?;
        Some(Self {
            id: stored.id.clone(),
            sign: EncodingKey::from_ed_der(&der),
            verify: DecodingKey::from_ed_der(pair.public_key().as_ref()),
        })
    }
}

/// A new signing key, to be stored.
fn generate(clock: &Clock) -> Result<StoredSigningKey, SigningError> {
    let random = aws_lc_rs::rand::SystemRandom::new();
    let der = Ed25519KeyPair::generate_pkcs8(&random).map_err(|_| SigningError::Key)?;
    Ok(StoredSigningKey {
        id: new_id(Kind::SigningKey, clock),
        private_key: STANDARD.encode(der.as_ref()),
        created_at: clock.now_ms(),
    })
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

fn encoded(key: &SigningKey, claims: &impl Serialize) -> Result<String, SigningError> {
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some(key.id.clone());
    jsonwebtoken::encode(&header, claims, &key.sign).map_err(|_| SigningError::Key)
}

fn sign(key: &SigningKey, claims: ClientSecretClaims) -> Result<Signed, SigningError> {
    Ok(Signed {
        token: encoded(key, &claims)?,
        claims,
        key_id: key.id.clone(),
    })
}
