//! The record that a sealed number is bound to, so that it cannot be moved to another partner, shopper or record.

/// The record that a sealed number belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardRecord<'a> {
    /// The merchant's id.
    pub partner_id: &'a str,
    /// The merchant's shopper.
    pub shopper_id: &'a str,
    /// The record's own id: `pm_…`.
    pub id: &'a str,
}

impl CardRecord<'_> {
    /// The record as bytes, for a purpose and a key. Each part is preceded by its length, so that two different records
    /// never have the same bytes.
    pub(crate) fn bytes(&self, purpose: &str, key_id: &str) -> Vec<u8> {
        bytes_of(&[purpose, key_id, self.partner_id, self.shopper_id, self.id])
    }
}

/// Parts, each after its length in eight bytes.
pub(crate) fn bytes_of(parts: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| 8 + part.len()).sum());
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests;
