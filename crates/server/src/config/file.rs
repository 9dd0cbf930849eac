//! The settings file. Flags and the environment win over it. (`figment` would have to serialize the settings to merge them,
//! but secrets among them cannot be serialized; `confique` does not support flags.)

use std::path::{Path, PathBuf};

use merge::Merge;
use protocol::Sensitive;
use reqwest::Url;
use thiserror::Error;

use super::{Config, Settings};

/// The name of the settings file, where none is given.
pub const CONFIG_FILE: &str = "cardform.toml";
/// The folder that `cardform init` makes, if it is not given another.
pub const DATA_FOLDER: &str = "cardform-data";

/// A setting that cannot be used. The message is one line for the operator.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The settings file cannot be read.
    #[error("cannot read the settings file {0}: {1}")]
    File(PathBuf, std::io::Error),
    /// The settings file has an unknown setting or an unusable value.
    #[error("{file}, line {line}: {message}")]
    Line {
        /// The file.
        file: PathBuf,
        /// From 1.
        line: usize,
        /// The mistake.
        message: String,
    },
    /// The file of card networks cannot be read.
    #[error("cannot read the card_networks_file {0}: {1}")]
    CardNetworks(PathBuf, std::io::Error),
    /// A setting has an unusable value.
    #[error("the setting {0} {1}")]
    Value(&'static str, &'static str),
    /// A setting has a number outside its limits.
    #[error("the setting {0} must be {1} to {2}")]
    Limits(&'static str, String, String),
}

impl Settings {
    /// Adds the settings file, fills in the defaults and checks every value.
    pub fn resolve(mut self) -> Result<Config, ConfigError> {
        self.config = self.config.or_else(default_file);
        let file_with_keys = self.add_file()?;
        Ok(Config {
            file_with_keys,
            ..self.check()?
        })
    }

    /// Whether any of them is given.
    pub fn is_given(&self) -> bool {
        // Compares the debug texts, so that no setting can be forgotten here.
        format!("{self:?}") != format!("{:?}", Self::default())
    }

    /// Adds the settings file. Returns the file if it holds a key or a password.
    pub(super) fn add_file(&mut self) -> Result<Option<PathBuf>, ConfigError> {
        let Some(file) = self.config.clone() else {
            return Ok(None);
        };
        let read = read(&file)?;
        let holds_keys = read.holds_keys();
        self.merge(read);
        Ok(holds_keys.then_some(file))
    }

    /// Whether a key or a password is among them.
    fn holds_keys(&self) -> bool {
        // The debug text shows each secret in the same way, so no setting can be forgotten here.
        let is_secret = format!("{self:?}").contains(&format!("{:?}", Sensitive::new(String::new())));
        let has_password = |address: &Option<String>| {
            let url = address.as_deref().and_then(|text| Url::parse(text).ok());
            url.is_some_and(|url| {
                url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password")
            })
        };
        is_secret || has_password(&self.database) || has_password(&self.database_replica)
    }
}

/// The settings file of this folder, or of the one that `cardform init` makes here.
fn default_file() -> Option<PathBuf> {
    let here = [
        PathBuf::from(CONFIG_FILE),
        Path::new(DATA_FOLDER).join(CONFIG_FILE),
    ];
    here.into_iter().find(|file| file.is_file())
}

/// Reads the file. An error names the mistake in one line.
fn read(path: &Path) -> Result<Settings, ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|error| ConfigError::File(path.to_owned(), error))?;
    toml::from_str(&text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        ConfigError::Line {
            file: path.to_owned(),
            line: text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1,
            message: error.message().lines().next().unwrap_or_default().to_owned(),
        }
    })
}
