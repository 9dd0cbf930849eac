//! A cache of themes: all shoppers of a merchant have the same theme.

use std::sync::Arc;

use quick_cache::sync::Cache;

use super::{Theme, ThemeContext};

/// How many are cached.
const CACHED_MAX: usize = 512;
/// The longest `customStyle` that is cached, in bytes.
const CACHED_BYTES_MAX: usize = 4 * 1024;

/// The input of a theme: the `customStyle`, the context, and the merchant's origins.
type KeptThemeKey = (String, ThemeContext, Vec<String>);

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct ThemeCache(Arc<Cache<KeptThemeKey, Arc<Theme>>>);

impl Default for ThemeCache {
    fn default() -> Self {
        Self(Arc::new(Cache::new(CACHED_MAX)))
    }
}

impl ThemeCache {
    /// The theme that [`Theme::read`] gives for `custom_style`.
    pub(crate) fn of(
        &self,
        custom_style: &str,
        setting: ThemeContext,
        merchant_origins: &[String],
    ) -> Arc<Theme> {
        if custom_style.len() > CACHED_BYTES_MAX {
            return Arc::new(Theme::read(custom_style, setting, merchant_origins));
        }
        // Only web fonts depend on the merchant.
        let origins = if custom_style.contains("\"fonts\"") {
            merchant_origins
        } else {
            &[]
        };
        let key = (custom_style.to_owned(), setting, origins.to_vec());
        if let Some(known) = self.0.get(&key) {
            return known;
        }
        let theme = Arc::new(Theme::read(custom_style, setting, origins));
        self.0.insert(key, Arc::clone(&theme));
        theme
    }
}
