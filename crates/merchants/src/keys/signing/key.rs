//! One signing key. It signs tokens with Ed25519. Two more keys are derived from it, so that they change with it: one
//! opens sealed cards, the other signs payloads with HMAC. A payload is checked for each page and by this service only;
//! an Ed25519 check would take as long as the rest of the page.

use std::sync::Arc;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::hmac::{self, HMAC_SHA256};
use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, Header};
use protocol::CardKey;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use vault::CardPrivateKey;
use zeroize::Zeroizing;

use super::SigningError;

/// Separates the key for payloads from other keys that are derived from the same signing key.
const PAYLOADS: &[u8] = b"cardform signing key v1: sign payloads";

/// A key that signs, and checks what it has signed.
pub struct SigningKey {
    id: String,
    tokens: Ed25519KeyPair,
    payloads: hmac::Key,
    cards: CardPrivateKey,
    /// The public part of `cards`, which every page contains.
    card_key: Arc<CardKey>,
}

/// Shows the id and nothing of the key.
impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl SigningKey {
    /// Reads a private key in PKCS #8; `None` if it cannot be used.
    pub(super) fn from_der(id: &str, der: &[u8]) -> Option<Self> {
        let secret = Salt::new(HKDF_SHA256, &[]).extract(der);
        let cards = CardPrivateKey::derive(der)?;
        Some(Self {
            id: id.to_owned(),
            tokens: Ed25519KeyPair::from_pkcs8(der).ok()?,
            payloads: secret.expand(&[PAYLOADS], HMAC_SHA256).ok()?.into(),
            card_key: card_key(id, &cards).into(),
            cards,
        })
    }

    /// `sig_…`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The key that opens cards sealed under this key's id.
    pub fn cards(&self) -> &CardPrivateKey {
        &self.cards
    }

    /// The public part of the key that opens sealed cards.
    pub fn card_key(&self) -> &Arc<CardKey> {
        &self.card_key
    }

    /// Signs a payload. The signature has 32 bytes.
    pub fn sign_payload(&self, bytes: &[u8]) -> Vec<u8> {
        hmac::sign(&self.payloads, bytes).as_ref().to_vec()
    }

    /// Whether this key made the signature of these bytes.
    pub fn signed_payload(&self, bytes: &[u8], signature: &[u8]) -> bool {
        hmac::verify(&self.payloads, bytes, signature).is_ok()
    }

    /// The claims as a JWT that contains this key's id.
    pub fn sign_token(&self, claims: &impl Serialize) -> Result<String, SigningError> {
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(self.id.clone());
        let mut token = part(&header)?;
        token.push('.');
        token.push_str(&part(claims)?);
        let signature = self.signature(&token);
        token.push('.');
        token.push_str(&signature);
        Ok(token)
    }

    /// Whether this key signed the JWT.
    ///
    /// The token is signed again: Ed25519 gives one signature for one text, and this takes half of the time of a check
    /// with the public key. The signature covers the header, so a token cannot choose another algorithm.
    pub fn has_signed(&self, token: &str) -> bool {
        token.rsplit_once('.').is_some_and(|(signed, signature)| {
            let ours = self.signature(signed);
            verify_slices_are_equal(ours.as_bytes(), signature.as_bytes()).is_ok()
        })
    }

    /// The last part of a token.
    fn signature(&self, signed: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.tokens.sign(signed.as_bytes()))
    }
}

/// The public part of `cards`, the key for cards that is derived from the signing key `id`.
fn card_key(id: &str, cards: &CardPrivateKey) -> CardKey {
    let (x, y) = cards.coordinates();
    CardKey {
        kid: id.to_owned(),
        kty: "EC".to_owned(),
        crv: "P-256".to_owned(),
        x,
        y,
    }
}

/// The claims of a JWT of `issuer`. The caller must check its signature and its expiry.
pub(super) fn claims<T: DeserializeOwned>(token: &str, issuer: &str) -> Option<T> {
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    let Issuer { iss } = serde_json::from_slice(&claims).ok()?;
    (iss == issuer).then(|| serde_json::from_slice(&claims).ok())?
}

/// The claim that every token of ours has.
#[derive(Deserialize)]
struct Issuer {
    iss: String,
}

/// One part of a token, which is JSON.
fn part(json: &impl Serialize) -> Result<String, SigningError> {
    let json = serde_json::to_vec(json).map_err(|_| SigningError::Key)?;
    Ok(URL_SAFE_NO_PAD.encode(json))
}

/// Makes a new private key in PKCS #8.
pub(super) fn generate() -> Result<Zeroizing<Vec<u8>>, SigningError> {
    let random = aws_lc_rs::rand::SystemRandom::new();
    let der = Ed25519KeyPair::generate_pkcs8(&random).map_err(|_| SigningError::Key)?;
    Ok(Zeroizing::new(der.as_ref().to_vec()))
}

#[cfg(test)]
mod tests;
