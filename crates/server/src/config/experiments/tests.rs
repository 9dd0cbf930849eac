use protocol::Sensitive;

use super::*;

fn read(change: impl FnOnce(&mut Settings)) -> Result<FeaturesSettings, String> {
    let mut settings = Settings::default();
    change(&mut settings);
    let config = settings.resolve().map_err(|error| error.to_string())?;
    Ok(config.features)
}

#[test]
fn a_features_file_precedes_a_features_url() {
    let nothing = read(|_| ()).unwrap();
    assert_eq!(nothing.source, None);
    assert_eq!(nothing.interval, Duration::from_mins(1));
    let both = read(|settings| {
        settings.features_file = Some("features.json".into());
        settings.features_url = Some("https://features.example/x".into());
    });
    assert_eq!(
        both.unwrap().source,
        Some(FeaturesSource::File("features.json".into()))
    );
}

#[test]
fn a_client_key_is_appended_to_growthbooks_path() {
    let url = |url: &str, key: Option<&str>| {
        let read = read(|settings| {
            settings.features_url = Some(url.into());
            settings.features_client_key = key.map(|key| Sensitive::new(key.into()));
        });
        match read.unwrap().source {
            Some(FeaturesSource::Url(url)) => url.to_string(),
            other => panic!("{other:?}"),
        }
    };
    for host in ["https://cdn.growthbook.io", "https://cdn.growthbook.io/"] {
        assert_eq!(
            url(host, Some("sdk-1")),
            "https://cdn.growthbook.io/api/features/sdk-1"
        );
    }
    assert_eq!(
        url("https://g.example/gb", Some("a/b")),
        "https://g.example/gb/api/features/a%2Fb"
    );
    assert_eq!(
        url("https://g.example/x.json?v=2", None),
        "https://g.example/x.json?v=2"
    );
}

#[test]
fn the_copy_of_the_document_is_next_to_the_database() {
    let copy = |database: &str| {
        read(|settings| settings.database = Some(database.into()))
            .unwrap()
            .copy
    };
    assert_eq!(
        copy("sqlite:/var/lib/cardform/cardform.db"),
        PathBuf::from("/var/lib/cardform/cardform-features.json")
    );
    assert_eq!(
        copy("sqlite:cardform.db"),
        PathBuf::from("cardform-features.json")
    );
    assert_eq!(
        copy("postgres://u@db/cardform"),
        PathBuf::from("cardform-features.json")
    );
}

#[test]
fn a_bad_value_names_its_setting_and_no_key_is_shown() {
    let message = read(|settings| settings.features_refresh_seconds = Some(0)).unwrap_err();
    assert!(
        message.starts_with("the setting features_refresh_seconds"),
        "{message}"
    );
    let message = read(|settings| settings.features_url = Some("features.json".into())).unwrap_err();
    assert!(message.starts_with("the setting features_url"), "{message}");
    let key_alone =
        |settings: &mut Settings| settings.features_client_key = Some(Sensitive::new("sdk-abc".into()));
    let message = read(key_alone).unwrap_err();
    assert_eq!(
        message,
        "the setting features_client_key is only for a features_url"
    );
    let message =
        read(|settings| settings.features_decryption_key = Some(Sensitive::new("abc".into()))).unwrap_err();
    assert_eq!(
        message,
        "the setting features_decryption_key must be 16 or 32 bytes in base64"
    );
}
