//! Checks citations in code and documents: the cited document must be in the repository and have the named heading.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::source::{Source, names};

const RULE: &str = "citations";
/// Examples of paths stand in the tests of these rules.
const EXAMPLES: &str = "dev/xtask/src/tidy/";
/// Files that are written by tools.
const WRITTEN_BY_TOOLS: [&str; 2] = ["package-lock.json", "Cargo.lock"];
/// How the sign of a numbered part may be written.
const PART_SIGNS: [&str; 2] = ["\u{a7}", "\\u00a7"];
/// Names of documents that are not in the repository.
const FOREIGN_DOCUMENTS: [&str; 3] = [
    concat!("DESIGN", ".md"),
    concat!("specif", "ication"),
    concat!("Specif", "ication"),
];

/// Every place that cites what is not in the repository.
pub(super) fn all_exist(sources: &[Source]) -> Vec<Finding> {
    let library = Library::of(sources);
    let mut found = Vec::new();
    for source in sources {
        let name = source.path.rsplit('/').next().unwrap_or_default();
        if WRITTEN_BY_TOOLS.contains(&name) || source.path.starts_with(EXAMPLES) {
            continue;
        }
        let is_markdown = source.extension() == "md";
        let mut is_fenced = false;
        for (index, line) in source.text.lines().enumerate() {
            let mut report = |what| found.push(source.finding(RULE, index + 1, what));
            if cites_foreign_document(line) {
                report("cites a document that is not in the repository: name one in docs/".to_owned());
            }
            is_fenced ^= is_markdown && line.trim_start().starts_with("```");
            let (prose, links) = if is_markdown && !is_fenced {
                parted(line)
            } else {
                (line.to_owned(), Vec::new())
            };
            let links = links.into_iter().map(|link| resolved(&source.path, link));
            let cited = citations(&prose).into_iter().map(str::to_owned);
            links
                .chain(cited)
                .filter_map(|cited| library.why_broken(&cited))
                .for_each(&mut report);
        }
    }
    found
}

/// Whether the line cites a numbered part, or a document by a name that is none of ours.
fn cites_foreign_document(line: &str) -> bool {
    let cites_point = ["point ", "points ", "Point ", "Points "].iter().any(|word| {
        line.match_indices(word).any(|(start, _)| {
            let is_word = !line[..start].ends_with(char::is_alphanumeric);
            is_word && line[start + word.len()..].starts_with(|next: char| next.is_ascii_digit())
        })
    });
    cites_point
        || PART_SIGNS.iter().any(|sign| line.contains(sign))
        || FOREIGN_DOCUMENTS.iter().any(|name| names(line, name))
}

/// The documents that a line names from the root, with the heading where it names one: `docs/form.md#ready`.
fn citations(line: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-#".contains(c);
    let words = line
        .split(|c: char| !is_part(c))
        .map(|word| word.trim_end_matches(['.', '-']));
    words
        .filter(|word| {
            let path = path_of(word);
            let is_document = path
                .rsplit_once('.')
                .is_some_and(|(name, kind)| kind == "md" && !name.starts_with('/'));
            is_document && (path.starts_with("docs/") || (word.contains('#') && !path.contains('/')))
        })
        .collect()
}

/// A line of Markdown without its links' targets, and those of them that lead to no other site.
fn parted(line: &str) -> (String, Vec<&str>) {
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

fn path_of(cited: &str) -> &str {
    cited.split('#').next().unwrap_or_default()
}

/// What can be cited: every file and folder, and the headings of the documents.
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

    /// Why what is cited cannot be read; `None` when it can.
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
mod tests {
    use super::*;

    const RULES: &str =
        "# What a field may hold\n\n## Card number\n\n```sh\n# a remark\n```\n\n## The bank's `page`\n";

    fn check(path: &str, text: &str) -> Vec<String> {
        let sources = [
            ("docs/rules.md", RULES),
            ("crates/rules/src/lib.rs", ""),
            (path, text),
        ]
        .map(|(path, text)| Source::new(path.to_owned(), text.to_owned()));
        all_exist(&sources)
            .into_iter()
            .map(|finding| finding.what)
            .collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn a_cited_heading_exists() {
        assert_eq!(
            check("form/a.ts", "// Digits (docs/rules.md#card-number).\n"),
            NONE
        );
        assert_eq!(check("form/a.ts", "// Digits; docs/rules.md says which.\n"), NONE);
        assert_eq!(check("form/a.ts", "// (docs/rules.md#the-banks-page)\n"), NONE);
        assert_eq!(
            check("form/a.ts", "// Digits (docs/rules.md#number).\n"),
            ["cites `docs/rules.md#number`, and `docs/rules.md` has no such heading"]
        );
        assert_eq!(
            check("cases/a.json", "{\"docs\": \"docs/rules.md#a-remark\"}").len(),
            1
        );
        assert_eq!(
            check("form/a.ts", "// (SECURITY.md#invariants)\n"),
            ["cites `SECURITY.md`, which does not exist"]
        );
    }

    #[test]
    fn a_cited_document_exists() {
        assert_eq!(
            check("form/a.css", "/* docs/looks.md */\n"),
            ["cites `docs/looks.md`, which does not exist"]
        );
        assert_eq!(
            check("form/a.ts", "read(\"NOTICE.md\", \"https://a.example/docs.md\");"),
            NONE
        );
    }

    #[test]
    fn links_between_documents_lead_somewhere() {
        let good = "[a](rules.md#card-number) [b](#mine) [c](../crates/rules) [d](https://a.example/b#c)\n\n## Mine\n";
        assert_eq!(check("docs/a.md", good), NONE);
        assert_eq!(check("README.md", "[a](docs/rules.md#card-number)"), NONE);
        assert_eq!(
            check("docs/a.md", "[a](rules.md#cards), [b](#yours), [c](../form/b.ts)"),
            [
                "cites `docs/rules.md#cards`, and `docs/rules.md` has no such heading",
                "cites `docs/a.md#yours`, and `docs/a.md` has no such heading",
                "cites `form/b.ts`, which does not exist"
            ]
        );
        assert_eq!(check("docs/a.md", "```\n[a](nowhere.md)\n```\n"), NONE);
    }

    #[test]
    fn the_second_heading_of_a_name_has_a_number() {
        let text = "## Expiry\n## Expiry\n";
        assert_eq!(anchors(text), ["expiry", "expiry-1"].map(str::to_owned).into());
    }

    #[test]
    fn a_document_that_nobody_can_open_is_not_cited() {
        let design = concat!("// As DESIGN", ".md says.");
        let specified = concat!("// The specif", "ication's list.");
        let escaped = concat!("{\"rule\": \"\\", "u00a75 digits\"}");
        for text in [
            "// (\u{a7}5)",
            "// as point 4 has it",
            "/* Points 2 and 3 */",
            design,
            specified,
            escaped,
        ] {
            assert_eq!(check("form/a.ts", text).len(), 1, "{text}");
        }
        let fine = "// to the point 4all: a viewpoint 2; points of 100; specifications of ours; REDESIGN";
        assert_eq!(check("form/a.ts", &fine.replace("point 4all", "point")), NONE);
    }
}
