//! The settings of experiments: where the features document comes from, and where its copy is kept.

use std::path::PathBuf;
use std::time::Duration;

use store::Database;
use url::Url;

use super::values::{database, web_url};
use super::{ConfigError, DATABASE, Settings};
use experiments::{DecryptionKey, FeaturesSettings, FeaturesSource};

const REFRESH_SECONDS: u64 = 60;
/// A day.
const REFRESH_SECONDS_MAX: u64 = 86_400;
/// The file with the last valid document.
pub(super) const FEATURES_COPY: &str = "cardform-features.json";

/// Where the features document comes from; the file wins over the URL. A refresh interval outside a second to a day is
/// an error.
pub(super) fn features(settings: &Settings) -> Result<FeaturesSettings, ConfigError> {
    let file = settings.features_file.clone().map(FeaturesSource::File);
    let source = match (file, &settings.features_url) {
        (None, Some(url)) => Some(FeaturesSource::Url(features_url(url, settings)?)),
        (file, _) => file,
    };
    let key = match &settings.features_decryption_key {
        None => None,
        Some(key) => Some(DecryptionKey::from_base64(key.expose()).ok_or(ConfigError::Value(
            "features_decryption_key",
            "must be 16 or 32 bytes in base64",
        ))?),
    };
    let seconds = settings.features_refresh_seconds.unwrap_or(REFRESH_SECONDS);
    if !(1..=REFRESH_SECONDS_MAX).contains(&seconds) {
        return Err(ConfigError::Value(
            "features_refresh_seconds",
            "must be 1 to 86400",
        ));
    }
    Ok(FeaturesSettings {
        source,
        key,
        interval: Duration::from_secs(seconds),
        copy: match &settings.features_copy {
            Some(copy) => copy.clone(),
            None => copy_next_to_database(settings)?,
        },
    })
}

/// The URL; with a client key, the address at which GrowthBook serves its document.
fn features_url(text: &str, settings: &Settings) -> Result<Url, ConfigError> {
    let Some(key) = &settings.features_client_key else {
        // A full URL may have a query.
        return Url::parse(text)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .ok_or(ConfigError::Value("features_url", "must be an http(s) URL"));
    };
    let mut url = web_url("features_url", text)?;
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["api", "features", key.expose()]);
    }
    Ok(url)
}

fn copy_next_to_database(settings: &Settings) -> Result<PathBuf, ConfigError> {
    Ok(
        match database(settings.database.as_deref().unwrap_or(DATABASE))? {
            Database::Sqlite(file) => file.with_file_name(FEATURES_COPY),
            Database::Postgres(_) => PathBuf::from(FEATURES_COPY),
        },
    )
}

#[cfg(test)]
mod tests {
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
        let message = read(|settings| settings.features_decryption_key = Some(Sensitive::new("abc".into())))
            .unwrap_err();
        assert_eq!(
            message,
            "the setting features_decryption_key must be 16 or 32 bytes in base64"
        );
    }
}
