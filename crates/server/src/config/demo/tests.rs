use protocol::Sensitive;

use super::*;

#[test]
fn the_demo_refuses_live_keys_of_stripe() {
    let folder = tempfile::tempdir().unwrap();
    let with = |key: &str, is_in_file: bool| {
        let file = folder.path().join("key");
        std::fs::write(&file, key).unwrap();
        let settings = Settings {
            provider: Some("stripe".into()),
            provider_key: (!is_in_file).then(|| Sensitive::new(key.into())),
            provider_key_file: is_in_file.then_some(file),
            ..Settings::default()
        };
        Config::demo(settings, folder.path()).map(drop)
    };
    for is_in_file in [false, true] {
        assert!(with("sk_test_51Abc", is_in_file).is_ok());
        for key in ["sk_live_51Abc", "rk_live_51Abc\n"] {
            let message = with(key, is_in_file).unwrap_err().to_string();
            assert!(message.starts_with("the setting provider_key_file"), "{message}");
        }
    }
}
