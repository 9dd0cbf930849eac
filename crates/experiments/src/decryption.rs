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
mod tests {
    use super::*;

    #[test]
    fn a_key_is_16_or_32_bytes_in_base64_and_is_not_shown() {
        for (bytes, is_key) in [(16, true), (32, true), (0, false), (15, false), (24, false)] {
            let key = DecryptionKey::from_base64(&STANDARD.encode(vec![7; bytes]));
            assert_eq!(key.is_some(), is_key, "{bytes}");
        }
        assert!(DecryptionKey::from_base64("not base64!").is_none());
        let key = DecryptionKey::from_base64("Zvwv/+uhpFDznZ6SX28Yjg==").unwrap();
        assert_eq!(format!("{key:?}"), "DecryptionKey(…)");
    }

    #[test]
    fn an_encrypted_text_is_opened_only_with_its_key() {
        let sealed =
            "m5ylFM6ndyOJA2OPadubkw==.Uu7ViqgKEt/dWvCyhI46q088PkAEJbnXKf3KPZjf9IEQQ+A8fojNoxw4wIbPX3aj";
        let key = DecryptionKey::from_base64("Zvwv/+uhpFDznZ6SX28Yjg==").unwrap();
        assert_eq!(key.open(sealed).unwrap(), br#"{"feature":{"defaultValue":true}}"#);
        let other = DecryptionKey::from_base64("Ns04T5n9+59rl2x3SlNHtQ==").unwrap();
        assert_eq!(other.open(sealed), Err(DecryptionFailed));
        for sealed in [
            "",
            ".",
            "m5ylFM6ndyOJA2OPadubkw==",
            "AAAA.AAAA",
            "m5ylFM6ndyOJA2OPadubkw==.AAAA",
        ] {
            assert_eq!(key.open(sealed), Err(DecryptionFailed), "{sealed}");
        }
    }
}
