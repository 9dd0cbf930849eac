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
