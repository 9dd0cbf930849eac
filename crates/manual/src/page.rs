//! The HTML around an article.

use crate::article::Article;
use crate::contents::chapters;
use crate::escape::escaped;

/// `/docs`: what there is to read.
pub(crate) fn front() -> String {
    let mut body = "<h1>Cardform</h1>\n<p>A card payment form with saved cards that you host yourself. \
         Begin with the <a href=\"/docs/quick-start\">quick start</a>: from an empty folder to a paid order in ten minutes.</p>\n"
        .to_owned();
    for chapter in chapters() {
        body.push_str(&format!("<h2>{}</h2>\n<ul class=\"cards\">\n", chapter.title));
        for page in &chapter.pages {
            let (name, title, about) = (page.name, page.title, escaped(page.about));
            body.push_str(&format!(
                "<li><a href=\"/docs/{name}\">{title}</a> <span>{about}</span></li>\n"
            ));
        }
        body.push_str("</ul>\n");
    }
    body.push_str(
        "<h2>For programs</h2>\n<p><a href=\"/openapi.json\">openapi.json</a> describes the HTTP API, \
         <a href=\"/docs/all.md\">all.md</a> has these pages in one file, and <a href=\"/llms.txt\">llms.txt</a> lists them.</p>\n",
    );
    shell("Cardform", "", &body)
}

/// The page of the article at this position.
pub(crate) fn html(articles: &[Article], position: usize) -> String {
    let article = &articles[position];
    let mut body = String::new();
    let sections: Vec<_> = article.sections.iter().skip(1).collect();
    body.push_str(&article.body);
    let step = |other: Option<&Article>, class: &str, word: &str| {
        other.map_or_else(String::new, |other| {
            let (name, title) = (other.listed.name, other.listed.title);
            format!("<a class=\"{class}\" href=\"/docs/{name}\"><span>{word}</span> {title}</a>\n")
        })
    };
    let before = position.checked_sub(1).and_then(|before| articles.get(before));
    let steps = step(before, "previous", "Previous:") + &step(articles.get(position + 1), "next", "Next:");
    body.push_str(&format!(
        "<nav class=\"steps\" aria-label=\"Next page\">\n{steps}</nav>\n"
    ));
    if sections.len() > 2 {
        let items = sections.iter().map(|section| {
            let (anchor, title) = (&section.anchor, escaped(&section.title));
            format!("<li><a href=\"#{anchor}\">{title}</a></li>\n")
        });
        let items: String = items.collect();
        let heading = "<h2 id=\"on-this-page\">On this page</h2>";
        let list = format!(
            "<nav class=\"sections\" aria-labelledby=\"on-this-page\">{heading}<ol>\n{items}</ol></nav>\n"
        );
        // Below the title, so that a reader sees at once whether this is the page.
        body = body.replacen("</h1>\n", &format!("</h1>\n{list}"), 1);
    }
    shell(article.listed.title, article.listed.name, &body)
}

/// The page for a path that the documentation does not have. The search and the contents are beside it.
pub(crate) fn missing() -> String {
    let body = "<h1>There is no such page</h1>\n<p>Search for it, or begin with <a href=\"/docs\">the front page</a>.</p>\n";
    shell("There is no such page", "404", body)
}

fn shell(title: &str, name: &str, body: &str) -> String {
    let mut contents = String::new();
    for chapter in chapters() {
        contents.push_str(&format!("<h2>{}</h2>\n<ul>\n", chapter.title));
        for page in &chapter.pages {
            let current = if page.name == name {
                " aria-current=\"page\""
            } else {
                ""
            };
            contents.push_str(&format!(
                "<li><a href=\"/docs/{}\"{current}>{}</a></li>\n",
                page.name, page.title
            ));
        }
        contents.push_str("</ul>\n");
    }
    let head = if name.is_empty() {
        "Cardform: documentation".to_owned()
    } else {
        format!("{title} · Cardform")
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{head}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <link rel=\"stylesheet\" href=\"/docs/assets/docs.css\">\n\
         <link rel=\"stylesheet\" href=\"/docs/assets/print.css\" media=\"print\">\n\
         <script type=\"module\" src=\"/docs/assets/docs.js\"></script>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the text</a>\n\
         <header>\n<a class=\"home\" href=\"/docs\">Cardform</a>\n\
         <search hidden><label for=\"search\">Search</label><input id=\"search\" type=\"search\" placeholder=\"Search\" autocomplete=\"off\" spellcheck=\"false\">\
         <div id=\"found\" hidden><p role=\"status\"></p><ol></ol></div></search>\n\
         <a class=\"to-contents\" href=\"#contents\">Contents</a>\n</header>\n\
         <main id=\"main\" tabindex=\"-1\">\n<article>\n{body}</article>\n</main>\n\
         <nav id=\"contents\" aria-label=\"Contents\">\n{contents}</nav>\n</body>\n</html>\n"
    )
}
