//! The words of the types' documentation, for readers who do not have the specification.

use serde_json::Value;

/// Takes the marks of the house's own papers out of every description below `value`: `("§9")`,
/// `(specification, point 3)`, `(DESIGN.md §2)`.
pub(super) fn without_marks(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(text) if name == "description" => *text = unmarked(text),
                    _ => without_marks(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_marks),
        _ => {}
    }
}

fn unmarked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('(') {
        match after.split_once(')') {
            Some((inside, after)) if is_mark(inside) => {
                out.push_str(before.trim_end());
                rest = after;
            }
            _ => {
                out.push_str(before);
                out.push('(');
                rest = after;
            }
        }
    }
    out + rest
}

fn is_mark(inside: &str) -> bool {
    inside.contains('§') || inside.starts_with("specification")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_other_brackets_stay() {
        assert_eq!(unmarked("`text/html` (\"§9\")."), "`text/html`.");
        assert_eq!(unmarked("A page (specification, points 3 and 7)."), "A page.");
        assert_eq!(
            unmarked("`https:` (or `http:`, (tests)) and (so on"),
            "`https:` (or `http:`, (tests)) and (so on"
        );
    }
}
