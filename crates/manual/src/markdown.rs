//! Reads the Markdown of a page, and finds its headings.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The path below the root of what this source links to.
pub(crate) fn resolved(source: &str, file: &str) -> String {
    let mut path = PathBuf::from(source);
    path.pop();
    for part in Path::new(file).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path.to_string_lossy().into_owned()
}

/// The file whose keys are those of every language.
const TEXTS: &str = "locales/en-US.json";

fn table_of_texts(texts: &BTreeMap<String, String>) -> String {
    let rows = texts.iter().map(|(key, text)| format!("| `{key}` | {text} |\n"));
    rows.fold(
        "\n| key | English text |\n| --- | --- |\n".to_owned(),
        |table, row| table + &row,
    )
}

/// The text of a page. A list item that is only a link to a file of `samples/` becomes that file's text, and one to the
/// English texts becomes their table.
pub(crate) fn read(root: &Path, source: &str) -> Result<String, String> {
    let read =
        |path: &str| std::fs::read_to_string(root.join(path)).map_err(|cause| format!("{path}: {cause}"));
    let mut text = String::new();
    for line in read(source)?.lines() {
        let named = line
            .strip_prefix("- [")
            .and_then(|rest| rest.strip_suffix(')')?.split_once("]("))
            .map(|(_, target)| resolved(source, target))
            .filter(|path| path.starts_with("samples/") || path == TEXTS);
        if let Some(path) = named.as_deref().filter(|path| *path == TEXTS) {
            let texts = serde_json::from_str(&read(path)?).map_err(|cause| format!("{path}: {cause}"))?;
            text.push_str(&table_of_texts(&texts));
        } else if let Some(path) = named {
            let language = path.rsplit('.').next().unwrap_or_default();
            let file = path.rsplit('/').next().unwrap_or_default();
            text.push_str(&format!("\n```{language} file={file}\n{}```\n", read(&path)?));
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok(text)
}

pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES
}

/// The texts of a page's headings.
pub(crate) fn headings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside: Option<String> = None;
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Start(Tag::Heading { .. }) => inside = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => found.extend(inside.take()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut inside {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

/// The anchor of a heading, as GitHub makes it.
pub(crate) fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|letter| letter.is_alphanumeric() || "-_ ".contains(*letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}
