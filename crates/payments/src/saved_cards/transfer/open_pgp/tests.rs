//! Keys that GnuPG made at the beginning of 2026 (`keys/`).

use super::Recipient;

const VALID: &str = include_str!("keys/valid.asc");
const EXPIRED: &str = include_str!("keys/expired.asc");
const EXPIRED_SUBKEY: &str = include_str!("keys/expired_subkey.asc");
const REVOKED: &str = include_str!("keys/revoked.asc");
const SIGNS: &str = include_str!("keys/signs.asc");

/// July 2026, and one year later.
const NOW: i64 = 1_784_116_800;
const LATER: i64 = NOW + 365 * 24 * 3_600;

fn refusal(key: &str, now_seconds: i64) -> String {
    Recipient::read(key.as_bytes(), now_seconds)
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

#[test]
fn a_key_that_encrypts_now_is_a_recipient() {
    for (key, now, refused) in [
        (VALID, NOW, ""),
        (VALID, LATER, ""),
        (EXPIRED, NOW, ""),
        (EXPIRED, LATER, "the recipient's key has expired"),
        (
            EXPIRED_SUBKEY,
            NOW,
            "the recipient's key has no valid part for encryption",
        ),
        (REVOKED, NOW, "the recipient's key was revoked"),
        (SIGNS, NOW, "the recipient's key has no valid part for encryption"),
        ("", NOW, "it has no OpenPGP key"),
        ("a,b\n", NOW, "it has no OpenPGP key"),
    ] {
        assert_eq!(refusal(key, now), refused, "{key}");
    }
    let recipient = Recipient::read(VALID.as_bytes(), NOW).unwrap();
    assert_eq!(
        recipient.fingerprint(),
        "FF9E4FA1266954E2E6FFCED857CB84F09C8B0BC6"
    );
}

/// A person who can change the file of the key cannot add a key of their own to it.
#[test]
fn a_subkey_without_a_valid_signature_is_not_used() {
    use pgp::composed::{Deserializable as _, SignedPublicKey};
    use pgp::ser::Serialize as _;

    let (mut signs, _) = SignedPublicKey::from_string(SIGNS).unwrap();
    let (other, _) = SignedPublicKey::from_string(VALID).unwrap();
    signs.public_subkeys = other.public_subkeys;
    let bytes = signs.to_bytes().unwrap();
    let refused = Recipient::read(&bytes, NOW).err().unwrap().to_string();
    assert_eq!(refused, "the recipient's key has no valid part for encryption");
}

#[test]
fn a_file_of_two_keys_is_refused() {
    use pgp::composed::{Deserializable as _, SignedPublicKey};
    use pgp::ser::Serialize as _;

    let bytes = |key| SignedPublicKey::from_string(key).unwrap().0.to_bytes().unwrap();
    let both = [bytes(VALID), bytes(SIGNS)].concat();
    let refused = Recipient::read(&both, NOW).err().unwrap().to_string();
    assert_eq!(refused, "it has more than one OpenPGP key");
}
