//! The data about the shopper's browser.

use super::*;

#[test]
fn only_a_language_with_texts_is_in_the_return_address() {
    for (language, query) in [
        ("fr", "?locale=fr"),
        ("zh-TW", "?locale=zh-TW"),
        ("zh", "?locale=zh"),
        ("", ""),
        ("xx", ""),
        ("fr&x", ""),
    ] {
        assert_eq!(locale_query(language), query, "{language}");
    }
}

#[test]
fn a_long_text_is_cut_between_characters() {
    assert_eq!(cut("short"), "short");
    assert_eq!(cut(&"é".repeat(2_000)).len(), BROWSER_TEXT_BYTES_MAX);
    assert_eq!(
        cut(&format!("x{}", "é".repeat(2_000))).len(),
        BROWSER_TEXT_BYTES_MAX - 1
    );
}
