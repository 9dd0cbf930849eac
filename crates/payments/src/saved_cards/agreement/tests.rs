use super::*;

#[test]
fn a_locale_is_a_language_tag_of_at_most_four_parts() {
    for good in ["en-US", "de", "zh-Hant-HK", "ku-KZ", "sr-Latn-RS-1"] {
        assert!(is_language_tag(good), "{good}");
    }
    for bad in [
        "",
        "e",
        "en-",
        "-US",
        "en_US",
        "e1-US",
        "a-b-c-d-e",
        "en-US-x-y-z",
        "abcdefghi",
        "en-é",
    ] {
        assert!(!is_language_tag(bad), "{bad}");
    }
}
