//! A sealed number opens for its own record and keys, and for no others.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

use super::*;
use crate::generate_key;

fn ring(ids: &[&str]) -> KeyRing {
    let lines: Vec<_> = ids
        .iter()
        .map(|id| generate_key(id).unwrap().to_string())
        .collect();
    KeyRing::parse(&lines.join("\n")).unwrap()
}

const RECORD: CardRecord<'_> = CardRecord {
    partner_id: "partner_1",
    shopper_id: "sam",
    id: "pm_1",
};

fn opened(ring: &KeyRing, sealed: &Sealed, record: CardRecord<'_>) -> Result<String, SealError> {
    ring.open(sealed, record).map(|pan| pan.expose().to_owned())
}

/// The text with one bit of its decoded bytes flipped.
fn flipped(text: &str, bit: usize) -> String {
    let mut bytes = STANDARD.decode(text).unwrap();
    let bit = bit % (bytes.len() * 8);
    bytes[bit / 8] ^= 1 << (bit % 8);
    STANDARD.encode(bytes)
}

proptest! {
    #[test]
    fn a_sealed_number_opens_again(digits in "[0-9]{12,19}", partner in ".*", shopper in ".*", id in ".*") {
        let ring = ring(&["a"]);
        let record = CardRecord { partner_id: &partner, shopper_id: &shopper, id: &id };
        let sealed = ring.seal(&Pan::parse(&digits).unwrap(), record).unwrap();
        prop_assert_eq!(opened(&ring, &sealed, record), Ok(digits.clone()));
        let shown = format!("{sealed:?}");
        prop_assert!(!shown.contains(&digits));
    }

    #[test]
    fn a_sealed_number_with_any_changed_bit_is_refused(digits in "[0-9]{12,19}", bit in any::<usize>()) {
        let ring = ring(&["a"]);
        let sealed = ring.seal(&Pan::parse(&digits).unwrap(), RECORD).unwrap();
        let number = Sealed { number: flipped(&sealed.number, bit), ..sealed.clone() };
        prop_assert_eq!(opened(&ring, &number, RECORD), Err(SealError::Unusable));
        let key = Sealed { wrapped_key: flipped(&sealed.wrapped_key, bit), ..sealed.clone() };
        prop_assert_eq!(opened(&ring, &key, RECORD), Err(SealError::Unusable));
        prop_assert_eq!(opened(&ring, &sealed, RECORD), Ok(digits));
    }

    #[test]
    fn a_sealed_number_does_not_open_for_another_record(partner in "[a-c]{0,3}", shopper in "[a-c]{0,3}", id in "[a-c]{0,3}") {
        let ring = ring(&["a"]);
        let sealed = ring.seal(&Pan::parse("4242424242424242").unwrap(), CardRecord {
            partner_id: "ab", shopper_id: "c", id: "abc",
        }).unwrap();
        let record = CardRecord { partner_id: &partner, shopper_id: &shopper, id: &id };
        let is_same = (partner.as_str(), shopper.as_str(), id.as_str()) == ("ab", "c", "abc");
        prop_assert_eq!(opened(&ring, &sealed, record).is_ok(), is_same);
    }

    #[test]
    fn a_text_that_was_never_sealed_is_refused(key in ".*", number in ".*", bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let ring = ring(&["a"]);
        for (wrapped_key, number) in [(key, number), (STANDARD.encode(&bytes), STANDARD.encode(&bytes))] {
            let sealed = Sealed { key_id: "a".into(), wrapped_key, number };
            prop_assert_eq!(opened(&ring, &sealed, RECORD), Err(SealError::Unusable));
        }
    }
}

#[test]
fn a_sealed_number_does_not_open_with_another_key() {
    let pan = Pan::parse("4242424242424242").unwrap();
    let sealed = ring(&["a"]).seal(&pan, RECORD).unwrap();
    assert_eq!(opened(&ring(&["b"]), &sealed, RECORD), Err(SealError::UnknownKey));
    assert_eq!(opened(&ring(&["a"]), &sealed, RECORD), Err(SealError::Unusable));
}

#[test]
fn two_cards_cannot_swap_their_keys_or_numbers() {
    let ring = ring(&["a"]);
    let other = CardRecord { id: "pm_2", ..RECORD };
    let pan = Pan::parse("4242424242424242").unwrap();
    let (mine, theirs) = (ring.seal(&pan, RECORD).unwrap(), ring.seal(&pan, other).unwrap());
    assert_ne!(mine.wrapped_key, theirs.wrapped_key);
    for mixed in [
        Sealed {
            number: theirs.number.clone(),
            ..mine.clone()
        },
        Sealed {
            wrapped_key: theirs.wrapped_key.clone(),
            ..mine.clone()
        },
        theirs,
    ] {
        assert_eq!(opened(&ring, &mixed, RECORD), Err(SealError::Unusable));
    }
}

#[test]
fn a_rewrapped_number_opens_without_the_old_key() {
    let (old, new) = (generate_key("old").unwrap(), generate_key("new").unwrap());
    let pan = Pan::parse("378282246310005").unwrap();
    let sealed = KeyRing::parse(&old).unwrap().seal(&pan, RECORD).unwrap();
    let both = KeyRing::parse(&format!("{}\n{}", *new, *old)).unwrap();
    let rewrapped = both.rewrap(&sealed, RECORD).unwrap();
    assert_eq!(
        (rewrapped.key_id.as_str(), &rewrapped.number),
        ("new", &sealed.number)
    );
    let only_new = KeyRing::parse(&new).unwrap();
    assert_eq!(
        opened(&only_new, &rewrapped, RECORD),
        Ok("378282246310005".to_owned())
    );
    assert_eq!(opened(&only_new, &sealed, RECORD), Err(SealError::UnknownKey));
    assert_eq!(
        both.rewrap(&sealed, CardRecord { id: "pm_2", ..RECORD }),
        Err(SealError::Unusable)
    );
}

#[test]
fn all_sealed_numbers_are_equally_long() {
    let ring = ring(&["a"]);
    let length = |digits| {
        ring.seal(&Pan::parse(digits).unwrap(), RECORD)
            .unwrap()
            .number
            .len()
    };
    assert_eq!(length("424242424242"), length("4242424242424242424"));
}

#[test]
fn every_seal_has_a_data_key_and_nonces_of_its_own() {
    let ring = ring(&["a"]);
    let pan = Pan::parse("4242424242424242").unwrap();
    let sealed: Vec<Sealed> = (0..100).map(|_| ring.seal(&pan, RECORD).unwrap()).collect();
    let nonce = |text: &str| STANDARD.decode(text).unwrap()[1..13].to_vec();
    let mut seen = std::collections::HashSet::new();
    for sealed in &sealed {
        let data_key = ring.unwrap_data_key(sealed, RECORD).unwrap().to_vec();
        assert!(seen.insert(data_key), "the data key was used before");
        for text in [&sealed.number, &sealed.wrapped_key] {
            assert!(seen.insert(nonce(text)), "the nonce was used before");
        }
    }
    // Rewrapping keeps the data key and uses a new nonce.
    let again = ring.rewrap(&sealed[0], RECORD).unwrap();
    assert!(seen.insert(nonce(&again.wrapped_key)));
}
