use super::*;

fn key() -> SigningKey {
    SigningKey::from_der("sig_1", &generate().unwrap()).unwrap()
}

#[test]
fn a_signature_is_valid_only_for_its_own_key_and_payload() {
    let (mine, other) = (key(), key());
    let signature = mine.sign_payload(b"ten");
    assert!(mine.signed_payload(b"ten", &signature));
    assert!(!mine.signed_payload(b"two", &signature));
    assert!(!other.signed_payload(b"ten", &signature));
    assert!(!mine.signed_payload(b"ten", &signature[1..]));
}

#[test]
fn a_token_of_another_issuer_is_refused() {
    let key = key();
    let of = |issuer: &str| serde_json::json!({ "iss": issuer, "sub": "partner_1" });
    let open = |token: &str| claims::<serde_json::Value>(token, "cardform");
    let ours = key.sign_token(&of("cardform")).unwrap();
    assert_eq!(open(&ours), Some(of("cardform")));
    for other in ["cardform-experiments", "cardfor", ""] {
        let token = key.sign_token(&of(other)).unwrap();
        assert_eq!(open(&token), None, "{other}");
    }
    let none = key
        .sign_token(&serde_json::json!({ "sub": "partner_1" }))
        .unwrap();
    assert_eq!(open(&none), None, "no issuer");
}

#[test]
fn a_token_with_any_changed_character_is_refused() {
    let key = key();
    let token = key.sign_token(&serde_json::json!({ "iss": "cardform" })).unwrap();
    assert!(key.has_signed(&token));
    for at in 0..token.len() {
        let mut changed = token.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        assert!(!key.has_signed(&String::from_utf8(changed).unwrap()), "at {at}");
    }
    for other in ["", ".", "..", &token[..token.len() - 1], &format!("{token}=")] {
        assert!(!key.has_signed(other), "{other}");
    }
}

#[test]
fn a_token_is_checked_with_the_public_key_alone() {
    use aws_lc_rs::signature::KeyPair;
    use jsonwebtoken::{DecodingKey, Validation, decode};

    let key = key();
    let claims = serde_json::json!({ "iss": "cardform", "sub": "partner_1" });
    let token = key.sign_token(&claims).unwrap();
    let public = DecodingKey::from_ed_der(key.tokens.public_key().as_ref());
    let mut validation = Validation::new(Algorithm::EdDSA);
    validation.set_required_spec_claims(&["iss"]);
    validation.validate_exp = false;
    let opened = decode::<serde_json::Value>(&token, &public, &validation).unwrap();
    assert_eq!(opened.claims, claims);
    assert_eq!(opened.header.kid.as_deref(), Some("sig_1"));
}

#[test]
fn a_keys_debug_text_is_only_its_id() {
    assert_eq!(format!("{:?}", key()), r#"SigningKey { id: "sig_1", .. }"#);
}
