//! A file as the rules see it: its path, its text, and its Rust code without comments and what strings say.

use super::Finding;
use super::code;

/// A file of the repository.
pub(super) struct Source {
    /// From the root, with `/` between.
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    pub(super) fn new(path: String, text: String) -> Self {
        Self { path, text }
    }

    pub(super) fn is_rust(&self) -> bool {
        self.extension() == "rs"
    }

    /// The part of the name after its last dot.
    pub(super) fn extension(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(_, kind)| kind)
    }

    /// The Rust code of the file, with comments and what strings say blanked. Empty for any other file.
    pub(super) fn code(&self) -> String {
        if self.is_rust() {
            code::blank(&self.text)
        } else {
            String::new()
        }
    }

    /// Whether the whole file is there for tests.
    pub(super) fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let is_named_so = name == "tests.rs"
            || [".test.ts", ".test.tsx", ".spec.ts", "_tests.rs"]
                .iter()
                .any(|ending| name.ends_with(ending));
        let is_placed_so = self.path.starts_with("e2e/")
            || self
                .path
                .split('/')
                .any(|folder| folder == "tests" || folder == "benches");
        is_named_so || is_placed_so
    }

    /// The line (from 1) from which on the file is there for tests: 1 for a test file, the line of
    /// `#[cfg(test)] mod …` in Rust, which stands last. `None` when none of it is.
    pub(super) fn tests_from(&self) -> Option<usize> {
        if self.is_test() {
            return Some(1);
        }
        if !self.is_rust() {
            return None;
        }
        let lines: Vec<_> = self.text.lines().map(str::trim).collect();
        let starts = |index: usize| {
            let next = lines.get(index + 1).copied().unwrap_or_default();
            lines[index] == "#[cfg(test)]" && next.starts_with("mod ") && next.ends_with('{')
        };
        (0..lines.len())
            .find(|index| starts(*index))
            .map(|index| index + 1)
    }

    /// A place in this file that breaks `rule`.
    pub(super) fn finding(&self, rule: &'static str, line: usize, what: impl Into<String>) -> Finding {
        Finding {
            rule,
            path: self.path.clone(),
            line,
            what: what.into(),
        }
    }
}

/// Whether `line` names `name` as a word of its own.
pub(super) fn names(line: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(name).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_whole_word() {
        assert!(names("await fetch(url)", "fetch"));
        assert!(names("fetch", "fetch"));
        assert!(!names("prefetch(url)", "fetch"));
        assert!(!names("fetched", "fetch"));
        assert!(names("prefetch(fetch)", "fetch"));
    }

    #[test]
    fn tests_are_known_by_name_place_and_mark() {
        let tests_from = |path: &str, text: &str| Source::new(path.to_owned(), text.to_owned()).tests_from();
        assert_eq!(tests_from("form/src/card/brand.test.ts", ""), Some(1));
        assert_eq!(tests_from("e2e/pay.ts", ""), Some(1));
        assert_eq!(tests_from("crates/server/tests/pay.rs", ""), Some(1));
        assert_eq!(
            tests_from(
                "crates/rules/src/a.rs",
                "fn a() {}\n#[cfg(test)]\nmod tests {\n}\n"
            ),
            Some(2)
        );
        assert_eq!(
            tests_from("crates/rules/src/a.rs", "#[cfg(test)]\nmod tests;\nfn a() {}\n"),
            None
        );
        assert_eq!(tests_from("form/src/latest.ts", ""), None);
        assert_eq!(tests_from("crates/rules/src/latests.rs", ""), None);
    }
}
