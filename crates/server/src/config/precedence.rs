//! Which setting wins: flags and the environment over the file. (`figment` would have to serialize the settings to merge
//! them, and secrets among them cannot be; `confique` knows no flags.)

use merge::Merge;

use super::file::{ConfigError, read};
use super::{Config, Settings};

impl Settings {
    /// Adds the settings file, fills in the defaults and checks every value.
    pub fn resolve(self) -> Result<Config, ConfigError> {
        self.with_file()?.check()
    }

    pub(super) fn with_file(mut self) -> Result<Self, ConfigError> {
        if let Some(file) = &self.config {
            self.merge(read(file)?);
        }
        Ok(self)
    }
}
