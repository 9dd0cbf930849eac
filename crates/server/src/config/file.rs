//! Reads the settings file. An error says in one line what is wrong with it or with a setting.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Settings;

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
        /// What is wrong there.
        message: String,
    },
    /// A setting has an unusable value.
    #[error("the setting {0} {1}")]
    Value(&'static str, &'static str),
}

pub(super) fn read(path: &Path) -> Result<Settings, ConfigError> {
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
