//! Checks that no two types of the workspace have the same name, so that a name always means one thing.

use std::collections::BTreeMap;

use super::Finding;
use super::source::Source;

/// The words before the name of a type.
const KINDS: [&str; 4] = ["struct", "enum", "union", "trait"];
/// Only at the left margin: inside an `impl` it names a type of the trait, such as `Error` or `Target`.
const ALIAS: &str = "type";

/// Every type whose name another type has, too.
pub(super) fn each_is_used_once(sources: &[Source]) -> Vec<Finding> {
    let mut places: BTreeMap<String, Vec<(&Source, usize)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.path.starts_with("crates/")) {
        for (index, line) in source.code().lines().enumerate() {
            if let Some(name) = declared_type(line) {
                places
                    .entry(name.to_owned())
                    .or_default()
                    .push((source, index + 1));
            }
        }
    }
    let mut found = Vec::new();
    for (name, places) in places.iter().filter(|(_, places)| places.len() > 1) {
        for (place, (source, line)) in places.iter().enumerate() {
            let (other, other_line) = places[(place + 1) % places.len()];
            let what = format!("`{name}` is also a type in {}:{other_line}", other.path);
            found.push(source.finding("type-names", *line, what));
        }
    }
    found
}

/// The name of the type that this line declares.
fn declared_type(line: &str) -> Option<&str> {
    let is_at_margin = !line.starts_with(' ');
    let line = line.trim_start();
    let declaration = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1,
        Some(rest) => rest,
        None => line,
    };
    let (kind, name) = declaration.trim_start().split_once(' ')?;
    let is_type = KINDS.contains(&kind) || (kind == ALIAS && is_at_margin);
    let end = name.find(|character: char| !character.is_alphanumeric() && character != '_');
    is_type.then_some(&name[..end.unwrap_or(name.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<_> = files
            .iter()
            .map(|(path, text)| Source::new((*path).to_owned(), (*text).to_owned()))
            .collect();
        let found = each_is_used_once(&sources).into_iter();
        found
            .map(|finding| format!("{}:{}: {}", finding.path, finding.line, finding.what))
            .collect()
    }

    #[test]
    fn a_type_name_in_two_files_is_named_at_both() {
        let files = [
            (
                "crates/wire/src/a.rs",
                "//! A.\n\npub struct Answer<'a>(&'a str);\n",
            ),
            (
                "crates/server/tests/b.rs",
                "pub(crate) enum Answer {\n    Yes,\n}\n",
            ),
        ];
        assert_eq!(
            found(&files),
            [
                "crates/wire/src/a.rs:3: `Answer` is also a type in crates/server/tests/b.rs:1",
                "crates/server/tests/b.rs:1: `Answer` is also a type in crates/wire/src/a.rs:3",
            ]
        );
    }

    #[test]
    fn every_kind_of_type_counts() {
        for declaration in [
            "struct Part;",
            "pub enum Part {",
            "pub(super) trait Part: Sized {",
            "type Part<T> = Vec<T>;",
            "mod tests {\n    struct Part;\n}\n",
            "pub union Part {",
        ] {
            let files = [
                ("crates/a/src/a.rs", declaration),
                ("crates/b/src/b.rs", "struct Part;"),
            ];
            assert_eq!(found(&files).len(), 2, "{declaration}");
        }
    }

    #[test]
    fn types_of_traits_comments_and_other_names_do_not_count() {
        for text in [
            "impl Iterator for Parts {\n    type Part = u8;\n}\n",
            "// struct Part;\n",
            "const TEXT: &str = \"\nstruct Part;\n\";\n",
            "struct Parts;\n",
            "fn part(part: Part) {}\n",
        ] {
            let files = [
                ("crates/a/src/a.rs", text),
                ("crates/b/src/b.rs", "struct Part;\n"),
            ];
            assert!(found(&files).is_empty(), "{text}");
        }
        let outside = [
            ("fuzz/src/a.rs", "struct Part;\n"),
            ("crates/b/src/b.rs", "struct Part;\n"),
        ];
        assert!(found(&outside).is_empty());
    }
}
