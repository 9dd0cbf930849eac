//! Compares served headers, data and documents with the expected ones, and names each difference.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use serde_json::Value;

/// How many characters of a text are shown to the operator.
const SHOWN_CHARACTERS_MAX: usize = 160;
/// How many pieces of a document are reported; a completely different document has thousands.
const REPORTED_MAX: usize = 10;

/// Texts by their names: headers, or the values of the page's data by their paths.
pub(super) type NamedTexts = BTreeMap<String, String>;

/// A difference between a served page and the expected one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Difference {
    /// A header, a directive of the policy, a value of the page's data, the document, or a file's path.
    pub what: String,
    /// The expected value.
    pub expected: String,
    /// The served value; empty if it is missing.
    pub served: String,
}

/// A check that was not made, of evidence or doctor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedCheck {
    /// Its subject.
    pub what: &'static str,
    /// Why it was not made.
    pub why: String,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "numbers and texts are given as they are"
)]
pub(super) fn difference(what: &str, expected: impl ToString, served: impl AsRef<str>) -> Difference {
    Difference {
        what: what.to_owned(),
        expected: expected.to_string(),
        served: shortened(served.as_ref()),
    }
}

/// The beginning of a long text.
fn shortened(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(SHOWN_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reports each text that differs, is missing, or must not be there.
pub(super) fn compare_texts(expected: &NamedTexts, served: &NamedTexts, found: &mut Vec<Difference>) {
    let more = served.keys().filter(|name| !expected.contains_key(*name));
    for name in expected.keys().chain(more) {
        let (wanted, given) = (expected.get(name), served.get(name));
        if wanted != given {
            let wanted = wanted.map_or("not there".to_owned(), |wanted| shortened(wanted));
            found.push(difference(name, wanted, given.map_or("", String::as_str)));
        }
    }
}

/// Reports each value of the page's data that differs, by its path. Values of the payment's own data are left out,
/// because other people may read the report.
pub(super) fn compare_values(expected: &Value, served: &Value, found: &mut Vec<Difference>) {
    let before = found.len();
    compare_texts(&values(expected), &values(served), found);
    for difference in &mut found[before..] {
        if difference.what.starts_with("intent.") || difference.what.starts_with("options.") {
            "as the page's address and the books say".clone_into(&mut difference.expected);
            "something else".clone_into(&mut difference.served);
        }
    }
}

/// The values of an object by their paths. An array counts as one value.
fn values(value: &Value) -> NamedTexts {
    let Value::Object(members) = value else {
        return NamedTexts::new();
    };
    let mut found = NamedTexts::new();
    for (name, member) in members {
        match member {
            Value::Object(_) => {
                let inner = values(member).into_iter();
                found.extend(inner.map(|(path, text)| (format!("{name}.{path}"), text)));
            }
            Value::String(text) => drop(found.insert(name.clone(), text.clone())),
            other => drop(found.insert(name.clone(), other.to_string())),
        }
    }
    found
}

/// Reports each piece of `served` that is not in `expected`, and each one of `expected` that is not in `served`. A
/// piece is a tag and the text after it. Pieces that begin with `reported` are left out.
pub(super) fn compare_documents(
    what: &str,
    expected: &str,
    served: &str,
    reported: Option<&str>,
    found: &mut Vec<Difference>,
) {
    if expected == served {
        return;
    }
    let (wanted, given) = (pieces(expected, reported), pieces(served, reported));
    let added = pieces_beyond(&given, &wanted).map(|piece| difference(what, "no such piece", piece));
    let missing = pieces_beyond(&wanted, &given).map(|piece| difference(what, shortened(piece), ""));
    let before = found.len();
    found.extend(added.take(REPORTED_MAX));
    found.extend(missing.take(REPORTED_MAX));
    if found.len() == before {
        // The same pieces in another order, or one of them more often.
        let same = wanted
            .iter()
            .zip(&given)
            .take_while(|(wanted, given)| wanted == given);
        let at = same.count();
        let piece = |pieces: &[&str]| shortened(pieces.get(at).unwrap_or(&""));
        if wanted != given {
            let given = format!("{} in its place", piece(&given));
            found.push(difference(what, piece(&wanted), given));
        }
    }
}

/// Cuts before every `<`, without interpreting tags, so that malformed tags cannot hide anything.
fn pieces<'a>(html: &'a str, without: Option<&str>) -> Vec<&'a str> {
    let starts = html.match_indices('<').map(|(at, _)| at);
    let mut cuts: Vec<usize> = [0].into_iter().chain(starts).chain([html.len()]).collect();
    cuts.dedup();
    let pieces = cuts.windows(2).map(|cut| &html[cut[0]..cut[1]]);
    pieces
        .filter(|piece| without.is_none_or(|start| !piece.starts_with(start)))
        .collect()
}

/// The pieces that are not among the known ones.
fn pieces_beyond<'a>(pieces: &[&'a str], known: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let known: HashSet<&str> = known.iter().copied().collect();
    pieces.iter().copied().filter(move |piece| !known.contains(piece))
}

#[cfg(test)]
mod tests;
