//! The settings of experiments: where the features document comes from, and where its copy is kept.

use std::path::PathBuf;
use std::time::Duration;

use store::Database;
use url::Url;

use super::values::{database, web_address, web_url, within};
use super::{ConfigError, DATABASE, DAY_SECONDS, Settings};
use experiments::{DecryptionKey, FeaturesSettings, FeaturesSource};

const REFRESH_SECONDS: u64 = 60;
/// The file with the last valid document.
pub(super) const FEATURES_COPY: &str = "cardform-features.json";

/// Where the features document comes from; the file wins over the URL.
pub(super) fn features(settings: &Settings) -> Result<FeaturesSettings, ConfigError> {
    let source = match (&settings.features_file, &settings.features_url) {
        (Some(file), _) => Some(FeaturesSource::File(file.clone())),
        (None, Some(url)) => Some(FeaturesSource::Url(features_url(url, settings)?)),
        (None, None) if settings.features_client_key.is_some() => {
            return Err(ConfigError::Value(
                "features_client_key",
                "is only for a features_url",
            ));
        }
        (None, None) => None,
    };
    let key = settings.features_decryption_key.as_ref().map(|key| {
        let how = "must be 16 or 32 bytes in base64";
        DecryptionKey::from_base64(key.expose()).ok_or(ConfigError::Value("features_decryption_key", how))
    });
    let seconds = settings.features_refresh_seconds.unwrap_or(REFRESH_SECONDS);
    let seconds = within("features_refresh_seconds", seconds, 1..=DAY_SECONDS)?;
    Ok(FeaturesSettings {
        source,
        key: key.transpose()?,
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
        return web_address(text).map_err(|how| ConfigError::Value("features_url", how));
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
mod tests;
