use super::*;

#[test]
fn both_formats_are_read_and_unknown_directives_are_other() {
    let single = br#"{"csp-report":{"document-uri":"https://pay.example/?payload=x","violated-directive":"script-src 'self'"}}"#;
    assert_eq!(directives(single), ["script-src"]);
    let both = br#"{"csp-report":{"violated-directive":"img-src","effective-directive":"img-src","disposition":"enforce"}}"#;
    assert_eq!(directives(both), ["img-src"]);
    let listed = br#"[{"type":"csp-violation","body":{"effectiveDirective":"img-src"}},
        {"type":"deprecation","body":{"id":"x"}},
        {"type":"csp-violation","body":{"effectiveDirective":"4242424242424242"}}]"#;
    assert_eq!(directives(listed), ["img-src", "other"]);
    for nothing in [&b""[..], b"{}", b"[]", b"[1]", b"\xff", b"{\"csp-report\":7}"] {
        assert!(directives(nothing).is_empty());
    }
}
