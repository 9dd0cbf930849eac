//! The documentation that the service serves: HTML pages from the Markdown files of the repository, an index to search in,
//! and plain text for programs. The server's build script makes them.
//!
//! A link to a page or a heading that does not exist fails the build.

#![expect(
    clippy::format_push_string,
    reason = "the pages are made once, while the server is built"
)]

mod article;
mod code;
mod contents;
mod escape;
mod links;
mod markdown;
mod page;
mod plain;
mod search;

use std::path::Path;

use article::Article;
use contents::chapters;
use links::Links;

/// A file as it is served.
pub struct ServedFile {
    /// Below the service's origin: `/docs/webhooks`.
    pub path: String,
    /// The content type.
    pub kind: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}

const HTML: &str = "text/html; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
/// The style sheet and the script: name, content type, content.
const ASSETS: [(&str, &str, &str); 3] = [
    (
        "docs.css",
        "text/css; charset=utf-8",
        include_str!("../assets/docs.css"),
    ),
    (
        "print.css",
        "text/css; charset=utf-8",
        include_str!("../assets/print.css"),
    ),
    (
        "docs.js",
        "text/javascript; charset=utf-8",
        include_str!("../assets/docs.js"),
    ),
];

/// The folders and files below the repository's root that the documentation is made from.
pub const SOURCES: [&str; 5] = [
    "docs",
    "samples",
    "sdk/js/README.md",
    "sdk/react/README.md",
    "sdk/testing/README.md",
];

/// Every file of the documentation, or every mistake in it, one line each.
pub fn files(root: &Path) -> Result<Vec<ServedFile>, Vec<String>> {
    let mut articles = Vec::new();
    let mut mistakes = Vec::new();
    for listed in chapters().iter().flat_map(|chapter| &chapter.pages) {
        match markdown::read(root, listed.source) {
            Ok(text) => articles.push((listed, text)),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    let links = Links::of(&articles);
    let rendered: Vec<_> = articles
        .iter()
        .map(|(listed, text)| Article::render(listed, text, root, &links, &mut mistakes))
        .collect();
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let file = |path: String, kind, bytes: String| ServedFile {
        path,
        kind,
        bytes: bytes.into_bytes(),
    };
    let mut files = vec![
        file("/docs".to_owned(), HTML, page::front()),
        file(
            "/docs/search.json".to_owned(),
            "application/json",
            search::index(&rendered),
        ),
        file("/docs/all.md".to_owned(), MARKDOWN, plain::everything(&articles)),
        file("/llms.txt".to_owned(), TEXT, plain::overview()),
    ];
    for (position, article) in rendered.iter().enumerate() {
        let path = format!("/docs/{}", article.listed.name);
        files.push(file(path, HTML, page::html(&rendered, position)));
    }
    for (listed, text) in &articles {
        files.push(file(format!("/docs/{}.md", listed.name), MARKDOWN, text.clone()));
    }
    for (name, kind, text) in ASSETS {
        files.push(file(format!("/docs/assets/{name}"), kind, text.to_owned()));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_of_this_repository_has_no_mistake() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let files = files(&root).unwrap_or_else(|mistakes| panic!("{}", mistakes.join("\n")));
        let everything = files.iter().find(|file| file.path == "/docs/all.md");
        let everything = everything.map(|file| String::from_utf8_lossy(&file.bytes));
        assert!(everything.is_some_and(|text| text.contains("# Quick start") && text.contains("createHmac")));
    }
}
