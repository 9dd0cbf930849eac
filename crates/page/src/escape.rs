//! Escapes text for a document, so that no text can become markup.

use super::pieces::DocumentWriter;

/// Escapes `text` for element content and quoted attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Escapes JSON for a `<script>` block: every `<` is replaced, because it could end the block or open a comment.
pub(super) fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    write_escaped_json(&mut escaped, json);
    escaped
}

pub(super) fn write_escaped_json(html: &mut impl DocumentWriter, json: &str) {
    let mut parts = json.split('<');
    html.text(parts.next().unwrap_or_default());
    for part in parts {
        html.text("\\u003c");
        html.text(part);
    }
}
