//! Which etags and encodings of a request count.

use super::*;

#[test]
fn an_etag_is_known_in_a_list_and_weakly() {
    for (sent, known) in [
        (&["\"a\""][..], true),
        (&["W/\"a\""], true),
        (&["\"b\", W/\"a\" ,\"c\""], true),
        (&["\"b\"", "\"a\""], true),
        (&["*"], true),
        (&["\"b\""], false),
        (&["a"], false),
        (&["w/\"a\""], false),
        (&["\"a"], false),
        (&[], false),
    ] {
        let values = sent
            .iter()
            .map(|value| (header::IF_NONE_MATCH, HeaderValue::from_static(value)));
        let mut headers = HeaderMap::new();
        for (name, value) in values {
            headers.append(name, value);
        }
        assert_eq!(is_known(&headers, "\"a\""), known, "{sent:?}");
    }
}

#[test]
fn an_encoding_is_used_only_if_the_browser_accepts_it() {
    let accepts = |accepted: &'static str, encoding| {
        let accepted = HeaderValue::from_static(accepted);
        accepts(
            &HeaderMap::from_iter([(header::ACCEPT_ENCODING, accepted)]),
            encoding,
        )
    };
    assert!(accepts("gzip, deflate, br", "br"));
    assert!(accepts("br;q=0.5", "br"));
    assert!(!accepts("br;q=0, gzip", "br"));
    assert!(!accepts("", "gzip"));
    assert!(!accepts("brotli", "br"));
    assert!(!super::accepts(&HeaderMap::new(), "gzip"));
}

#[test]
fn types_are_text() {
    assert_eq!(content_type_of("sdk/cardform.d.ts"), "text/plain; charset=utf-8");
    assert_eq!(
        content_type_of("sdk/cardform.js"),
        "text/javascript; charset=utf-8"
    );
}
