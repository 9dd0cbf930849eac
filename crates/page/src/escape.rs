//! Escapes text for a document, so that no text can become markup.

use std::borrow::Cow;

use serde::Serialize;

/// Whether it could be markup.
const fn is_markup(character: char) -> bool {
    matches!(character, '&' | '<' | '>' | '"' | '\'')
}

/// Space for some escapes.
const SPACE_BYTES: usize = 32;

/// Escapes `text` for element content and quoted attributes.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| is_markup(char::from(byte))) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + SPACE_BYTES);
    let mut rest = text;
    while let Some(at) = rest.find(is_markup) {
        escaped.push_str(&rest[..at]);
        escaped.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#39;",
        });
        rest = &rest[at + 1..];
    }
    escaped.push_str(rest);
    escaped.into()
}

/// JSON for a `<script>` block: every `<` is escaped, because it could end the block or open a comment.
#[derive(Debug, Default)]
pub struct ScriptJson(String);

impl ScriptJson {
    /// `data` as JSON.
    pub fn of(data: &impl Serialize) -> Result<Self, serde_json::Error> {
        let json = serde_json::to_string(data)?;
        // JSON has `<` in texts only.
        Ok(Self(if json.contains('<') {
            json.replace('<', "\\u003c")
        } else {
            json
        }))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<ScriptJson> for String {
    fn from(json: ScriptJson) -> Self {
        json.0
    }
}
