//! Flags and the environment win over the file. (`figment` would have to serialize the settings to merge them, but
//! secrets among them cannot be serialized; `confique` does not support flags.)

use merge::Merge;

use super::file::{ConfigError, read};
use super::{Config, Settings};

impl Settings {
    /// Adds the settings file, fills in the defaults and checks every value.
    pub fn resolve(self) -> Result<Config, ConfigError> {
        self.with_file()?.check()
    }

    /// Whether any of them is given.
    pub fn is_given(&self) -> bool {
        // A text of all of them, so that no setting can be forgotten here. Nothing is done with it.
        format!("{self:?}") != format!("{:?}", Self::default())
    }

    pub(super) fn with_file(mut self) -> Result<Self, ConfigError> {
        if let Some(file) = &self.config {
            self.merge(read(file)?);
        }
        Ok(self)
    }
}
