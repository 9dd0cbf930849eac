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
mod tests {
    use super::*;

    fn headers(cookie: &str) -> HeaderMap {
        [(header::COOKIE, cookie.parse().unwrap())].into_iter().collect()
    }

    #[test]
    fn the_given_id_precedes_the_cookie_and_a_new_id() {
        let headers = headers("x=y; coda-cookie-id=c-2; z=");
        assert_eq!(CookieId::of(Some("c-1"), &headers).id, "c-1");
        let cookie = CookieId::of(None, &headers);
        assert_eq!((cookie.id.as_str(), cookie.is_new), ("c-2", false));
        let (a, b) = (
            CookieId::of(None, &HeaderMap::new()),
            CookieId::of(None, &HeaderMap::new()),
        );
        assert!(a.is_new && is_cookie_id(&a.id) && a.id != b.id);
    }

    #[test]
    fn a_do_not_track_shopper_gets_no_cookie() {
        for name in ["sec-gpc", "dnt"] {
            let wish = |value: &'static str| {
                [(
                    header::HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )]
                .into_iter()
                .collect()
            };
            assert!(!CookieId::of(None, &wish("1")).is_new, "{name}");
            assert!(CookieId::of(None, &wish("0")).is_new, "{name}");
        }
    }

    #[test]
    fn an_invalid_id_is_replaced() {
        for bad in ["", " ", "a b", "a;b", "ä", "<x>", "a\"b", &"a".repeat(129)] {
            assert!(CookieId::of(Some(bad), &HeaderMap::new()).is_new, "{bad}");
        }
        for bad in [
            "coda-cookie-id=",
            "coda-cookie-id=a b",
            "xcoda-cookie-id=a",
            "coda-cookie-id",
        ] {
            assert!(CookieId::of(None, &headers(bad)).is_new, "{bad}");
        }
        assert!(!CookieId::of(Some(&"a".repeat(128)), &HeaderMap::new()).is_new);
    }

    #[test]
    fn only_a_new_id_is_set_in_a_cookie_that_frames_can_use() {
        let set = |cookie: &CookieId, is_https| {
            let mut headers = HeaderMap::new();
            cookie.keep(&mut headers, is_https);
            headers
                .get(header::SET_COOKIE)
                .map(|value| value.to_str().unwrap().to_owned())
        };
        let id = |is_new| CookieId {
            id: "c1".into(),
            is_new,
        };
        assert_eq!(set(&id(false), true), None);
        assert_eq!(
            set(&id(true), true).unwrap(),
            "coda-cookie-id=c1; Path=/; Max-Age=34560000; SameSite=None; Secure; Partitioned; HttpOnly"
        );
        assert_eq!(
            set(&id(true), false).unwrap(),
            "coda-cookie-id=c1; Path=/; Max-Age=34560000; SameSite=Lax; HttpOnly"
        );
    }
}
