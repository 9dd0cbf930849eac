//! The source of a secret in the settings: the setting itself, or a file.

use std::path::PathBuf;

use crate::Sensitive;

/// The source of a secret.
#[derive(Debug, Clone)]
pub enum SecretSource {
    /// A file that contains only the secret.
    File(PathBuf),
    /// The value of the setting.
    Setting(Sensitive),
}

impl SecretSource {
    /// The source that the settings name. A secret in the settings is preferred to a file.
    pub fn of_settings(setting: Option<Sensitive>, file: Option<PathBuf>) -> Option<Self> {
        setting.map(Self::Setting).or(file.map(Self::File))
    }

    /// The file, if the secret comes from one.
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::File(file) => Some(file),
            Self::Setting(_) => None,
        }
    }
}
