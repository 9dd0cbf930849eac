//! Text that goes into a document: nothing of it leaves its place.

use super::pieces::Sink;

/// `text` for element content and quoted attributes.
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

/// JSON for a `<script>` block: a `<` could end the block or open a comment in it, so none stays.
pub(super) fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    write_escaped_json(&mut escaped, json);
    escaped
}

pub(super) fn write_escaped_json(html: &mut impl Sink, json: &str) {
    let mut parts = json.split('<');
    html.text(parts.next().unwrap_or_default());
    for part in parts {
        html.text("\\u003c");
        html.text(part);
    }
}
