//! The documentation for programs that read text.

use crate::contents::{ListedPage, chapters};

/// `/docs/all.md`: every page, one after the other.
pub(crate) fn everything(articles: &[(&'static ListedPage, String)]) -> String {
    let pages = articles.iter().map(|(listed, text)| {
        let text = text.trim();
        format!("<!-- /docs/{} -->\n\n{text}\n", listed.name)
    });
    pages.collect::<Vec<_>>().join("\n")
}

/// `/llms.txt`: what Cardform is, and where each page is.
pub(crate) fn overview() -> String {
    let mut text = "# Cardform\n\n> A card payment form with saved cards that a merchant embeds and an operator hosts: one binary with the \
         form's page, the payment service and the merchant API.\n\n\
         Everything in one file: [/docs/all.md](/docs/all.md). The HTTP API for programs: \
         [/openapi.json](/openapi.json).\n"
        .to_owned();
    for chapter in chapters() {
        text.push_str(&format!("\n## {}\n\n", chapter.title));
        for page in &chapter.pages {
            text.push_str(&format!(
                "- [{}](/docs/{}.md): {}\n",
                page.title, page.name, page.about
            ));
        }
    }
    text
}
