//! Which language a shopper gets.

use super::*;

fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| (name.clone(), value.parse().unwrap()))
        .collect()
}

fn by_browser(accept_language: &str) -> &'static str {
    LanguagePreference::of(&headers(&[(header::ACCEPT_LANGUAGE, accept_language)]))
        .locale()
        .code
}

fn by_cookie(value: &str) -> &'static str {
    let value = format!("theme=dark; i18n_redirected={value}; x=y");
    LanguagePreference::of(&headers(&[(header::COOKIE, &value)]))
        .locale()
        .code
}

fn by_option(locale: &str) -> &'static str {
    LanguagePreference {
        option: Some(locale),
        ..LanguagePreference::default()
    }
    .locale()
    .code
}

#[test]
fn address_option_cookie_and_browser_are_used_in_this_order() {
    let headers = headers(&[
        (header::COOKIE, "theme=dark; i18n_redirected=ja-JP; x=y"),
        (header::ACCEPT_LANGUAGE, "ko-KR"),
    ]);
    let mut preference = LanguagePreference {
        path: locale::by_code("th-TH"),
        option: Some("fr-CA"),
        ..LanguagePreference::of(&headers)
    };
    assert_eq!(preference.locale().code, "th-TH");
    preference.path = None;
    assert_eq!(preference.locale().code, "fr-FR");
    preference.option = Some("xx-XX");
    assert_eq!(preference.locale().code, "ja-JP");
    preference.cookie = None;
    assert_eq!(preference.locale().code, "ko-KR");
    assert_eq!(LanguagePreference::default().locale().code, "en-US");
}

#[test]
fn option_cookie_and_browser_find_the_same_nearest_locale() {
    for (tag, code) in [
        ("fil-PH", "tl-PH"),
        ("zh-MO", "zh-HK"),
        ("zh-CN", "en-US"),
        ("es-419", "es-CO"),
        ("kk-KZ", "ku-KZ"),
        ("ku-TR", "en-US"),
        ("pt-BR", "pt-PT"),
        ("id", "in-ID"),
        ("fr_FR", "fr-FR"),
        ("iw", "en-US"),
    ] {
        assert_eq!(by_option(tag), code, "option {tag}");
        assert_eq!(by_cookie(tag), code, "cookie {tag}");
        assert_eq!(by_browser(tag), code, "browser {tag}");
    }
}

#[test]
fn the_browsers_list_is_used_by_weight() {
    assert_eq!(by_browser("de-DE"), "de-DE");
    assert_eq!(by_browser("es-MX, es-ES"), "es-CO");
    assert_eq!(by_browser("en-US;q=0.5, vi-VN;q=0.9"), "vi-VN");
    assert_eq!(by_browser("xx, yy-ZZ, it"), "it-IT");
    assert_eq!(by_browser("ku-IQ, ar;q=0.8"), "ar-SA");
    assert_eq!(by_browser("fr;q=0, nl"), "nl-NL");
    assert_eq!(by_browser("pt-BR,pt;q=0.9,en;q=0.8"), "pt-PT");
}

#[test]
fn an_invalid_list_or_locale_is_ignored() {
    for list in ["", "*", ";;;,,,", "fr;q=x", "fr;q=-1", &"fr,".repeat(400)] {
        assert_eq!(by_browser(list), "en-US", "{list:.20}");
    }
    for value in [
        "i18n_redirected=",
        "i18n_redirected=../..",
        "xi18n_redirected=fr-FR",
    ] {
        assert_eq!(
            locale_in_cookie(&headers(&[(header::COOKIE, value)])),
            None,
            "{value}"
        );
    }
}
