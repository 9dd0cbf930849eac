//! The languages of the page and their texts. There is one so far: `locales/en-US.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The locale of pages that ask for none, or for one that is not there ("§9").
pub(crate) const DEFAULT_LOCALE: &str = "en-US";

static ENGLISH: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../locales/en-US.json"))
        .expect("locales/en-US.json, checked by a test")
});

/// The texts of the default locale by key.
pub(crate) fn messages() -> BTreeMap<String, String> {
    ENGLISH.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_id_has_a_text() {
        let messages = messages();
        for id in rules::ErrorId::ALL {
            assert!(
                messages.contains_key(id.as_str()),
                "{} has no text in locales/en-US.json",
                id.as_str()
            );
        }
    }
}
