//! What a page's HTML loads: its scripts, its style sheets, and what stands in it itself.

/// What a page refers to, in its order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Loads {
    /// Addresses of scripts and of modules that are fetched ahead, with their `integrity`.
    pub(super) scripts: Vec<(String, Option<String>)>,
    /// Addresses of style sheets, with their `integrity`.
    pub(super) styles: Vec<(String, Option<String>)>,
    /// Scripts that stand in the page and run.
    pub(super) inline_scripts: usize,
    /// What stands in `<style>` elements.
    pub(super) inline_styles: Vec<String>,
}

/// Reads tags only, as far as scripts and styles need it. A page of ours has nothing that a browser would read otherwise;
/// one that somebody changed may, and then other files or hashes differ.
pub(super) fn loads(html: &str) -> Loads {
    let mut found = Loads::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let Some(end) = rest.find('>') else { break };
        let tag = &rest[..end];
        let name = tag
            .split(|c: char| c.is_ascii_whitespace() || c == '/')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        rest = &rest[end + 1..];
        match name.as_str() {
            "script" => {
                match attribute(tag, "src") {
                    Some(address) => found.scripts.push((address, attribute(tag, "integrity"))),
                    None if attribute(tag, "type").as_deref() == Some("application/json") => {}
                    None => found.inline_scripts += 1,
                }
                rest = after(rest, "</script").1;
            }
            "style" => {
                let (text, behind) = after(rest, "</style");
                found.inline_styles.push(text.to_owned());
                rest = behind;
            }
            "link" => {
                let address = attribute(tag, "href").unwrap_or_default();
                let integrity = attribute(tag, "integrity");
                match attribute(tag, "rel").as_deref() {
                    Some("stylesheet") => found.styles.push((address, integrity)),
                    Some("modulepreload") => found.scripts.push((address, integrity)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// What stands before `end`, and what behind it.
fn after<'a>(html: &'a str, end: &str) -> (&'a str, &'a str) {
    html.to_ascii_lowercase()
        .find(end)
        .map_or((html, ""), |at| (&html[..at], &html[at..]))
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut rest = tag;
    while let Some(at) = rest.to_ascii_lowercase().find(name) {
        let is_word = rest[..at].ends_with(|c: char| c.is_ascii_whitespace());
        rest = &rest[at + name.len()..];
        let Some(value) = rest.trim_start().strip_prefix('=') else {
            continue;
        };
        if !is_word {
            continue;
        }
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        return match quote {
            Some(quote) => value[1..].split(quote).next().map(str::to_owned),
            None => value
                .split(|c: char| c.is_ascii_whitespace())
                .next()
                .map(str::to_owned),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_styles_are_found_however_they_are_written() {
        let html = "<!doctype html><html><head><link rel=\"stylesheet\" href=\"/a.css\" integrity=\"sha384-x\">\
             <LINK rel=modulepreload href='/b.js'><style>p{color:red}</style>\
             <script type=\"module\" src=\"/c.js\"></script></head><body data-src=\"/no.js\">\
             <script type=\"application/json\" id=\"page\">{\"a\":\"<b>\"}</script>\
             <SCRIPT>steal()</SCRIPT><script src = https://evil.example/x.js async></script></body></html>";
        let none = None::<String>;
        assert_eq!(
            loads(html),
            Loads {
                scripts: vec![
                    ("/b.js".into(), none.clone()),
                    ("/c.js".into(), none.clone()),
                    ("https://evil.example/x.js".into(), none),
                ],
                styles: vec![("/a.css".into(), Some("sha384-x".into()))],
                inline_scripts: 1,
                inline_styles: vec!["p{color:red}".into()],
            }
        );
    }
}
