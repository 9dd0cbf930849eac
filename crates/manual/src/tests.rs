use std::collections::BTreeMap;

use pulldown_cmark::{Event, Parser, Tag};

use super::*;

fn served() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = files(&root).unwrap_or_else(|mistakes| panic!("{}", mistakes.join("\n")));
    let text = |file: ServedFile| (file.path, String::from_utf8_lossy(&file.bytes).into_owned());
    files.into_iter().map(text).collect()
}

#[test]
fn the_documentation_of_this_repository_has_no_mistake() {
    let everything = &served()["/docs/all.md"];
    assert!(everything.contains("# Quick start") && everything.contains("createHmac"));
}

#[test]
fn every_link_of_a_page_for_programs_leads_to_what_is_served() {
    let served = served();
    let mut count = 0;
    for (path, text) in served
        .iter()
        .filter(|(path, _)| path.strip_suffix(".md").is_some())
    {
        for event in Parser::new_ext(text, markdown::options()) {
            let Event::Start(Tag::Link { dest_url, .. }) = event else {
                continue;
            };
            if dest_url.contains("://") {
                continue;
            }
            count += 1;
            let (file, anchor) = dest_url.split_once('#').unwrap_or((&dest_url, ""));
            let target = served.get(file);
            let target = target.unwrap_or_else(|| panic!("{path}: {dest_url} is not served"));
            let mut anchors = markdown::headings(target)
                .into_iter()
                .map(|heading| markdown::anchor(&heading));
            assert!(
                anchor.is_empty() || anchors.any(|known| known == anchor),
                "{path}: {dest_url} has no such heading"
            );
        }
    }
    assert!(count > 200, "{count} links");
}

#[test]
fn every_key_of_texts_is_listed_with_its_english_text() {
    let texts = include_str!("../../../locales/en-US.json");
    let texts: BTreeMap<String, String> = serde_json::from_str(texts).expect("texts");
    let served = served();
    for (key, text) in texts {
        let row = format!("| `{key}` | {text} |");
        assert!(served["/docs/texts.md"].contains(&row), "{row}");
        assert!(
            served["/docs/texts"].contains(&format!("<code>{key}</code>")),
            "{key}"
        );
    }
}

#[test]
fn no_merchant_is_told_to_run_cargo() {
    for (path, text) in served() {
        assert!(!text.contains("cargo "), "{path}");
    }
}

#[test]
fn samples_renew_their_client_secret() {
    for (path, text) in served() {
        for fixed in [
            "clientSecret: \"",
            "clientSecret: client_secret",
            "clientSecret: charge.client_secret",
        ] {
            assert!(!text.contains(fixed), "{path}: {fixed}");
        }
    }
}

#[test]
fn every_sample_is_served() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    for entry in std::fs::read_dir(samples).expect("there are samples") {
        let name = entry.expect("a name").file_name().into_string().expect("text");
        assert!(
            SAMPLES
                .iter()
                .any(|sample| sample.starts_with(&format!("samples/{name}"))),
            "{name}"
        );
    }
}
