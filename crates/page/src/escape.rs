//! Escapes text for a document, so that no text can become markup.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::Error;

/// What could be markup.
const MARKUP: [char; 5] = ['&', '<', '>', '"', '\''];
/// Space for some escapes.
const SPACE_BYTES: usize = 32;
/// What the data of most pages takes, so that its text does not have to grow.
const DATA_BYTES: usize = 4 * 1_024;

/// Escapes `text` for element content and quoted attributes.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| MARKUP.contains(&char::from(byte))) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + SPACE_BYTES);
    let mut rest = text;
    while let Some(at) = rest.find(MARKUP) {
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
        let mut json = Vec::with_capacity(DATA_BYTES);
        serde_json::to_writer(&mut json, data)?;
        let mut json = String::from_utf8(json).map_err(serde_json::Error::custom)?;
        // JSON has it in texts only.
        if json.contains('<') {
            json = json.replace('<', "\\u003c");
        }
        Ok(Self(json))
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
