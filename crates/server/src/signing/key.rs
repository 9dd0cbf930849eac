//! One signing key. It signs tokens with Ed25519. Two more keys are derived from it, so that they change with it: one
//! opens sealed cards, the other signs payloads with HMAC. A payload is checked for each page and by this service only;
//! an Ed25519 check would take as long as the rest of the page.

use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::hmac::{self, HMAC_SHA256};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::Serialize;
use serde::de::DeserializeOwned;
use vault::CardPrivateKey;
use zeroize::Zeroizing;

use super::SigningError;

/// Separates the key for payloads from other keys that are derived from the same signing key.
const PAYLOADS: &[u8] = b"cardform signing key v1: sign payloads";

/// A key that signs, and checks what it has signed.
pub struct SigningKey {
    id: String,
    encoding: EncodingKey,
    decoding: DecodingKey,
    payloads: hmac::Key,
    cards: CardPrivateKey,
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

    /// The key that opens cards sealed under this key's id.
    pub fn cards(&self) -> &CardPrivateKey {
        &self.cards
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
        jsonwebtoken::encode(&header, claims, &self.encoding).map_err(|_| SigningError::Key)
    }

    /// The claims of a JWT of `issuer` that this key signed. The caller must check the expiry.
    pub fn open_token<T: DeserializeOwned + Clone>(&self, token: &str, issuer: &str) -> Option<T> {
        // Only one algorithm is allowed: a token cannot choose a weaker one, or `none`.
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_issuer(&[issuer]);
        // The caller checks the expiry with its own clock.
        validation.set_required_spec_claims(&["iss"]);
        validation.validate_exp = false;
        let decoded = jsonwebtoken::decode::<T>(token, &self.decoding, &validation).ok()?;
        Some(decoded.claims)
    }
}

/// Makes a new private key in PKCS #8.
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
    fn a_signature_is_valid_only_for_its_own_key_and_payload() {
        let (mine, other) = (key(), key());
        let signature = mine.sign_payload(b"ten");
        assert!(mine.signed_payload(b"ten", &signature));
        assert!(!mine.signed_payload(b"two", &signature));
        assert!(!other.signed_payload(b"ten", &signature));
        assert!(!mine.signed_payload(b"ten", &signature[1..]));
    }

    #[test]
    fn a_token_of_another_issuer_is_refused() {
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
    fn a_keys_debug_text_is_only_its_id() {
        assert_eq!(format!("{:?}", key()), r#"SigningKey { id: "sig_1", .. }"#);
    }
}
