//! Reads what it needs of a page's HTML: tags and their attributes.

/// A tag and its attributes, names in lower case.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MarkupTag {
    attributes: Vec<(String, String)>,
}

impl MarkupTag {
    /// The value of an attribute; empty if it has none.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// All tags of this name. Those in comments do not count.
pub(super) fn tags(html: &str, name: &str) -> Vec<MarkupTag> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let is_named = rest
            .get(..name.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(name))
            && rest[name.len()..].starts_with(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/');
        if is_named {
            let (attributes, after) = attributes(&rest[name.len()..]);
            found.push(MarkupTag { attributes });
            rest = after;
        }
    }
    found
}

/// The attributes up to the end of the tag, and what follows it.
fn attributes(mut rest: &str) -> (Vec<(String, String)>, &str) {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return (found, rest);
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (found, after);
        }
        let end = rest
            .find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/'))
            .unwrap_or(rest.len())
            .max(rest.chars().next().map_or(1, char::len_utf8));
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (text, left) = match quote {
                Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
                None => after.split_at(
                    after
                        .find(|c: char| c.is_ascii_whitespace() || c == '>')
                        .unwrap_or(after.len()),
                ),
            };
            value = decoded(text);
            rest = left;
        }
        found.push((name, value));
    }
}

fn decoded(text: &str) -> String {
    text.replace("&#39;", "'")
        .replace("&#x27;", "'")
        .replace("&apos;", "'")
        .replace("&quot;", "\"")
        .replace("&#34;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_however_they_are_written() {
        let html = "<!-- <meta content=no> --><META\n Content=\"a&quot;b\" x><metal content=no><meta content='c>d'/>\
                    <meta content=e><meta";
        let contents: Vec<_> = tags(html, "meta")
            .iter()
            .map(|tag| tag.attribute("content").map(str::to_owned))
            .collect();
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(contents, [said("a\"b"), said("c>d"), said("e")]);
    }

    #[test]
    fn no_markup_panics() {
        for html in [
            "<",
            "<meta ",
            "<meta =",
            "<meta a=\"",
            "<meta ü=ü",
            "<!--",
            "<meta \u{0}=>",
            "<metä>",
        ] {
            tags(html, "meta");
        }
    }
}
