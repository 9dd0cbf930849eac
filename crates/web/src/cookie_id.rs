//! The cookie id: the shopper's id for experiments (docs/experiments.md#who-a-shopper-is). It does not identify a
//! person and gives no access.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use page::{COOKIE_DAYS_MAX, cookie_attributes, cookie_values};
use uuid::Uuid;

/// The cookie's name.
pub const COOKIE: &str = "coda-cookie-id";
/// The longest id that is accepted, in bytes; ours have 36.
const COOKIE_ID_BYTES_MAX: usize = 128;

/// A shopper's cookie id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CookieId {
    /// The id: letters, digits and `-_.~:|`.
    pub id: String,
    /// Whether it was created for this request and must be set as a cookie.
    pub is_new: bool,
}

impl CookieId {
    /// The id that the embedding page gave, else the id in the cookie, else a new one. A text that cannot be an id is
    /// ignored.
    pub fn of(given: Option<&str>, headers: &HeaderMap) -> Self {
        let known = given.filter(|id| is_cookie_id(id)).or_else(|| in_cookie(headers));
        Self {
            is_new: known.is_none() && !is_private(headers),
            id: known.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned),
        }
    }

    /// Sets the cookie if the id is new, for as long as browsers keep a cookie, so that the shopper has the same id at
    /// the next visit. In a frame on another site the cookie needs https.
    pub fn keep(&self, headers: &mut HeaderMap, is_https: bool) {
        if !self.is_new {
            return;
        }
        let attributes = cookie_attributes(is_https, COOKIE_DAYS_MAX);
        if let Ok(cookie) = HeaderValue::from_str(&format!("{COOKIE}={}; {attributes}; HttpOnly", self.id)) {
            headers.append(header::SET_COOKIE, cookie);
        }
    }
}

/// Whether the shopper's browser asks not to be tracked (Global Privacy Control, Do Not Track). Then the id is not
/// kept.
fn is_private(headers: &HeaderMap) -> bool {
    const WISHES: [HeaderName; 2] = [HeaderName::from_static("sec-gpc"), HeaderName::from_static("dnt")];
    WISHES
        .iter()
        .any(|name| headers.get(name).is_some_and(|value| value == "1"))
}

/// Whether `text` can be a cookie id.
pub fn is_cookie_id(text: &str) -> bool {
    (1..=COOKIE_ID_BYTES_MAX).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.~:|".contains(&byte))
}

fn in_cookie(headers: &HeaderMap) -> Option<&str> {
    cookie_values(headers, COOKIE).find(|id| is_cookie_id(id))
}

#[cfg(test)]
mod tests;
