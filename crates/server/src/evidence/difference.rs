//! A difference between what is served and what must be served, and something that could not be compared.

use serde::Serialize;
use serde_json::Value;

/// How many characters of a text are shown to the operator.
const SHOWN_CHARACTERS_MAX: usize = 160;

/// A difference between what is served and what must be served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// A header, a directive of the policy, a value of the page's data, the document, or a file's path.
    pub what: String,
    /// What it must be.
    pub expected: String,
    /// What is served; empty if it is missing.
    pub served: String,
}

/// A part of the page for which no expected value is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotCompared {
    /// Its name, as in [`Difference`].
    pub what: &'static str,
    /// Why it could not be compared, and what to do about it.
    pub why: String,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "numbers and texts are given as they are"
)]
pub(super) fn difference(what: &str, expected: impl ToString, served: impl ToString) -> Difference {
    Difference {
        what: what.to_owned(),
        expected: expected.to_string(),
        served: served.to_string(),
    }
}

/// The beginning of a long text.
pub(super) fn shortened(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(SHOWN_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reports each value that differs, by its path. Values of the payment's own data are left out, because other people
/// may read the report.
pub(super) fn compare_values(path: &str, expected: &Value, served: &Value, found: &mut Vec<Difference>) {
    if expected == served {
        return;
    }
    if let (Value::Object(wanted), Value::Object(given)) = (expected, served) {
        let names = wanted
            .keys()
            .chain(given.keys().filter(|name| !wanted.contains_key(*name)));
        for name in names {
            let inner = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            match (wanted.get(name), given.get(name)) {
                (Some(wanted), Some(given)) => compare_values(&inner, wanted, given, found),
                (Some(wanted), None) => found.push(value_difference(&inner, &shown(wanted), "")),
                (None, Some(given)) => found.push(value_difference(&inner, "not there", &shown(given))),
                (None, None) => {}
            }
        }
        return;
    }
    found.push(value_difference(path, &shown(expected), &shown(served)));
}

fn value_difference(path: &str, expected: &str, served: &str) -> Difference {
    if path.starts_with("intent.") || path.starts_with("options.") {
        return difference(path, "as the page's address and the books say", "something else");
    }
    difference(path, expected, served)
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => shortened(text),
        other => shortened(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_reported_without_the_payments_data() {
        let expected =
            json!({"service": {"base": "", "direct": "/a"}, "intent": {"email": "a@b.example"}, "on": true});
        let served = json!({"service": {"base": "x", "direct": "/a"}, "intent": {"email": "c@d.example"}, "more": [1]});
        let mut found = Vec::new();
        compare_values("", &expected, &served, &mut found);
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
}
