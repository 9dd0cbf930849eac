use serde_json::json;

use super::*;

#[test]
fn differences_are_reported_without_the_payments_data() {
    let expected =
        json!({"service": {"base": "", "direct": "/a"}, "intent": {"email": "a@b.example"}, "on": true});
    let served =
        json!({"service": {"base": "x", "direct": "/a"}, "intent": {"email": "c@d.example"}, "more": [1]});
    let mut found = Vec::new();
    compare_values(&expected, &served, &mut found);
    let mut said: Vec<_> = found
        .iter()
        .map(|difference| (difference.what.as_str(), difference.served.as_str()))
        .collect();
    said.sort_unstable();
    assert_eq!(
        said,
        [
            ("intent.email", "something else"),
            ("more", "[1]"),
            ("on", ""),
            ("service.base", "x")
        ]
    );
    assert!(!format!("{found:?}").contains("b.example"));
}

const PAGE: &str = "<!doctype html>\n<head></head><p>one</p><p>two</p>";

fn reported(served: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    compare_documents("document", PAGE, served, None, &mut found);
    found
        .into_iter()
        .map(|difference| (difference.expected, difference.served))
        .collect()
}

#[test]
fn added_missing_and_moved_pieces_are_reported() {
    assert_eq!(reported(PAGE), []);
    let added = reported(&PAGE.replace("<p>two", "<BASE href=//x><p>two"));
    assert_eq!(
        added,
        [("no such piece".to_owned(), "<BASE href=//x>".to_owned())]
    );
    let removed = reported(&PAGE.replace("<p>two</p>", ""));
    assert_eq!(removed[0], ("<p>two".to_owned(), String::new()));
    for moved in [
        PAGE.replace("<p>one</p><p>two</p>", "<p>two</p><p>one</p>"),
        PAGE.replace("<p>one</p>", "<p>one</p><p>one</p>"),
        format!("{PAGE}</p>"),
        PAGE.replace("<p>two</p>", "<p>two"),
    ] {
        assert_eq!(reported(&moved).len(), 1, "{moved}");
    }
    assert_eq!(reported(&format!("x{PAGE}"))[0].1, "x");
}

#[test]
fn the_report_of_another_document_is_short() {
    let other = (0..1_000).map(|number| format!("<b{number}>"));
    let other = other.collect::<Vec<_>>().concat();
    assert!(reported(&other).len() <= 2 * REPORTED_MAX);
}
