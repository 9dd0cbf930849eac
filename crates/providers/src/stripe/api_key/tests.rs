use super::*;

fn setting(text: &str) -> Result<ApiKey, ApiKeyError> {
    ApiKey::read(&SecretSource::Setting(Sensitive::new(text.to_owned())))
}

#[test]
fn a_secret_key_is_read_and_a_publishable_one_is_not() {
    assert!(setting("sk_test_51Abc").is_ok());
    assert!(setting("rk_live_51Abc\n").is_ok());
    for wrong in [
        "",
        "sk_",
        "pk_test_51Abc",
        "whsec_51Abc",
        "sk_test_5 1",
        "sk_test_\u{e9}",
    ] {
        let message = setting(wrong).unwrap_err().to_string();
        assert!(
            message.starts_with("the setting provider_key holds no secret key"),
            "{message}"
        );
        assert!(
            !message.contains("51Abc") && message.lines().count() == 1,
            "{message}"
        );
    }
}

#[test]
fn a_key_file_has_only_the_key_and_nothing_shows_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    std::fs::write(&path, "sk_test_51Abc\n").unwrap();
    let key = ApiKey::read(&SecretSource::File(path)).unwrap();
    let header = key.header().unwrap();
    assert_eq!(header, "Bearer sk_test_51Abc");
    assert!(!format!("{key:?} {header:?}").contains("51Abc"));
    let missing = ApiKey::read(&SecretSource::File(dir.path().join("none"))).unwrap_err();
    assert!(missing.to_string().contains("none"), "{missing}");
}
