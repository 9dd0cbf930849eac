//! The key-encryption keys: several, each with an id, one of them active. In memory they exist only as the cipher's own
//! state, which is overwritten when it is dropped.

use aws_lc_rs::aead::{AES_256_GCM, LessSafeKey, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Prk, Salt};
use aws_lc_rs::hmac::{self, HMAC_SHA256};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;
use zeroize::{Zeroize, Zeroizing};

/// The longest key id.
pub const KEY_ID_CHARACTERS_MAX: usize = 32;
/// The most keys in a ring: the active one, and those that are being retired or brought in.
pub const KEYS_MAX: usize = 16;

/// A key has 256 bits.
const KEY_BYTES: usize = 32;
/// The labels of the keys that are derived from a key, each for one purpose.
const WRAPPING: &[u8] = b"cardform vault v1: wrap data keys";
const FINGERPRINT: &[u8] = b"cardform vault v1: fingerprint card numbers";
const SECRETS: &[u8] = b"cardform vault v1: wrap secrets of the service";

/// Key-encryption keys by id. One is active and wraps the data keys of new cards. The others open what they wrapped
/// before.
///
/// As text a ring is one key a line (or between spaces), `id:key`, the key being 32 bytes in base64. The first is the
/// active one. Lines that begin with `#` are comments.
///
/// Every seal uses a fresh random nonce, so a wrapping key must be rotated before 2³² seals.
pub struct KeyRing {
    active: RingKey,
    others: Vec<RingKey>,
}

/// One key-encryption key, as the keys that are derived from it.
pub(crate) struct RingKey {
    pub(crate) id: String,
    pub(crate) wrapping: LessSafeKey,
    pub(crate) fingerprint: hmac::Key,
    pub(crate) secrets: LessSafeKey,
}

/// Why a text is not a key ring. No variant contains any part of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum KeyRingError {
    /// There is no key in it.
    #[error("there is no key; `cardform key generate` makes one")]
    Empty,
    /// There are more than [`KEYS_MAX`].
    #[error("there are more than {KEYS_MAX} keys")]
    TooMany,
    /// The key at this place, counted from 1, is not `id:key`.
    #[error("key {0} is not an id of letters, digits, - or _, a colon, and 32 bytes in base64")]
    Malformed(usize),
    /// The key at this place has the id of one before it.
    #[error("key {0} has the id of a key before it")]
    Twice(usize),
    /// The cryptographic library failed.
    #[error("the cryptographic library failed")]
    Library,
}

impl KeyRing {
    /// Reads a ring.
    pub fn parse(text: &str) -> Result<Self, KeyRingError> {
        let words = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'))
            .flat_map(str::split_whitespace);
        let mut keys: Vec<RingKey> = Vec::new();
        for (index, word) in words.enumerate() {
            let place = index + 1;
            if place > KEYS_MAX {
                return Err(KeyRingError::TooMany);
            }
            let key = RingKey::parse(word, place)?;
            if keys.iter().any(|other| other.id == key.id) {
                return Err(KeyRingError::Twice(place));
            }
            keys.push(key);
        }
        if keys.is_empty() {
            return Err(KeyRingError::Empty);
        }
        let active = keys.remove(0);
        Ok(Self { active, others: keys })
    }

    /// The id of the key that wraps from now on.
    pub fn active_id(&self) -> &str {
        &self.active.id
    }

    /// Whether the ring has the key of this id.
    pub fn knows(&self, id: &str) -> bool {
        self.key(id).is_some()
    }

    /// The ids of all keys, the active one first.
    pub fn ids(&self) -> Vec<&str> {
        let keys = std::iter::once(&self.active).chain(&self.others);
        keys.map(|key| key.id.as_str()).collect()
    }

    pub(crate) fn active(&self) -> &RingKey {
        &self.active
    }

    pub(crate) fn others(&self) -> &[RingKey] {
        &self.others
    }

    pub(crate) fn key(&self, id: &str) -> Option<&RingKey> {
        std::iter::once(&self.active)
            .chain(&self.others)
            .find(|key| key.id == id)
    }
}

/// Shows the ids of the keys, never a key.
impl std::fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let others: Vec<_> = self.others.iter().map(|key| &key.id).collect();
        f.debug_struct("KeyRing")
            .field("active", &self.active.id)
            .field("others", &others)
            .finish()
    }
}

impl RingKey {
    fn parse(word: &str, place: usize) -> Result<Self, KeyRingError> {
        let malformed = KeyRingError::Malformed(place);
        let (id, key) = word.split_once(':').ok_or(malformed)?;
        let is_id = (1..=KEY_ID_CHARACTERS_MAX).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if !is_id {
            return Err(malformed);
        }
        // The buffer has a fixed size: one that grows would leave a copy of the key behind in memory.
        let mut bytes = Zeroizing::new([0_u8; KEY_BYTES + 4]);
        let length = STANDARD.decode_slice(key, &mut *bytes).map_err(|_| malformed)?;
        if length != KEY_BYTES {
            return Err(malformed);
        }
        Self::derive(id, &bytes[..KEY_BYTES])
    }

    fn derive(id: &str, key: &[u8]) -> Result<Self, KeyRingError> {
        let root: Prk = Salt::new(HKDF_SHA256, &[]).extract(key);
        let wrapping = root
            .expand(&[WRAPPING], &AES_256_GCM)
            .map_err(|_| KeyRingError::Library)?;
        let fingerprint = root
            .expand(&[FINGERPRINT], HMAC_SHA256)
            .map_err(|_| KeyRingError::Library)?;
        let secrets = root
            .expand(&[SECRETS], &AES_256_GCM)
            .map_err(|_| KeyRingError::Library)?;
        Ok(Self {
            id: id.to_owned(),
            wrapping: LessSafeKey::new(UnboundKey::from(wrapping)),
            fingerprint: hmac::Key::from(fingerprint),
            secrets: LessSafeKey::new(UnboundKey::from(secrets)),
        })
    }
}

/// A new key in a ring's text form, with an id of its own unless one is given.
pub fn generate_key(id: &str) -> Result<Zeroizing<String>, KeyRingError> {
    let mut bytes = Zeroizing::new([0_u8; KEY_BYTES]);
    aws_lc_rs::rand::fill(&mut *bytes).map_err(|_| KeyRingError::Library)?;
    let mut encoded = STANDARD.encode(bytes.as_slice());
    let mut line = Zeroizing::new(String::with_capacity(id.len() + 1 + encoded.len()));
    line.push_str(id);
    line.push(':');
    line.push_str(&encoded);
    encoded.zeroize();
    RingKey::parse(&line, 1)?;
    Ok(line)
}

#[cfg(test)]
mod tests;
