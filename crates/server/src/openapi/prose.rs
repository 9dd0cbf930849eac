//! Prepares the types' doc comments for readers who do not have the repository.

use serde_json::Value;

/// Removes citations of the repository's documents, such as `(docs/form.md#paying)`, from every description in `value`.
pub(super) fn without_citations(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(text) if name == "description" => *text = uncited(text),
                    _ => without_citations(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_citations),
        _ => {}
    }
}

fn uncited(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('(') {
        match after.split_once(')') {
            Some((inside, after)) if is_citation(inside) => {
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

fn is_citation(inside: &str) -> bool {
    inside
        .split(", ")
        .all(|cited| cited.contains(".md") && !cited.contains(' '))
}

#[cfg(test)]
mod tests;
