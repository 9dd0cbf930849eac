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
