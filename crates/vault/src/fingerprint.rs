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
mod tests {
    use super::*;
    use crate::generate_key;

    const MINE: CardRecord<'_> = CardRecord {
        partner_id: "partner_1",
        shopper_id: "sam",
        id: "pm_1",
    };

    fn pan(digits: &str) -> Pan {
        Pan::parse(digits).unwrap()
    }

    #[test]
    fn a_fingerprint_is_the_same_for_the_same_card_and_shopper_only() {
        let ring = KeyRing::parse(&generate_key("a").unwrap()).unwrap();
        let of = |digits, record| ring.fingerprints(&pan(digits), record).active;
        let mine = of("4242424242424242", MINE);
        assert_eq!(mine, of("4242424242424242", CardRecord { id: "pm_2", ..MINE }));
        let others = [
            of("4111111111111111", MINE),
            of(
                "4242424242424242",
                CardRecord {
                    shopper_id: "ana",
                    ..MINE
                },
            ),
            of(
                "4242424242424242",
                CardRecord {
                    partner_id: "partner_2",
                    ..MINE
                },
            ),
            KeyRing::parse(&generate_key("a").unwrap())
                .unwrap()
                .fingerprints(&pan("4242424242424242"), MINE)
                .active,
        ];
        assert!(others.iter().all(|other| *other != mine), "{others:?}");
    }

    #[test]
    fn a_card_saved_under_the_former_key_is_found() {
        let (old, new) = (generate_key("old").unwrap(), generate_key("new").unwrap());
        let before = KeyRing::parse(&old)
            .unwrap()
            .fingerprints(&pan("4242424242424242"), MINE);
        let ring = KeyRing::parse(&format!("{}\n{}", *new, *old)).unwrap();
        let after = ring.fingerprints(&pan("4242424242424242"), MINE);
        assert_ne!(after.active, before.active);
        assert_eq!(after.others, [before.active]);
    }
}
