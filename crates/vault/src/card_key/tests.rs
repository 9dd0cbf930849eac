//! What a page seals opens for its key, charge and client secret, and for no others.

use aws_lc_rs::agreement::PrivateKey;
use proptest::prelude::*;

use super::*;

const FIELDS: &str = r#"{"number":"4242424242424242","security_code":"123"}"#;

fn key() -> CardPrivateKey {
    CardPrivateKey::derive(b"the secret of a test").unwrap()
}

/// Seals as a page does, with the library's own functions.
fn sealed(key: &CardPrivateKey, charge_id: &str, token_id: &str, fields: &str) -> String {
    let own = PrivateKey::generate(&ECDH_P256).unwrap();
    let point = own.compute_public_key().unwrap();
    let (x, y) = point.as_ref()[1..].split_at(COORDINATE_BYTES);
    let header = format!(
        r#"{{"alg":"ECDH-ES","enc":"A256GCM","kid":"k","epk":{{"kty":"EC","crv":"P-256","x":"{}","y":"{}"}},"charge_id":"{charge_id}","jti":"{token_id}"}}"#,
        URL_SAFE_NO_PAD.encode(x),
        URL_SAFE_NO_PAD.encode(y)
    );
    let covered = URL_SAFE_NO_PAD.encode(header);
    let agreed = agree(
        &own,
        UnparsedPublicKey::new(&ECDH_P256, &key.public),
        (),
        |shared| Ok(derived(shared, CIPHER, "", "", CIPHER_KEY_BITS)),
    )
    .unwrap();
    let cipher = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, agreed.as_slice()).unwrap());
    let mut content = fields.as_bytes().to_vec();
    let tag = cipher
        .seal_in_place_separate_tag(
            Nonce::assume_unique_for_key([7; 12]),
            Aad::from(covered.as_bytes()),
            &mut content,
        )
        .unwrap();
    let parts = [&[7; 12], content.as_slice(), tag.as_ref()].map(|part| URL_SAFE_NO_PAD.encode(part));
    format!("{covered}..{}", parts.join("."))
}

fn opened(
    text: &str,
    key: &CardPrivateKey,
    charge_id: &str,
    token_id: &str,
) -> Result<CardFields, SealedCardError> {
    SealedCard::parse(text)?.open(key, charge_id, token_id)
}

/// RFC 7518, appendix C.
#[test]
fn the_key_derivation_follows_the_standard() {
    let shared = [
        158, 86, 217, 29, 129, 113, 53, 211, 114, 131, 66, 131, 191, 132, 38, 156, 251, 49, 110, 163, 218,
        128, 106, 72, 246, 218, 167, 121, 140, 254, 144, 196,
    ];
    let key = derived(&shared, "A128GCM", "Alice", "Bob", 128);
    assert_eq!(URL_SAFE_NO_PAD.encode(&key[..16]), "VqqN6vgjbSBcIijNcacQGg");
}

#[test]
fn a_secret_gives_the_same_key_everywhere() {
    assert_eq!(key().coordinates(), key().coordinates());
    let other = CardPrivateKey::derive(b"another secret").unwrap();
    assert_ne!(key().coordinates(), other.coordinates());
}

#[test]
fn a_sealed_card_opens_only_for_its_key_charge_and_client_secret() {
    let text = sealed(&key(), "ch_1", "tok_1", FIELDS);
    let fields = opened(&text, &key(), "ch_1", "tok_1").unwrap();
    assert_eq!(fields.number.unwrap().as_str(), "4242424242424242");
    assert_eq!(fields.security_code.as_str(), "123");
    let other = CardPrivateKey::derive(b"another secret").unwrap();
    for (key, charge_id, token_id) in [
        (&key(), "ch_2", "tok_1"),
        (&key(), "ch_1", "tok_2"),
        (&key(), "", ""),
        (&other, "ch_1", "tok_1"),
    ] {
        let refused = opened(&text, key, charge_id, token_id).unwrap_err();
        assert_eq!(refused, SealedCardError::Unusable);
    }
}

#[test]
fn a_saved_cards_security_code_is_sealed_alone() {
    let text = sealed(&key(), "ch_1", "tok_1", r#"{"security_code":"123"}"#);
    let fields = opened(&text, &key(), "ch_1", "tok_1").unwrap();
    assert!(fields.number.is_none());
    assert_eq!(format!("{fields:?}"), "CardFields { .. }");
}

#[test]
fn a_sealed_card_with_any_changed_character_is_refused() {
    let text = sealed(&key(), "ch_1", "tok_1", FIELDS);
    for at in 0..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        assert!(opened(&changed, &key(), "ch_1", "tok_1").is_err(), "{at}");
    }
}

#[test]
fn another_kind_of_jwe_is_refused() {
    let text = sealed(&key(), "ch_1", "tok_1", FIELDS);
    let (header, rest) = text.split_once('.').unwrap();
    let header = String::from_utf8(URL_SAFE_NO_PAD.decode(header).unwrap()).unwrap();
    for (from, to) in [
        (r#""ECDH-ES""#, r#""dir""#),
        (r#""ECDH-ES""#, r#""ECDH-ES+A256KW""#),
        ("A256GCM", "A128GCM"),
        ("P-256", "P-384"),
        (r#""EC""#, r#""OKP""#),
        (r#""kid""#, r#""key""#),
        // A header field that this reader does not know.
        (r#""kid""#, r#""crit":["b64"],"kid""#),
        (r#""kid""#, r#""zip":"DEF","kid""#),
        (r#""kid""#, r#""apu":"QQ","kid""#),
    ] {
        let changed = URL_SAFE_NO_PAD.encode(header.replace(from, to));
        let refused = SealedCard::parse(&format!("{changed}.{rest}")).map(|_| ());
        assert_eq!(refused, Err(SealedCardError::Malformed), "{to}");
    }
    let with_key = text.replacen("..", ".AAAA.", 1);
    for wrong in ["", ".", "....", "a.b.c", with_key.as_str(), &"A".repeat(10_000)] {
        let refused = SealedCard::parse(wrong).map(|_| ());
        assert_eq!(refused, Err(SealedCardError::Malformed), "{wrong:.20}");
    }
}

#[test]
fn sealed_content_that_is_not_a_card_is_refused() {
    for content in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"number":"1"}"#,
        r#"{"security_code":1}"#,
        "\u{0}",
    ] {
        let text = sealed(&key(), "ch_1", "tok_1", content);
        let refused = opened(&text, &key(), "ch_1", "tok_1").unwrap_err();
        assert_eq!(refused, SealedCardError::Unusable, "{content}");
    }
}

#[test]
fn a_point_that_is_not_on_the_curve_is_refused() {
    let text = sealed(&key(), "ch_1", "tok_1", FIELDS);
    let (header, rest) = text.split_once('.').unwrap();
    let header = String::from_utf8(URL_SAFE_NO_PAD.decode(header).unwrap()).unwrap();
    let (_, y) = header.split_once(r#""y":""#).unwrap();
    let y = y.split_once('"').unwrap().0;
    for wrong in [URL_SAFE_NO_PAD.encode([0; 32]), URL_SAFE_NO_PAD.encode([1; 31])] {
        let changed = URL_SAFE_NO_PAD.encode(header.replace(y, &wrong));
        assert!(opened(&format!("{changed}.{rest}"), &key(), "ch_1", "tok_1").is_err());
    }
}

proptest! {
    #[test]
    fn reading_any_text_as_a_sealed_card_never_panics(text in "\\PC*", parts in "[A-Za-z0-9_.-]{0,400}") {
        for text in [text, parts] {
            let _ = opened(&text, &key(), "ch_1", "tok_1");
        }
    }
}
