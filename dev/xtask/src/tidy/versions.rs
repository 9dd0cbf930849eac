//! Checks that crates, npm packages and the newest part of the changelog have the same version.

use super::Finding;
use super::source::Source;

const RULE: &str = "version";
const CRATES: &str = "Cargo.toml";
const CHANGELOG: &str = "CHANGELOG.md";

/// Holds the version of every npm package, and the changelog's first heading, against the workspace's.
pub(super) fn is_the_same_everywhere(sources: &[Source]) -> Vec<Finding> {
    let of = |path| sources.iter().find(|source| source.path == path);
    let Some(version) = of(CRATES).and_then(|source| value(source, "version = \"")) else {
        return Vec::new();
    };
    let packages = sources
        .iter()
        .filter(|source| source.path.ends_with("package.json"));
    let mut found: Vec<_> = packages
        .filter_map(|package| {
            let own = value(package, "\"version\": \"").filter(|own| own.text != version.text)?;
            let what = format!("is {}, and the crates are {}", own.text, version.text);
            Some(package.finding(RULE, own.line, what))
        })
        .collect();
    found.extend(of(CHANGELOG).and_then(|changelog| {
        let (index, newest) =
            (changelog.text.lines().enumerate()).find(|(_, line)| line.starts_with("## "))?;
        let says_so = newest[3..].split([' ', ',']).next() == Some(version.text);
        (!says_so).then(|| {
            let what = format!("the newest part must be of {}", version.text);
            changelog.finding(RULE, index + 1, what)
        })
    }));
    found
}

struct VersionText<'a> {
    text: &'a str,
    line: usize,
}

/// What stands between `before` and the next quote, in the first line that has `before`.
fn value<'a>(source: &'a Source, before: &str) -> Option<VersionText<'a>> {
    source.text.lines().enumerate().find_map(|(index, line)| {
        let text = line.trim_start().strip_prefix(before)?.split('"').next()?;
        Some(VersionText {
            text,
            line: index + 1,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(changelog: &str, package: &str) -> Vec<String> {
        let source = |path: &str, text: &str| Source::new(path.to_owned(), text.to_owned());
        let sources = [
            source("Cargo.toml", "[workspace.package]\nversion = \"0.9.0\"\n"),
            source("CHANGELOG.md", changelog),
            source("sdk/package.json", package),
        ];
        let found = is_the_same_everywhere(&sources).into_iter();
        found.map(|finding| finding.path).collect()
    }

    #[test]
    fn a_package_or_a_changelog_of_another_version_is_found() {
        let (changelog, package) = ("# Changes\n\n## 0.9.0, soon\n", "{\n  \"version\": \"0.9.0\"\n}");
        assert_eq!(found(changelog, package), [""; 0]);
        assert_eq!(found(changelog, "{\n  \"private\": true\n}"), [""; 0]);
        assert_eq!(found("## Unreleased\n", package), ["CHANGELOG.md"]);
        assert_eq!(found(changelog, "  \"version\": \"1.0.0\""), ["sdk/package.json"]);
    }
}
