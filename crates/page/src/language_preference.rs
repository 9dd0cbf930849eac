//! Which language the reader of a page prefers (docs/languages.md#which-one-a-shopper-gets): the one in the address,
//! then the merchant's option, then the cookie, then the browser's list.

use axum::http::{HeaderMap, header};
use protocol::LANGUAGE_COOKIE;
use rules::locale::{self, Locale};

use super::cookie::{self, cookie_values};

const LANGUAGE_COOKIE_DAYS: u16 = 365;
/// The longest `accept-language` that is read, in bytes; browsers send about a hundred.
const ACCEPTED_BYTES_MAX: usize = 1_024;
/// How many of its entries are used.
const ACCEPTED_MAX: usize = 32;

/// The language preferences in a request.
#[derive(Debug, Default)]
pub struct LanguagePreference<'a> {
    /// The locale in front of the path.
    pub path: Option<&'static Locale>,
    /// `locale` of the merchant's options, unchanged.
    pub option: Option<&'a str>,
    /// The locale of the language cookie.
    pub cookie: Option<&'static Locale>,
    /// The language tags that the browser accepts, preferred first.
    pub browser: Vec<&'a str>,
}

impl<'a> LanguagePreference<'a> {
    /// The preferences in a request's headers: the cookie and the browser's list.
    pub fn of(headers: &'a HeaderMap) -> Self {
        Self {
            cookie: locale_in_cookie(headers),
            browser: accepted(headers),
            ..Self::default()
        }
    }

    /// The locale nearest to the first preference that has one: a shopper who prefers French to English gets French of
    /// any country. Without a match, the default.
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

/// The attributes of the language cookie: one year, for the whole site, https only if shoppers use https, and in frames
/// of other sites only if the operator wants it (docs/languages.md#the-cookie).
pub(crate) fn locale_cookie_attributes(is_cross_origin: bool, is_https: bool) -> String {
    let reach = if is_cross_origin {
        cookie::IN_FRAMES
    } else if is_https {
        cookie::ON_OWN_SITE_OVER_HTTPS
    } else {
        cookie::ON_OWN_SITE
    };
    cookie::attributes(LANGUAGE_COOKIE_DAYS, reach)
}

/// The tags of `accept-language`, the highest weight first and equal ones in their order. A weight of zero removes a
/// tag.
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
}
