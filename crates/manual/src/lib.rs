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
mod drawing;
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

/// A served file.
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
pub const SOURCES: [&str; 6] = [
    "docs",
    "locales/en-US.json",
    "samples",
    "sdk/js/README.md",
    "sdk/react/README.md",
    "sdk/testing/README.md",
];

/// The samples that are served to copy, as plain text.
pub(crate) const SAMPLES: [&str; 7] = [
    "samples/shop.html",
    "samples/shop.mjs",
    "samples/shop.py",
    "samples/shop.php",
    "samples/shop.go",
    "samples/rust/Cargo.toml",
    "samples/rust/src/main.rs",
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
    let index = search::index(&rendered, &mut mistakes);
    let mut samples = Vec::new();
    for path in SAMPLES {
        match std::fs::read_to_string(root.join(path)) {
            Ok(text) => samples.push((path, text)),
            Err(cause) => mistakes.push(format!("{path}: {cause}")),
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    // A program that reads Markdown follows its links, too.
    for (listed, text) in &mut articles {
        *text = links.plain(root, listed.source, text);
    }
    let file = |path: String, kind, bytes: String| ServedFile {
        path,
        kind,
        bytes: bytes.into_bytes(),
    };
    let mut files = vec![
        file("/docs".to_owned(), HTML, page::front()),
        file("/docs/404".to_owned(), HTML, page::missing()),
        file("/docs/search.json".to_owned(), "application/json", index),
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
    for (path, text) in samples {
        files.push(file(format!("/docs/{path}"), TEXT, text));
    }
    for (name, kind, text) in ASSETS {
        files.push(file(format!("/docs/assets/{name}"), kind, text.to_owned()));
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
