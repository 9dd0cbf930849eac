//! The nearest locale of many language tags (docs/languages.md#the-nearest-language). The SDK's own matcher is tested
//! with the same cases.

use std::collections::BTreeMap;

use rules::locale::{self, TABLE};
use serde::Deserialize;

/// `cases/nearest-locale.json`.
#[derive(Deserialize)]
struct Cases {
    /// Tags by the locale that they get.
    nearest: BTreeMap<String, Vec<String>>,
    /// Tags that get none, by the reason.
    none: BTreeMap<String, Vec<String>>,
}

fn cases() -> Cases {
    serde_json::from_str(include_str!("../../../cases/nearest-locale.json")).expect("the cases")
}

fn nearest(tag: &str) -> Option<&'static str> {
    locale::nearest(tag).map(|locale| locale.code)
}

#[test]
fn every_locale_is_nearest_to_its_own_names() {
    for locale in TABLE {
        for name in [locale.code, locale.iso] {
            assert_eq!(nearest(name), Some(locale.code), "{name}");
            assert_eq!(nearest(&name.to_lowercase()), Some(locale.code), "{name}");
            assert_eq!(nearest(&name.replace('-', "_")), Some(locale.code), "{name}");
        }
    }
}

#[test]
fn a_tag_gets_the_nearest_locale_of_its_language_and_script() {
    for (code, tags) in cases().nearest {
        for tag in tags {
            assert_eq!(nearest(&tag), Some(code.as_str()), "{tag}");
        }
    }
}

#[test]
fn a_language_or_script_without_texts_gets_none() {
    for (reason, tags) in cases().none {
        for tag in tags {
            assert_eq!(nearest(&tag), None, "{reason}: {tag}");
        }
    }
}
