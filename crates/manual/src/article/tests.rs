use super::*;

const PAGE: ListedPage = ListedPage {
    name: "webhooks",
    title: "",
    about: "",
    source: "docs/webhooks.md",
};

fn rendered(text: &str) -> (String, Vec<String>) {
    static LISTED: ListedPage = PAGE;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut mistakes = Vec::new();
    let links = Links::of(&[(&LISTED, text.to_owned())]);
    let article = Article::render(&LISTED, text, &root, &links, &mut mistakes);
    (article.body, mistakes)
}

#[test]
fn a_link_to_a_heading_leads_there() {
    let (body, mistakes) =
        rendered("# Webhooks\n\n## Check the *signature*\n\n[there](#check-the-signature)");
    assert!(mistakes.is_empty());
    assert!(body.contains("<h2 id=\"check-the-signature\">"), "{body}");
    assert!(
        body.contains("<a href=\"/docs/webhooks#check-the-signature\">there</a>"),
        "{body}"
    );
}

#[test]
fn a_link_to_nothing_is_a_mistake() {
    let (_, mistakes) = rendered("# Webhooks\n\n[a](#b) [c](gone.md)");
    let expected = [
        "docs/webhooks.md: docs/webhooks.md has no heading #b",
        &format!("docs/webhooks.md: there is no docs/{}", "gone.md"),
    ];
    assert_eq!(mistakes, expected);
}

#[test]
fn a_link_to_a_file_that_is_not_served_is_its_text() {
    let (body, mistakes) = rendered("# Webhooks\n\n[the design](../ARCHITECTURE.md)");
    assert!(mistakes.is_empty());
    assert!(body.contains("<p>the design</p>"), "{body}");
}

#[test]
fn html_of_a_page_is_a_mistake_and_code_is_text() {
    let (body, mistakes) = rendered("# W\n\n<b>x</b>\n\n```html\n<b>\"&</b>\n```");
    assert!(
        mistakes
            .iter()
            .all(|mistake| mistake.ends_with("HTML is not rendered"))
            && !mistakes.is_empty()
    );
    assert!(!body.contains("<b>"), "{body}");
}
