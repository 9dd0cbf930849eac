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
mod tests;
