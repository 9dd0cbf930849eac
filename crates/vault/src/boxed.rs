//! Content encrypted with AES-256-GCM, as base64 text: format, nonce, ciphertext and tag.

use aws_lc_rs::aead::{Aad, LessSafeKey, NONCE_LEN, Nonce};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use crate::SealError;

/// The first byte of every box; another format would get another number.
const FORMAT: u8 = 1;
pub(crate) const TAG_BYTES: usize = 16;

/// How many bytes a box has before base64, for a content of this length.
pub(crate) const fn box_bytes(content_bytes: usize) -> usize {
    1 + NONCE_LEN + content_bytes + TAG_BYTES
}

/// Encrypts a box with a fresh random nonce. It can be opened only with the same `bound_to`.
pub(crate) fn close(key: &LessSafeKey, content: &[u8], bound_to: &[u8]) -> Result<String, SealError> {
    let mut nonce = [0_u8; NONCE_LEN];
    aws_lc_rs::rand::fill(&mut nonce).map_err(|_| SealError::Library)?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(box_bytes(content.len())));
    bytes.push(FORMAT);
    bytes.extend_from_slice(&nonce);
    bytes.extend_from_slice(content);
    let nonce = Nonce::assume_unique_for_key(nonce);
    let tag = key
        .seal_in_place_separate_tag(nonce, Aad::from(bound_to), &mut bytes[1 + NONCE_LEN..])
        .map_err(|_| SealError::Library)?;
    bytes.extend_from_slice(tag.as_ref());
    Ok(STANDARD.encode(&*bytes))
}

/// Opens a box with a content of at most `content_bytes_max` bytes; a longer box is refused unread.
pub(crate) fn open(
    key: &LessSafeKey,
    text: &str,
    bound_to: &[u8],
    content_bytes_max: usize,
) -> Result<Zeroizing<Vec<u8>>, SealError> {
    // Base64 is decoded three bytes at a time.
    let mut bytes = Zeroizing::new(vec![0_u8; box_bytes(content_bytes_max) + 2]);
    let length = STANDARD
        .decode_slice(text, &mut bytes)
        .map_err(|_| SealError::Unusable)?;
    let (&format, rest) = bytes[..length].split_first().ok_or(SealError::Unusable)?;
    if format != FORMAT {
        return Err(SealError::Unusable);
    }
    let (nonce, _) = rest.split_first_chunk().ok_or(SealError::Unusable)?;
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let content = key
        .open_in_place(nonce, Aad::from(bound_to), &mut bytes[1 + NONCE_LEN..length])
        .map_err(|_| SealError::Unusable)?;
    Ok(Zeroizing::new(content.to_vec()))
}
