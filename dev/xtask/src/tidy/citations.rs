//! Citations in code and links of documents: the cited document must be in the repository and have the named heading.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Source;

/// Examples of broken citations stand in the tests of this rule.
const EXAMPLES: &str = "dev/xtask/src/tidy/";
/// Texts that cite a document outside of the repository.
const FOREIGN: [&str; 4] = ["\u{a7}", "\\u00a7", "DESIGN.md", "the specification"];

/// Every citation of something that is not in the repository.
pub(super) fn broken(sources: &[Source]) -> Vec<String> {
    let library = Library::of(sources);
    let mut found = Vec::new();
    for source in sources {
        if source.path.starts_with(EXAMPLES) || source.path.ends_with("package-lock.json") {
            continue;
        }
        let is_markdown = source.extension() == "md";
        let mut is_fenced = false;
        for (index, line) in source.text.lines().enumerate() {
            if FOREIGN.iter().any(|text| line.contains(text)) {
                let problem = "cites a document that is not in the repository: name one in docs/";
                found.push(source.finding(index + 1, problem));
            }
            is_fenced ^= is_markdown && line.trim_start().starts_with("```");
            let cited = if is_markdown && !is_fenced {
                let (prose, links) = prose_and_links(line);
                let links = links.into_iter().map(|link| resolved(&source.path, link));
                links.chain(citations(&prose)).collect()
            } else {
                citations(line)
            };
            let problems = cited.iter().filter_map(|cited| library.why_broken(cited));
            found.extend(problems.map(|problem| source.finding(index + 1, &problem)));
        }
    }
    found
}

/// The documents that a line names from the root, with the heading where it names one: `docs/form.md#ready`.
fn citations(line: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-#".contains(c);
    let words = line
        .split(|c| !is_part(c))
        .map(|word| word.trim_end_matches(['.', '-']));
    let cited = words.filter(|word| {
        let path = word.split('#').next().unwrap_or_default();
        let is_at_root = word.contains('#') && !path.contains('/');
        let is_document = Path::new(path).extension().is_some_and(|kind| kind == "md");
        is_document && (path.starts_with("docs/") || is_at_root)
    });
    cited.map(str::to_owned).collect()
}

/// A line of Markdown without the targets of its links, and those targets that are in the repository.
fn prose_and_links(line: &str) -> (String, Vec<&str>) {
    let mut pieces = line.split("](");
    let mut prose = pieces.next().unwrap_or_default().to_owned();
    let mut links = Vec::new();
    for piece in pieces {
        let (target, rest) = piece.split_once(')').unwrap_or((piece, ""));
        links.push(target);
        prose.push(' ');
        prose.push_str(rest);
    }
    links.retain(|link| !link.contains("://") && !link.starts_with("mailto:") && !link.starts_with('/'));
    (prose, links)
}

/// The link of a document as a path from the root.
fn resolved(document: &str, link: &str) -> String {
    if let Some(heading) = link.strip_prefix('#') {
        return format!("{document}#{heading}");
    }
    let mut parts: Vec<_> = document.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// All that can be cited: files, folders, and the headings of documents.
struct Library<'a> {
    paths: BTreeSet<&'a str>,
    headings: BTreeMap<&'a str, BTreeSet<String>>,
}

impl<'a> Library<'a> {
    fn of(sources: &'a [Source]) -> Self {
        let folders = |path: &'a str| path.match_indices('/').map(move |(end, _)| &path[..end]);
        let documents = sources.iter().filter(|source| source.extension() == "md");
        Self {
            paths: sources
                .iter()
                .flat_map(|source| folders(&source.path).chain([source.path.as_str()]))
                .collect(),
            headings: documents
                .map(|source| (source.path.as_str(), anchors(&source.text)))
                .collect(),
        }
    }

    /// Why the citation is broken; `None` if it is correct.
    fn why_broken(&self, cited: &str) -> Option<String> {
        let (path, heading) = cited.split_once('#').unwrap_or((cited, ""));
        if !self.paths.contains(path) {
            return Some(format!("cites `{path}`, which does not exist"));
        }
        let has_heading = |known: &BTreeSet<String>| heading.is_empty() || known.contains(heading);
        let is_broken = self.headings.get(path).is_some_and(|known| !has_heading(known));
        is_broken.then(|| format!("cites `{cited}`, and `{path}` has no such heading"))
    }
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_fenced = false;
    for line in markdown.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        if is_fenced || !(1..=6).contains(&level) || !title.starts_with(' ') {
            continue;
        }
        let anchor = anchor(title.trim());
        let copies = (1..).map(|copy| format!("{anchor}-{copy}"));
        let free = std::iter::once(anchor.clone())
            .chain(copies)
            .find(|name| !found.contains(name));
        found.extend(free);
    }
    found
}

fn anchor(title: &str) -> String {
    let kept = title.to_lowercase().replace(' ', "-");
    kept.chars()
        .filter(|c| c.is_alphanumeric() || "-_".contains(*c))
        .collect()
}

#[cfg(test)]
mod tests;
