//! This build opens what earlier builds sealed, and recognizes a shopper's card. These texts never change: another
//! format, label or cipher would make every stored card unreadable.

#![allow(clippy::unwrap_used, reason = "a failed test says where it failed")]

use vault::{CardRecord, KeyRing, Pan, Sealed, WrappedSecret};

/// The bytes 0 to 31.
const RING: &str = "golden:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const RECORD: CardRecord<'_> = CardRecord {
    partner_id: "partner_1",
    shopper_id: "sam",
    id: "pm_1",
};
const NUMBER: &str = "4242424242424242";

#[test]
fn a_card_sealed_by_an_earlier_build_opens() {
    let ring = KeyRing::parse(RING).unwrap();
    let sealed = Sealed {
        key_id: "golden".into(),
        wrapped_key: "ASZDDN+qnh5oX2ubDSy6K1kPJ+r4j69V6fhmGz1uJZAde/unLNX1GOVQ+a2ahjqLmREyHwCyGntZ+JgPhg=="
            .into(),
        number: "AW4QTscAH93krmcOSsbrY2NdAcPkEx2PO/vdvfYefTob3NC5zs+zxLPN8Ftv2VW0cA==".into(),
    };
    assert_eq!(ring.open(&sealed, RECORD).unwrap().expose(), NUMBER);
}

#[test]
fn a_card_has_the_same_fingerprint_as_in_earlier_builds() {
    let ring = KeyRing::parse(RING).unwrap();
    let fingerprints = ring.fingerprints(&Pan::parse(NUMBER).unwrap(), RECORD);
    assert_eq!(fingerprints.active, "tWl2qwv1s0ukFxkGrd_UKk477S_-8rys42ulG49exH4");
}

#[test]
fn a_secret_wrapped_by_an_earlier_build_unwraps() {
    let ring = KeyRing::parse(RING).unwrap();
    let wrapped = WrappedSecret {
        key_id: "golden".into(),
        text: "AXPTPNdE/lLQBdwMDNELeogZ4A+wb0bEBdAHs99RWkqp0B8i".into(),
    };
    let secret = ring.unwrap_secret("signing key", "sig_1", &wrapped).unwrap();
    assert_eq!(*secret, b"private");
}
