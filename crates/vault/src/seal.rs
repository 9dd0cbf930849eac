//! Sealing a card number with AES-256-GCM under a data key of its own, which a key-encryption key wraps.

use aws_lc_rs::aead::{AES_256_GCM, LessSafeKey, UnboundKey};
use serde::Deserialize;
use zeroize::Zeroizing;

use crate::boxed::{close, open};
use crate::key_ring::KeyRing;
use crate::stack::cleaned;
use crate::{CardRecord, PAN_DIGITS_MAX, Pan, SealError};

const DATA_KEY_BYTES: usize = 32;
/// A number is sealed as its length and its digits, padded, so that all sealed numbers have the same length.
const NUMBER_BYTES: usize = 1 + PAN_DIGITS_MAX;

const NUMBER: &str = "number";
const DATA_KEY: &str = "data key";

/// A card number in storage. Both texts are base64.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Sealed {
    /// The key-encryption key that wraps the data key.
    pub key_id: String,
    /// The data key, wrapped. Destroying it destroys the number.
    pub wrapped_key: String,
    /// The number, sealed by the data key.
    #[serde(rename = "sealed_number")]
    pub number: String,
}

impl KeyRing {
    /// Seals a number for this record, under a fresh data key that the active key wraps.
    pub fn seal(&self, pan: &Pan, record: CardRecord<'_>) -> Result<Sealed, SealError> {
        cleaned(|| self.seal_number(pan, record))
    }

    fn seal_number(&self, pan: &Pan, record: CardRecord<'_>) -> Result<Sealed, SealError> {
        let mut data_key = Zeroizing::new([0_u8; DATA_KEY_BYTES]);
        aws_lc_rs::rand::fill(&mut *data_key).map_err(|_| SealError::Library)?;
        let digits = pan.expose().as_bytes();
        let mut content = Zeroizing::new([0_u8; NUMBER_BYTES]);
        content[0] = u8::try_from(digits.len()).map_err(|_| SealError::Library)?;
        content[1..=digits.len()].copy_from_slice(digits);
        let number = close(
            &cipher(data_key.as_slice())?,
            content.as_slice(),
            &record.bytes(NUMBER, ""),
        )?;
        self.wrap(data_key.as_slice(), number, record)
    }

    /// Opens a number that was sealed for this record.
    pub fn open(&self, sealed: &Sealed, record: CardRecord<'_>) -> Result<Pan, SealError> {
        cleaned(|| self.open_number(sealed, record))
    }

    fn open_number(&self, sealed: &Sealed, record: CardRecord<'_>) -> Result<Pan, SealError> {
        let data_key = self.unwrap_data_key(sealed, record)?;
        let content = open(
            &cipher(&data_key)?,
            &sealed.number,
            &record.bytes(NUMBER, ""),
            NUMBER_BYTES,
        )?;
        let length = content.first().copied().map_or(0, usize::from);
        let digits = content.get(1..=length).ok_or(SealError::Unusable)?;
        let text = std::str::from_utf8(digits).map_err(|_| SealError::Unusable)?;
        Pan::parse(text).map_err(|_| SealError::Unusable)
    }

    /// Wraps the data key again, with the active key; the sealed number stays the same.
    pub fn rewrap(&self, sealed: &Sealed, record: CardRecord<'_>) -> Result<Sealed, SealError> {
        cleaned(|| {
            let data_key = self.unwrap_data_key(sealed, record)?;
            self.wrap(&data_key, sealed.number.clone(), record)
        })
    }

    fn wrap(&self, data_key: &[u8], number: String, record: CardRecord<'_>) -> Result<Sealed, SealError> {
        let key = self.active();
        let wrapped_key = close(&key.wrapping, data_key, &record.bytes(DATA_KEY, &key.id))?;
        Ok(Sealed {
            key_id: key.id.clone(),
            wrapped_key,
            number,
        })
    }

    fn unwrap_data_key(
        &self,
        sealed: &Sealed,
        record: CardRecord<'_>,
    ) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let key = self.key(&sealed.key_id).ok_or(SealError::UnknownKey)?;
        open(
            &key.wrapping,
            &sealed.wrapped_key,
            &record.bytes(DATA_KEY, &key.id),
            DATA_KEY_BYTES,
        )
    }
}

fn cipher(data_key: &[u8]) -> Result<LessSafeKey, SealError> {
    UnboundKey::new(&AES_256_GCM, data_key)
        .map(LessSafeKey::new)
        .map_err(|_| SealError::Unusable)
}

#[cfg(test)]
mod tests;
