//! One signing key. It signs tokens with Ed25519. Two more keys are derived from it, so that they change with it: one
//! opens sealed cards, the other signs payloads with HMAC. A payload is checked for each page and by this service only;
//! an Ed25519 check would take as long as the rest of the page.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::hmac::{self, HMAC_SHA256};
use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, Header};
use protocol::{CardKey, SharedJson};
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
    card_key: SharedJson<CardKey>,
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
    pub fn card_key(&self) -> &SharedJson<CardKey> {
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
        let of = |issuer: &str| serde_json::json!({ "iss": issuer, "sub": "partner_1" });
        let open = |token: &str| claims::<serde_json::Value>(token, "cardform");
        let ours = key.sign_token(&of("cardform")).unwrap();
        assert_eq!(open(&ours), Some(of("cardform")));
        for other in ["cardform-experiments", "cardfor", ""] {
            let token = key.sign_token(&of(other)).unwrap();
            assert_eq!(open(&token), None, "{other}");
        }
        let none = key
            .sign_token(&serde_json::json!({ "sub": "partner_1" }))
            .unwrap();
        assert_eq!(open(&none), None, "no issuer");
    }

    #[test]
    fn a_token_with_any_changed_character_is_refused() {
        let key = key();
        let token = key.sign_token(&serde_json::json!({ "iss": "cardform" })).unwrap();
        assert!(key.has_signed(&token));
        for at in 0..token.len() {
            let mut changed = token.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            assert!(!key.has_signed(&String::from_utf8(changed).unwrap()), "at {at}");
        }
        for other in ["", ".", "..", &token[..token.len() - 1], &format!("{token}=")] {
            assert!(!key.has_signed(other), "{other}");
        }
    }

    #[test]
    fn anybody_can_check_a_token_with_the_public_key() {
        use aws_lc_rs::signature::KeyPair;
        use jsonwebtoken::{DecodingKey, Validation, decode};

        let key = key();
        let claims = serde_json::json!({ "iss": "cardform", "sub": "partner_1" });
        let token = key.sign_token(&claims).unwrap();
        let public = DecodingKey::from_ed_der(key.tokens.public_key().as_ref());
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_required_spec_claims(&["iss"]);
        validation.validate_exp = false;
        let opened = decode::<serde_json::Value>(&token, &public, &validation).unwrap();
        assert_eq!(opened.claims, claims);
        assert_eq!(opened.header.kid.as_deref(), Some("sig_1"));
    }

    #[test]
    fn a_keys_debug_text_is_only_its_id() {
        assert_eq!(format!("{:?}", key()), r#"SigningKey { id: "sig_1", .. }"#);
    }
}
