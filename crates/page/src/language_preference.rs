//! Which language the reader of a page prefers (docs/languages.md#which-one-a-shopper-gets): the one in the address,
//! then the merchant's option, then the cookie, then the browser's list.

use axum::http::{HeaderMap, header};
use rules::locale::{self, Locale};

use super::cookie::cookie_values;

/// The cookie that keeps the language somebody chose (docs/languages.md#the-cookie).
pub const LANGUAGE_COOKIE: &str = "i18n_redirected";
/// The longest `accept-language` that is read, in bytes; browsers send some hundred.
const ACCEPTED_BYTES_MAX: usize = 1_024;
/// How many of its entries count.
const ACCEPTED_MAX: usize = 32;

/// What a request says of the language that its reader prefers.
#[derive(Debug, Default)]
pub struct LanguagePreference<'a> {
    /// The locale in front of the path.
    pub path: Option<&'static Locale>,
    /// `locale` of the merchant's options, as it came.
    pub option: Option<&'a str>,
    /// The locale of the language cookie.
    pub cookie: Option<&'static Locale>,
    /// The language tags that the browser accepts, preferred first.
    pub browser: Vec<&'a str>,
}

impl<'a> LanguagePreference<'a> {
    /// What a request's headers say: the cookie and the browser's list.
    pub fn of(headers: &'a HeaderMap) -> Self {
        Self {
            cookie: locale_in_cookie(headers),
            browser: accepted(headers),
            ..Self::default()
        }
    }

    /// The first preference for which there is a locale, the nearest one counting: a shopper who reads French first and
    /// English second is better served with any French. Without a match, the default.
    pub fn locale(&self) -> &'static Locale {
        self.path
            .or_else(|| self.option.and_then(locale::nearest))
            .or(self.cookie)
            .or_else(|| self.browser.iter().find_map(|tag| locale::nearest(tag)))
            .unwrap_or_else(locale::default)
    }
}

/// The locale nearest to the language cookie's value.
pub fn locale_in_cookie(headers: &HeaderMap) -> Option<&'static Locale> {
    cookie_values(headers, LANGUAGE_COOKIE)
        .next()
        .and_then(locale::nearest)
}

/// What the language cookie is set with: a year, for the whole site, over https alone where shoppers come over it, and in
/// frames of other sites only where the operator wants it (docs/languages.md#the-cookie).
pub fn locale_cookie_attributes(is_cross_origin: bool, is_https: bool) -> &'static str {
    if is_cross_origin {
        "Path=/; Max-Age=31536000; SameSite=None; Secure; Partitioned"
    } else if is_https {
        "Path=/; Max-Age=31536000; SameSite=Lax; Secure"
    } else {
        "Path=/; Max-Age=31536000; SameSite=Lax"
    }
}

/// The tags of `accept-language`, the highest weight first and equal ones in their order. A weight of zero refuses.
fn accepted(headers: &HeaderMap) -> Vec<&str> {
    let list = headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok())
        .filter(|value| value.len() <= ACCEPTED_BYTES_MAX)
        .unwrap_or("");
    let mut tags: Vec<(&str, f32)> = list
        .split(',')
        .take(ACCEPTED_MAX)
        .map(|entry| {
            let (tag, weight) = entry.split_once(';').unwrap_or((entry, ""));
            let weight = weight
                .trim()
                .strip_prefix("q=")
                .map_or(1.0, |q| q.parse().unwrap_or(0.0));
            (tag.trim(), weight)
        })
        .filter(|(tag, weight)| !tag.is_empty() && *tag != "*" && *weight > 0.0)
        .collect();
    tags.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    tags.into_iter().map(|(tag, _)| tag).collect()
}

#[cfg(test)]
mod tests {
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
    fn the_address_wins_over_the_merchant_over_the_cookie_over_the_browser() {
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
    fn option_cookie_and_browser_get_the_same_nearest_locale() {
        for (tag, code) in [
            ("fil-PH", "tl-PH"),
            ("zh-MO", "zh-HK"),
            ("zh-CN", "zh-TW"),
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
    fn the_browsers_list_is_taken_by_weight() {
        assert_eq!(by_browser("de-DE"), "de-DE");
        assert_eq!(by_browser("es-MX, es-ES"), "es-CO");
        assert_eq!(by_browser("en-US;q=0.5, vi-VN;q=0.9"), "vi-VN");
        assert_eq!(by_browser("xx, yy-ZZ, it"), "it-IT");
        assert_eq!(by_browser("ku-IQ, ar;q=0.8"), "ar-SA");
        assert_eq!(by_browser("fr;q=0, nl"), "nl-NL");
        assert_eq!(by_browser("pt-BR,pt;q=0.9,en;q=0.8"), "pt-PT");
    }

    #[test]
    fn what_is_no_list_or_no_locale_counts_for_nothing() {
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
}
