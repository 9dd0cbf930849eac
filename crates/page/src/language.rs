//! The languages of the page: their texts as the page's build compiled them from `locales/`.

use std::collections::{BTreeMap, HashMap};

use rules::locale::{self, Direction, Locale};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::assets::{AssetsError, built, messages_path};
use super::escape::escape_json;
use super::pieces::Piece;

/// The text of a page that is not there.
const NOT_FOUND: &str = "page_not_found_path";

/// What the build writes for each locale; the page reads the rest of it.
#[derive(Deserialize)]
struct Compiled {
    messages: Box<RawValue>,
}

/// One language and its texts.
pub struct Language {
    /// Which one.
    pub locale: &'static Locale,
    /// Every text by its key, compiled: a text without placeholders is itself.
    pub messages: Box<RawValue>,
    /// The same as it stands in a document.
    pub(crate) in_document: Piece,
    /// The texts without placeholders.
    plain: BTreeMap<String, String>,
    /// The text of a page that is not there, around its path.
    not_found: (String, String),
}

impl Language {
    /// The text of `key`, unless there is none or it has placeholders, which only the page fills in.
    pub fn plain_text(&self, key: &str) -> Option<&str> {
        self.plain.get(key).map(String::as_str)
    }

    /// "Page not found: {path}" (docs/form.md#error-pages). In right-to-left text the path keeps its own direction.
    pub fn not_found(&self, path: &str) -> String {
        let (before, after) = &self.not_found;
        match self.locale.dir {
            Direction::Rtl => format!("{before}\u{2068}{path}\u{2069}{after}"),
            Direction::Ltr => format!("{before}{path}{after}"),
        }
    }
}

/// Every language, in memory from the start: no page waits for a file.
pub(crate) struct Languages(HashMap<&'static str, Language>);

impl Languages {
    /// Reads what the build compiled.
    pub(crate) fn load() -> Result<Self, AssetsError> {
        let read = |locale: &'static Locale| -> Result<_, AssetsError> {
            let compiled = built(&messages_path(locale)).ok_or(AssetsError::Messages(locale.code))?;
            let Compiled { messages } = serde_json::from_slice(&compiled)?;
            let by_key: BTreeMap<String, serde_json::Value> = serde_json::from_str(messages.get())?;
            let not_found = by_key.get(NOT_FOUND).and_then(around_path);
            let not_found = not_found.ok_or(AssetsError::Messages(locale.code))?;
            let plain = by_key
                .into_iter()
                .filter_map(|(key, text)| text.as_str().map(|text| (key, text.to_owned())))
                .collect();
            let language = Language {
                locale,
                in_document: Piece::new(escape_json(messages.get())),
                messages,
                plain,
                not_found,
            };
            Ok((locale.code, language))
        };
        Ok(Self(locale::TABLE.iter().map(read).collect::<Result<_, _>>()?))
    }

    /// The language of `locale`.
    pub(crate) fn of(&self, locale: &'static Locale) -> &Language {
        &self.0[locale.code]
    }
}

/// What stands before and after the path in a compiled text, which is a list: a piece of text is itself, a placeholder a
/// list with its name.
fn around_path(compiled: &serde_json::Value) -> Option<(String, String)> {
    let mut around = [String::new(), String::new()];
    let mut side = 0;
    for part in compiled.as_array()? {
        match part.as_str() {
            Some(text) => around[side].push_str(text),
            None if *part == serde_json::json!(["path"]) && side == 0 => side = 1,
            None => return None,
        }
    }
    let [before, after] = around;
    (side == 1).then_some((before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_that_is_not_there_is_named_in_every_language() {
        let languages = Languages::load().unwrap();
        let said = |code| languages.of(locale::by_code(code).unwrap()).not_found("/a");
        assert_eq!(said("en-US"), "Page not found: /a");
        assert_eq!(said("fr-FR"), "Page introuvable\u{a0}: /a");
        assert_eq!(said("ar-SA"), "الصفحة غير موجودة: \u{2068}/a\u{2069}");
        let mut all: Vec<_> = locale::TABLE.iter().map(|locale| said(locale.code)).collect();
        assert!(
            all.iter()
                .all(|text| text.contains("/a") && text.chars().count() >= 8)
        );
        all.sort();
        all.dedup();
        // Spanish, Arabic, Chinese and Russian say the same in each country.
        assert_eq!(all.len(), locale::TABLE.len() - 4 - 1 - 1 - 1);
    }

    #[test]
    fn every_error_id_has_a_text_in_every_locale() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../locales/");
        for locale in locale::TABLE {
            let text = std::fs::read_to_string(format!("{folder}{}", locale.file)).expect(locale.file);
            let messages: BTreeMap<String, String> = serde_json::from_str(&text).expect(locale.file);
            for id in rules::ErrorId::ALL {
                assert!(
                    messages.contains_key(id.as_str()),
                    "{} in {}",
                    id.as_str(),
                    locale.file
                );
            }
        }
    }
}
