//! Compares the served document with the expected one, piece by piece, and reads the page's data in it.

use std::collections::HashMap;

use serde_json::Value;

use super::difference::{Difference, difference, shortened};

/// The tag before the page's data.
pub(super) const DATA_ELEMENT: &str = "<script type=\"application/json\" id=\"page\">";
/// How many pieces of a document are reported; a completely different document has thousands.
const REPORTED_MAX: usize = 10;

/// The page's data in a document, if there are any.
pub(super) fn page_data(html: &str) -> Option<Value> {
    let (_, rest) = html.split_once(DATA_ELEMENT)?;
    let (data, _) = rest.split_once("</script>")?;
    serde_json::from_str(data).ok()
}

/// Reports each piece of `served` that is not in `expected`, and each one of `expected` that is not in `served`. A
/// piece is a tag and the text after it. If `data_differ`, the piece with the data is left out, because each of its
/// values is reported already.
pub(super) fn compare_documents(
    what: &str,
    expected: &str,
    served: &str,
    data_differ: bool,
    found: &mut Vec<Difference>,
) {
    if expected == served {
        return;
    }
    let wanted = pieces(expected, data_differ);
    let given = pieces(served, data_differ);
    let added = extra_pieces(&given, &wanted);
    let missing = extra_pieces(&wanted, &given);
    for piece in added.iter().take(REPORTED_MAX) {
        found.push(difference(what, "no such piece", shortened(piece)));
    }
    for piece in missing.iter().take(REPORTED_MAX) {
        found.push(difference(what, shortened(piece), ""));
    }
    let unreported = added.len().saturating_sub(REPORTED_MAX) + missing.len().saturating_sub(REPORTED_MAX);
    if unreported > 0 {
        found.push(difference(
            what,
            "no more",
            format!("{unreported} more such pieces"),
        ));
    }
    if added.is_empty()
        && missing.is_empty()
        && let Some((wanted, given)) = wanted.iter().zip(&given).find(|(wanted, given)| wanted != given)
    {
        let given = format!("{} in its place", shortened(given));
        found.push(difference(what, shortened(wanted), given));
    }
}

/// Cuts before every `<`, without interpreting tags, so that malformed tags cannot hide anything.
fn pieces(html: &str, without_data: bool) -> Vec<&str> {
    let mut starts: Vec<usize> = html.match_indices('<').map(|(at, _)| at).collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([html.len()]);
    let cut = starts.iter().zip(ends).map(|(start, end)| &html[*start..end]);
    cut.filter(|piece| !(without_data && piece.starts_with(DATA_ELEMENT)))
        .collect()
}

/// The pieces of `all` that are not in `known`, or are there less often.
fn extra_pieces<'a>(all: &[&'a str], known: &[&str]) -> Vec<&'a str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for piece in known {
        *counts.entry(piece).or_default() += 1;
    }
    let is_extra = |piece: &&&str| match counts.get_mut(**piece) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    all.iter().filter(is_extra).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<!doctype html>\n<head></head><p>one</p><p>two</p>";

    fn reported(served: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        compare_documents("document", PAGE, served, false, &mut found);
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
        assert_eq!(removed.len(), 2);
        assert_eq!(removed[0], ("<p>two".to_owned(), String::new()));
        let moved = reported(&PAGE.replace("<p>one</p><p>two</p>", "<p>two</p><p>one</p>"));
        assert_eq!(moved.len(), 1);
        assert_eq!(reported(&format!("x{PAGE}"))[0].1, "x");
    }

    #[test]
    fn the_report_of_another_document_is_short() {
        let other = "<b>".repeat(1_000);
        assert!(reported(&other).len() <= 2 * REPORTED_MAX + 1);
    }

    #[test]
    fn the_page_data_end_at_the_first_closing_tag() {
        let html = format!("<p>{DATA_ELEMENT}{{\"a\":1}}</script><script>");
        assert_eq!(page_data(&html).unwrap()["a"], 1);
        assert_eq!(page_data("<p>"), None);
    }
}
