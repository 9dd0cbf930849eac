use super::*;

#[test]
fn a_key_is_16_or_32_bytes_in_base64_and_is_not_shown() {
    for (bytes, is_key) in [(16, true), (32, true), (0, false), (15, false), (24, false)] {
        let key = DecryptionKey::from_base64(&STANDARD.encode(vec![7; bytes]));
        assert_eq!(key.is_some(), is_key, "{bytes}");
    }
    assert!(DecryptionKey::from_base64("not base64!").is_none());
    let key = DecryptionKey::from_base64("Zvwv/+uhpFDznZ6SX28Yjg==").unwrap();
    assert_eq!(format!("{key:?}"), "DecryptionKey(…)");
}

#[test]
fn an_encrypted_text_is_opened_only_with_its_key() {
    let sealed = "m5ylFM6ndyOJA2OPadubkw==.Uu7ViqgKEt/dWvCyhI46q088PkAEJbnXKf3KPZjf9IEQQ+A8fojNoxw4wIbPX3aj";
    let key = DecryptionKey::from_base64("Zvwv/+uhpFDznZ6SX28Yjg==").unwrap();
    assert_eq!(key.open(sealed).unwrap(), br#"{"feature":{"defaultValue":true}}"#);
    let other = DecryptionKey::from_base64("Ns04T5n9+59rl2x3SlNHtQ==").unwrap();
    assert_eq!(other.open(sealed), Err(DecryptionFailed));
    for sealed in [
        "",
        ".",
        "m5ylFM6ndyOJA2OPadubkw==",
        "AAAA.AAAA",
        "m5ylFM6ndyOJA2OPadubkw==.AAAA",
    ] {
        assert_eq!(key.open(sealed), Err(DecryptionFailed), "{sealed}");
    }
}
