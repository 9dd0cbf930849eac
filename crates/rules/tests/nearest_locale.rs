//! Which locale each language tag gets, tag by tag (docs/languages.md#the-nearest-language).

use rules::locale::{self, TABLE};

fn nearest(tag: &str) -> Option<&'static str> {
    locale::nearest(tag).map(|locale| locale.code)
}

fn expect(cases: &[(&str, &[&str])]) {
    for (code, tags) in cases {
        for tag in *tags {
            assert_eq!(nearest(tag), Some(*code), "{tag}");
        }
    }
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
fn another_country_gets_the_nearest_of_its_language() {
    expect(&[
        ("en-US", &["en", "en-GB", "en-IN", "en_AU", "en-US-u-hc-h12"]),
        (
            "fr-FR",
            &["fr", "fr-CA", "fr_FR", "fr_FR.UTF-8", "fr-FR@euro", "FR-be"],
        ),
        ("pt-PT", &["pt", "pt-BR", "pt-AO"]),
        ("de-DE", &["de", "de-AT", "de-CH", "de-Latn-CH", "de-DE-1996"]),
        ("ar-SA", &["ar", "ar-EG", "ar-001"]),
        ("ar-AE", &["ar-AE", "ar-Arab-AE"]),
        ("ru-RU", &["ru", "ru-BY", "ru-Cyrl"]),
        ("ko-KR", &["ko", "ko-KP", "ko-Kore-KR"]),
        ("ja-JP", &["ja", "ja-Jpan-JP"]),
    ]);
}

#[test]
fn spanish_of_latin_america_gets_es_co() {
    expect(&[
        ("es-ES", &["es", "es-ES", "es-GQ", "es-PH", "es-EA"]),
        (
            "es-CO",
            &[
                "es-CO",
                "es-419",
                "es-MX",
                "es-US",
                "es-VE",
                "es-Latn-MX",
                "es_mx",
            ],
        ),
        ("es-AR", &["es-AR", "es-Latn-AR"]),
        ("es-CL", &["es-CL"]),
        ("es-PE", &["es-PE"]),
    ]);
}

#[test]
fn chinese_locale_follows_country_and_script() {
    expect(&[
        (
            "zh-TW",
            &[
                "zh-TW",
                "zh-Hant",
                "zh-Hant-TW",
                "zh-Hant-SG",
                "zh-US",
                "cmn-Hant",
            ],
        ),
        (
            "zh-HK",
            &[
                "zh-HK",
                "zh-Hant-HK",
                "zh-MO",
                "zh-Hant-MO",
                "yue",
                "yue-Hant-HK",
                "zh-yue",
            ],
        ),
    ]);
    // CLDR's likely script of each of these is one that we have no texts in.
    for simplified in [
        "zh",
        "cmn",
        "zh-CN",
        "zh_CN",
        "zh_CN.UTF-8",
        "zh-SG",
        "zh-MY",
        "zh-Hans",
        "zh-Hans-CN",
        "zh-Hans-HK",
        "zh-Hans-TW",
    ] {
        assert_eq!(nearest(simplified), None, "{simplified}");
    }
    assert_eq!(nearest("zh-Latn-pinyin"), None);
}

#[test]
fn a_language_with_two_codes_is_found_by_both() {
    expect(&[
        ("tl-PH", &["tl", "tl-PH", "fil", "fil-PH", "fil_PH", "FIL"]),
        ("in-ID", &["in", "in-ID", "id", "id-ID", "id_ID"]),
        ("ro-RO", &["ro", "ro-MD", "mo"]),
    ]);
}

#[test]
fn kazakh_gets_russian_and_kurdish_does_not() {
    expect(&[("ku-KZ", &["ku-KZ", "ru-KZ", "kk-KZ", "kk", "kk-Cyrl-KZ"])]);
    for kurdish in ["ku", "ku-TR", "ku-IQ", "ku-Arab-IQ", "ku-Latn-KZ", "ckb", "kmr"] {
        assert_eq!(nearest(kurdish), None, "{kurdish}");
    }
}

#[test]
fn a_language_in_another_script_finds_no_locale() {
    for tag in [
        "ru-Latn",
        "ar-Latn-EG",
        "ja-Latn-JP",
        "kk-Arab-CN",
        "kk-Latn",
        "th-Latn",
        "en-Shaw",
        "my-shop",
    ] {
        assert_eq!(nearest(tag), None, "{tag}");
    }
}

#[test]
fn an_unknown_language_finds_no_locale() {
    for tag in [
        "",
        "-",
        "_",
        "e",
        "xx-YY",
        "english",
        "日本",
        "iw",
        "iw-IL",
        "uk-UA",
        "../..",
        "*",
        "x-fr",
        "i-klingon",
    ] {
        assert_eq!(nearest(tag), None, "{tag}");
    }
}
