//! The texts of the languages.

use super::*;

#[test]
fn the_404_page_names_the_path_in_every_language() {
    let languages = Languages::load(&PageSettings::default(), "b").unwrap();
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
    // The text is the same in every country for Spanish, Arabic, Chinese and Russian.
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
