//! The document around the rendered page. No inline script, and no inline style but the theme's: the page's data stands
//! in a block that browsers do not run.

use std::fmt::Write;

use rules::locale::Locale;

/// What stands in the document.
pub(crate) struct Document<'a> {
    pub(crate) lang: &'a str,
    pub(crate) dir: &'a str,
    pub(crate) title: &'a str,
    /// `system`, `light` or `dark`.
    pub(crate) color_mode: &'a str,
    /// The page's address in other languages, each with its locale.
    pub(crate) alternates: &'a [(&'static Locale, String)],
    pub(crate) style: &'a str,
    /// The theme's style sheet, made of checked values alone; the policy allows it by its hash.
    pub(crate) theme: &'a str,
    pub(crate) script: &'a str,
    /// The page's data as JSON.
    pub(crate) data: &'a str,
    /// What React rendered; empty when it could not, and the browser renders.
    pub(crate) body: &'a str,
}

impl Document<'_> {
    fn alternates(&self) -> String {
        self.alternates
            .iter()
            .fold(String::new(), |mut links, (locale, path)| {
                // Writing to a string cannot fail.
                let _ = writeln!(
                    links,
                    "<link rel=\"alternate\" hreflang=\"{}\" href=\"{path}\">",
                    locale.iso
                );
                links
            })
    }

    /// The whole HTML.
    pub(crate) fn to_html(&self) -> String {
        let theme = if self.theme.is_empty() {
            String::new()
        } else {
            format!("<style>{}</style>\n", self.theme)
        };
        format!(
            "<!doctype html>\n<html lang=\"{lang}\" dir=\"{dir}\" data-color-mode=\"{color_mode}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"robots\" content=\"noindex\">\n<title>{title}</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <link rel=\"stylesheet\" href=\"{style}\">\n{alternates}{theme}<script type=\"module\" src=\"{script}\"></script>\n</head>\n\
             <body>\n<div id=\"root\">{body}</div>\n\
             <script type=\"application/json\" id=\"page\">{data}</script>\n</body>\n</html>\n",
            lang = escape(self.lang),
            dir = escape(self.dir),
            color_mode = escape(self.color_mode),
            title = escape(self.title),
            alternates = self.alternates(),
            style = self.style,
            script = self.script,
            body = self.body,
            data = escape_json(self.data),
        )
    }
}

/// `text` for element content and quoted attributes.
pub(super) fn escape(text: &str) -> String {
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
fn escape_json(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_leave_its_block_and_attributes_cannot_be_left() {
        let html = Document {
            lang: "en-US",
            dir: "ltr",
            title: "</title><script>alert(1)</script>",
            color_mode: "\"><script>alert(2)</script>",
            theme: ":root{--label:#000000;}",
            alternates: &[],
            style: "/style.css",
            script: "/script.js",
            data: r#"{"name":"</script><script>alert(3)</script><!--"}"#,
            body: "<p>body</p>",
        }
        .to_html();
        assert_eq!(html.matches("<script").count(), 2, "{html}");
        assert!(!html.contains("<!--"));
        assert!(html.contains("<style>:root{--label:#000000;}</style>"), "{html}");
        assert!(html.contains("<div id=\"root\"><p>body</p></div>"));
    }
}
