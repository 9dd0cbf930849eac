//! One signing key: Ed25519 for tokens; and derived from it, so that they turn with it, a key that opens sealed cards, and an
//! HMAC for payloads. Only this service reads a payload's
//! signature, and it checks one for each page: an Ed25519 check takes as long as the rest of a page.

use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::hmac::{self, HMAC_SHA256};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::Serialize;
use serde::de::DeserializeOwned;
use vault::CardPrivateKey;
use zeroize::Zeroizing;

use super::SigningError;

/// Keeps what is derived for payloads apart from everything else that may be derived from a signing key.
const PAYLOADS: &[u8] = b"cardform signing key v1: sign payloads";

/// A key that signs, and knows what it signed.
pub struct SigningKey {
    id: String,
    encoding: EncodingKey,
    decoding: DecodingKey,
    payloads: hmac::Key,
    cards: CardPrivateKey,
}

/// Names the key and shows nothing of it.
impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl SigningKey {
    /// Reads a private key in PKCS #8.
    pub(super) fn from_der(id: &str, der: &[u8]) -> Option<Self> {
        let pair = Ed25519KeyPair::from_pkcs8(der).ok()?;
        let secret = Salt::new(HKDF_SHA256, &[]).extract(der);
        Some(Self {
            id: id.to_owned(),
            encoding: EncodingKey::from_ed_der(der),
            decoding: DecodingKey::from_ed_der(pair.public_key().as_ref()),
            payloads: secret.expand(&[PAYLOADS], HMAC_SHA256).ok()?.into(),
            cards: CardPrivateKey::derive(der)?,
        })
    }

    /// `sig_…`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The key that opens what pages seal for this key's id.
    pub fn cards(&self) -> &CardPrivateKey {
        &self.cards
    }

    /// The signature of a payload's bytes: 32 bytes.
    pub fn sign_payload(&self, bytes: &[u8]) -> Vec<u8> {
        hmac::sign(&self.payloads, bytes).as_ref().to_vec()
    }

    /// Whether this key made the signature of these bytes.
    pub fn signed_payload(&self, bytes: &[u8], signature: &[u8]) -> bool {
        hmac::verify(&self.payloads, bytes, signature).is_ok()
    }

    /// The claims as a JWT that names this key.
    pub fn sign_token(&self, claims: &impl Serialize) -> Result<String, SigningError> {
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(self.id.clone());
        jsonwebtoken::encode(&header, claims, &self.encoding).map_err(|_| SigningError::Key)
    }

    /// The claims of a JWT of `issuer` that this key signed. When it expires is for the caller to look at.
    pub fn open_token<T: DeserializeOwned + Clone>(&self, token: &str, issuer: &str) -> Option<T> {
        // One algorithm: a token cannot choose a weaker one, nor `none`.
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_issuer(&[issuer]);
        // The caller's clock decides, without leeway.
        validation.set_required_spec_claims(&["iss"]);
        validation.validate_exp = false;
        let decoded = jsonwebtoken::decode::<T>(token, &self.decoding, &validation).ok()?;
        Some(decoded.claims)
    }
}

/// A new private key in PKCS #8.
pub(super) fn generate() -> Result<Zeroizing<Vec<u8>>, SigningError> {
    let random = aws_lc_rs::rand::SystemRandom::new();
    let der = Ed25519KeyPair::generate_pkcs8(&random).map_err(|_| SigningError::Key)?;
    Ok(Zeroizing::new(der.as_ref().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> SigningKey {
        SigningKey::from_der("sig_1", &generate().unwrap()).unwrap()
    }

    #[test]
    fn a_payloads_signature_is_known_by_its_own_key_and_bytes_alone() {
        let (mine, other) = (key(), key());
        let signature = mine.sign_payload(b"ten");
        assert!(mine.signed_payload(b"ten", &signature));
        assert!(!mine.signed_payload(b"two", &signature));
        assert!(!other.signed_payload(b"ten", &signature));
        assert!(!mine.signed_payload(b"ten", &signature[1..]));
    }

    #[test]
    fn a_token_of_another_issuer_does_not_open() {
        let key = key();
        let claims = |issuer: &str| serde_json::json!({ "iss": issuer, "sub": "partner_1" });
        let open = |token: &str| key.open_token::<serde_json::Value>(token, "cardform");
        let ours = key.sign_token(&claims("cardform")).unwrap();
        assert_eq!(open(&ours), Some(claims("cardform")));
        for other in ["cardform-experiments", "cardfor", ""] {
            let token = key.sign_token(&claims(other)).unwrap();
            assert_eq!(open(&token), None, "{other}");
        }
        let none = key
            .sign_token(&serde_json::json!({ "sub": "partner_1" }))
            .unwrap();
        assert_eq!(open(&none), None, "no issuer");
    }

    #[test]
    fn a_key_shows_its_id_alone() {
        assert_eq!(format!("{:?}", key()), r#"SigningKey { id: "sig_1", .. }"#);
    }
}
