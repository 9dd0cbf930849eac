//! Card fields that the page seals before it sends them to this service: a compact JWE (RFC 7516) with ECDH-ES over
//! P-256 and A256GCM (RFC 7518). A proxy, a log or a trace that sees the request learns nothing about the card.
//!
//! The protected header names the charge and the client secret that the fields are for. A sealed card therefore pays no
//! other charge, and only while its client secret is valid.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::digest::{Context, SHA256};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::hmac::HMAC_SHA256;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::boxed::TAG_BYTES;
use crate::stack::cleaned;

/// The longest sealed card that is accepted, in bytes; a usual one has about five hundred.
pub const SEALED_CARD_BYTES_MAX: usize = 2 * 1024;

const AGREEMENT: &str = "ECDH-ES";
const CIPHER: &str = "A256GCM";
/// The length of the cipher's key in bits, which the derivation of RFC 7518 (4.6.2) needs.
const CIPHER_KEY_BITS: u32 = 256;
/// An uncompressed point: a marker byte and two coordinates.
const POINT_BYTES: usize = 1 + 2 * COORDINATE_BYTES;
const COORDINATE_BYTES: usize = 32;
const UNCOMPRESSED: u8 = 4;
/// About one of 2³² secrets does not give a private key; then the next label is tried.
const DERIVATIONS_MAX: u8 = 8;
const LABEL: &[u8] = b"cardform card key v1: open sealed cards";

/// A key that opens sealed cards. Its public half is published with the page.
pub struct CardPrivateKey {
    private: PrivateKey,
    public: [u8; POINT_BYTES],
}

/// Shows nothing of the key.
impl std::fmt::Debug for CardPrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CardKey").finish_non_exhaustive()
    }
}

/// Why a sealed card cannot be opened. No variant contains any part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SealedCardError {
    /// It is not a compact JWE as pages make it.
    #[error("this is not a compact JWE with ECDH-ES over P-256 and A256GCM")]
    Malformed,
    /// It was changed, or sealed for another key.
    #[error("the sealed card is damaged, or was sealed for another key")]
    Unusable,
}

/// A sealed card that was read and is not opened yet.
#[derive(Debug)]
pub struct SealedCard<'a> {
    header: Header,
    /// The header as it was received; the encryption authenticates it.
    covered: &'a str,
    nonce: [u8; 12],
    /// Ciphertext and tag.
    content: Zeroizing<Vec<u8>>,
}

/// Other fields such as `crit` and `zip` are refused, because a reader must understand them (RFC 7516, 4.1.13).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    alg: String,
    enc: String,
    kid: String,
    epk: Point,
    charge_id: String,
    jti: String,
}

#[derive(Debug, Deserialize)]
struct Point {
    kty: String,
    crv: String,
    x: String,
    y: String,
}

/// The fields that the shopper typed.
pub struct CardFields {
    /// The card number; absent with a saved card.
    pub number: Option<Zeroizing<String>>,
    /// The security code.
    pub security_code: Zeroizing<String>,
}

/// Shows nothing of the card.
impl std::fmt::Debug for CardFields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CardFields").finish_non_exhaustive()
    }
}

/// The content. Digits need no escapes in JSON, so the texts are borrowed and not copied.
#[derive(Deserialize)]
struct SealedContent<'a> {
    #[serde(borrow)]
    number: Option<&'a str>,
    security_code: &'a str,
}

impl CardPrivateKey {
    /// Derives the key from a secret; the same secret always gives the same key.
    pub fn derive(secret: &[u8]) -> Option<Self> {
        let root = Salt::new(HKDF_SHA256, &[]).extract(secret);
        (0..DERIVATIONS_MAX).find_map(|attempt| {
            let mut scalar = Zeroizing::new([0_u8; COORDINATE_BYTES]);
            let labels: [&[u8]; 2] = [LABEL, &[attempt]];
            root.expand(&labels, HMAC_SHA256)
                .and_then(|derived| derived.fill(scalar.as_mut_slice()))
                .ok()?;
            let private = PrivateKey::from_private_key(&ECDH_P256, scalar.as_slice()).ok()?;
            let public = private.compute_public_key().ok()?;
            Some(Self {
                public: public.as_ref().try_into().ok()?,
                private,
            })
        })
    }

    /// The public key's coordinates x and y, as a JSON Web Key has them.
    pub fn coordinates(&self) -> (String, String) {
        let (x, y) = self.public[1..].split_at(COORDINATE_BYTES);
        (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y))
    }

    /// The shared key, which each side derives from its own private key and the other side's public key.
    fn agreed(&self, point: &[u8; POINT_BYTES]) -> Result<Zeroizing<[u8; 32]>, SealedCardError> {
        let peer = UnparsedPublicKey::new(&ECDH_P256, point);
        agree(&self.private, peer, SealedCardError::Unusable, |shared| {
            Ok(derived(shared, CIPHER, "", "", CIPHER_KEY_BITS))
        })
    }
}

impl<'a> SealedCard<'a> {
    /// Reads a sealed card of a page.
    pub fn parse(text: &'a str) -> Result<Self, SealedCardError> {
        let parts: Vec<&str> = text.split('.').collect();
        let [covered, "", nonce, ciphertext, tag] = parts[..] else {
            return Err(SealedCardError::Malformed);
        };
        if text.len() > SEALED_CARD_BYTES_MAX {
            return Err(SealedCardError::Malformed);
        }
        let bytes = |part: &str| {
            URL_SAFE_NO_PAD
                .decode(part)
                .map_err(|_| SealedCardError::Malformed)
        };
        let header: Header =
            serde_json::from_slice(&bytes(covered)?).map_err(|_| SealedCardError::Malformed)?;
        let is_ours = header.alg == AGREEMENT
            && header.enc == CIPHER
            && (header.epk.kty.as_str(), header.epk.crv.as_str()) == ("EC", "P-256");
        let mut content = bytes(ciphertext)?;
        let tag = bytes(tag)?;
        if !is_ours || tag.len() != TAG_BYTES {
            return Err(SealedCardError::Malformed);
        }
        content.extend_from_slice(&tag);
        Ok(Self {
            header,
            covered,
            nonce: bytes(nonce)?.try_into().map_err(|_| SealedCardError::Malformed)?,
            content: Zeroizing::new(content),
        })
    }

    /// The id of the key that it names.
    pub fn key_id(&self) -> &str {
        &self.header.kid
    }

    /// Opens it, if it was sealed for this key, charge and client secret.
    pub fn open(
        self,
        key: &CardPrivateKey,
        charge_id: &str,
        token_id: &str,
    ) -> Result<CardFields, SealedCardError> {
        cleaned(|| self.open_fields(key, charge_id, token_id))
    }

    fn open_fields(
        mut self,
        key: &CardPrivateKey,
        charge_id: &str,
        token_id: &str,
    ) -> Result<CardFields, SealedCardError> {
        if (self.header.charge_id.as_str(), self.header.jti.as_str()) != (charge_id, token_id) {
            return Err(SealedCardError::Unusable);
        }
        let agreed = key.agreed(&self.header.epk.bytes()?)?;
        let cipher = UnboundKey::new(&AES_256_GCM, agreed.as_slice())
            .map(LessSafeKey::new)
            .map_err(|_| SealedCardError::Unusable)?;
        let content = cipher
            .open_in_place(
                Nonce::assume_unique_for_key(self.nonce),
                Aad::from(self.covered.as_bytes()),
                &mut self.content,
            )
            .map_err(|_| SealedCardError::Unusable)?;
        let content: SealedContent<'_> =
            serde_json::from_slice(content).map_err(|_| SealedCardError::Unusable)?;
        Ok(CardFields {
            number: content.number.map(|number| Zeroizing::new(number.to_owned())),
            security_code: Zeroizing::new(content.security_code.to_owned()),
        })
    }
}

impl Point {
    fn bytes(&self) -> Result<[u8; POINT_BYTES], SealedCardError> {
        let mut point = [UNCOMPRESSED; POINT_BYTES];
        for (text, place) in [(&self.x, 1), (&self.y, 1 + COORDINATE_BYTES)] {
            let coordinate = URL_SAFE_NO_PAD.decode(text).ok();
            let coordinate = coordinate.filter(|bytes| bytes.len() == COORDINATE_BYTES);
            point[place..place + COORDINATE_BYTES]
                .copy_from_slice(&coordinate.ok_or(SealedCardError::Malformed)?);
        }
        Ok(point)
    }
}

/// The Concat KDF of RFC 7518 (4.6.2), for keys of at most one digest.
fn derived(shared: &[u8], algorithm: &str, apu: &str, apv: &str, bits: u32) -> Zeroizing<[u8; 32]> {
    let mut digest = Context::new(&SHA256);
    digest.update(&1_u32.to_be_bytes());
    digest.update(shared);
    for text in [algorithm, apu, apv] {
        digest.update(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
        digest.update(text.as_bytes());
    }
    digest.update(&bits.to_be_bytes());
    let mut key = Zeroizing::new([0_u8; 32]);
    key.copy_from_slice(digest.finish().as_ref());
    key
}

#[cfg(test)]
mod tests;
