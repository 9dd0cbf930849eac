//! Themes that were read lately: a merchant's pages have one theme for all shoppers.

use std::sync::Arc;

use moka::future::Cache;

use super::{Setting, Theme};

/// How many are kept.
const KEPT_MAX: u64 = 512;
/// The longest `customStyle` that is kept, in bytes.
const KEPT_BYTES_MAX: usize = 4 * 1024;

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Themes(Cache<(String, Setting, Vec<String>), Arc<Theme>>);

impl Default for Themes {
    fn default() -> Self {
        Self(Cache::new(KEPT_MAX))
    }
}

impl Themes {
    /// The theme of `custom_style` as [`Theme::read`] has it.
    pub(crate) async fn of(
        &self,
        custom_style: &str,
        setting: Setting,
        merchant_origins: &[String],
    ) -> Arc<Theme> {
        if custom_style.len() > KEPT_BYTES_MAX {
            return Arc::new(Theme::read(custom_style, setting, merchant_origins));
        }
        // Only web fonts depend on whose theme it is.
        let origins = if custom_style.contains("\"fonts\"") {
            merchant_origins
        } else {
            &[]
        };
        let read = async { Arc::new(Theme::read(custom_style, setting, origins)) };
        let key = (custom_style.to_owned(), setting, origins.to_vec());
        self.0.get_with(key, read).await
    }
}
