//! Decrypts encrypted features documents. GrowthBook encrypts them with AES-CBC and writes `iv.ciphertext` in base64.

use std::fmt;

use aws_lc_rs::cipher::{AES_128, AES_256, DecryptionContext, PaddedBlockDecryptingKey, UnboundCipherKey};
use aws_lc_rs::iv::FixedLength;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;
use zeroize::Zeroizing;

/// The key of a features document, 128 or 256 bits.
#[derive(Clone)]
pub struct DecryptionKey(Zeroizing<Vec<u8>>);

impl fmt::Debug for DecryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DecryptionKey(…)")
    }
}

/// The key is wrong, or the text is not in GrowthBook's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("Failed to decrypt features")]
pub struct DecryptionFailed;

impl DecryptionKey {
    /// Reads a key as GrowthBook shows it, in base64; `None` for any other text.
    pub fn from_base64(text: &str) -> Option<Self> {
        let key = Zeroizing::new(STANDARD.decode(text.trim()).ok()?);
        matches!(key.len(), 16 | 32).then_some(Self(key))
    }

    /// Decrypts `sealed`.
    pub fn open(&self, sealed: &str) -> Result<Vec<u8>, DecryptionFailed> {
        let (iv, text) = sealed.split_once('.').ok_or(DecryptionFailed)?;
        let iv = STANDARD.decode(iv).map_err(|_| DecryptionFailed)?;
        let iv: [u8; 16] = iv.try_into().map_err(|_| DecryptionFailed)?;
        let mut text = STANDARD.decode(text).map_err(|_| DecryptionFailed)?;
        let algorithm = if self.0.len() == 16 { &AES_128 } else { &AES_256 };
        let key = UnboundCipherKey::new(algorithm, &self.0).map_err(|_| DecryptionFailed)?;
        let key = PaddedBlockDecryptingKey::cbc_pkcs7(key).map_err(|_| DecryptionFailed)?;
        let context = DecryptionContext::Iv128(FixedLength::from(iv));
        let opened = key.decrypt(&mut text, context).map_err(|_| DecryptionFailed)?;
        Ok(opened.to_vec())
    }
}

#[cfg(test)]
mod tests;
