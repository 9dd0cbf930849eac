//! Checks files: their names must say what is inside, and they must not have too many lines.

use super::Finding;
use super::source::Source;

/// Names that do not say what is inside.
const EMPTY_NAMES: [&str; 8] = [
    "util", "utils", "helper", "helpers", "common", "misc", "manager", "managers",
];

/// The longest a file may be. The habit is 300; this is where it is no longer a matter of taste.
const LINES_MAX: usize = 400;

/// The endings of files that hold code.
const CODE: [&str; 8] = ["rs", "ts", "tsx", "js", "mjs", "css", "html", "sql"];

/// No file and no folder has a name that would fit anything.
pub(super) fn meaningful_file_names(sources: &[Source]) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in sources {
        let part = source.path.split('/').find(|part| {
            let stem = part.split('.').next().unwrap_or(part).to_lowercase();
            EMPTY_NAMES.contains(&stem.as_str())
        });
        if let Some(part) = part {
            let what = format!("`{part}` is a name that says nothing of what is inside");
            found.push(source.finding("file-names", 1, what));
        }
    }
    found
}

/// No file written by hand is longer than one can hold in mind.
pub(super) fn short_files(sources: &[Source]) -> Vec<Finding> {
    let by_hand = sources.iter().filter(|source| {
        let is_code = CODE.contains(&source.extension());
        is_code && !source.path.starts_with("form/generated/")
    });
    by_hand
        .filter_map(|source| {
            let lines = source.text.lines().count();
            let what = format!("{lines} lines; no more than {LINES_MAX}, and better 300");
            (lines > LINES_MAX).then(|| source.finding("file-length", LINES_MAX + 1, what))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, lines: usize) -> Source {
        Source::new(path.to_owned(), "x\n".repeat(lines))
    }

    #[test]
    fn meaningless_file_names_are_named() {
        for path in [
            "form/src/utils.ts",
            "crates/server/src/common/a.rs",
            "sdk/js/src/Helpers.test.ts",
        ] {
            assert_eq!(meaningful_file_names(&[source(path, 1)]).len(), 1, "{path}");
        }
        assert!(meaningful_file_names(&[source("form/src/uncommon.ts", 1)]).is_empty());
    }

    #[test]
    fn long_files_are_named() {
        assert!(short_files(&[source("form/src/a.ts", 400)]).is_empty());
        assert_eq!(short_files(&[source("form/src/a.ts", 401)]).len(), 1);
        assert_eq!(short_files(&[source("form/src/page.css", 401)]).len(), 1);
        assert!(short_files(&[source("form/generated/wire.ts", 401), source("README.md", 401)]).is_empty());
    }
}
