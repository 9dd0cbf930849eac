//! The fingerprint of a card number. It shows whether a shopper saved the card before, and is useless without the keys.

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::key_ring::{KeyRing, RingKey};
use crate::record::bytes_of;
use crate::stack::cleaned;
use crate::{CardRecord, Pan};

/// A number's fingerprints, one per key of the ring. They are the same for the same number, partner and shopper, and
/// different for another shopper, so that the database does not show that two shoppers have the same card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprints {
    /// By the active key.
    pub active: String,
    /// By the other keys, with which the card may have been saved before.
    pub others: Vec<String>,
}

impl KeyRing {
    /// The fingerprints of a number for the record's partner and shopper; the record's own id does not matter.
    pub fn fingerprints(&self, pan: &Pan, record: CardRecord<'_>) -> Fingerprints {
        cleaned(|| Fingerprints {
            active: fingerprint(self.active(), pan, record),
            others: self
                .others()
                .iter()
                .map(|key| fingerprint(key, pan, record))
                .collect(),
        })
    }
}

fn fingerprint(key: &RingKey, pan: &Pan, record: CardRecord<'_>) -> String {
    let mut context = hmac::Context::with_key(&key.fingerprint);
    context.update(&bytes_of(&[record.partner_id, record.shopper_id]));
    context.update(pan.expose().as_bytes());
    URL_SAFE_NO_PAD.encode(context.sign())
}

#[cfg(test)]
mod tests;
