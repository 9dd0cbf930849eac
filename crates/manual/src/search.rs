//! What the search looks through: every section of every page.

use serde_json::{Value, json};

use crate::article::Article;

/// The index: a list of sections, each with its address, its page, its title and its text.
pub(crate) fn index(articles: &[Article]) -> String {
    let sections = articles.iter().flat_map(|article| {
        article.sections.iter().enumerate().map(|(position, section)| {
            let name = article.listed.name;
            let address = if position == 0 {
                format!("/docs/{name}")
            } else {
                format!("/docs/{name}#{}", section.anchor)
            };
            let text = section.text.split_whitespace().collect::<Vec<_>>().join(" ");
            json!({ "address": address, "page": article.listed.title, "title": section.title, "text": text })
        })
    });
    sections.collect::<Value>().to_string()
}
