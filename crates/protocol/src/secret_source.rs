//! The places that a secret of the settings can come from.

use std::path::PathBuf;

use crate::Sensitive;

/// A secret of the settings.
#[derive(Debug, Clone)]
pub enum SecretSource {
    /// A file that has nothing else in it.
    File(PathBuf),
    /// The setting itself.
    Setting(Sensitive),
}

impl SecretSource {
    /// As the settings give it: the secret itself wins over the file.
    pub fn of_settings(setting: Option<Sensitive>, file: Option<PathBuf>) -> Option<Self> {
        setting.map(Self::Setting).or(file.map(Self::File))
    }

    /// The file, if it comes from one.
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::File(file) => Some(file),
            Self::Setting(_) => None,
        }
    }
}
