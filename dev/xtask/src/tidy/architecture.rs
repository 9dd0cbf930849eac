//! Checks that ARCHITECTURE.md names every room that exists, and no others.

use std::collections::BTreeSet;

use super::Finding;
use super::source::Source;

const RULE: &str = "map";
const MAP: &str = "ARCHITECTURE.md";

/// The folders whose rooms the map names, besides those at the top.
const FLOORS: [&str; 3] = ["crates/", "dev/", "crates/server/src/"];

/// Compares the map, once there is one, with the folders. A room is named by its path from the root in backticks
/// (`` `crates/server/src/store/` ``); every path in backticks must exist.
pub(super) fn map_is_true(sources: &[Source]) -> Vec<Finding> {
    let Some(map) = sources.iter().find(|source| source.path == MAP) else {
        return Vec::new();
    };
    let exist = everything(sources);
    let tops: BTreeSet<_> = exist.iter().filter_map(|path| path.split('/').next()).collect();
    let mut named = BTreeSet::new();
    let mut found = Vec::new();
    for (index, line) in map.text.lines().enumerate() {
        for span in line.split('`').skip(1).step_by(2) {
            let path = span.trim_end_matches('/');
            if is_path(span, &tops) && !exist.contains(path) {
                found.push(map.finding(RULE, index + 1, format!("names `{span}`, which does not exist")));
            }
            named.insert(path);
        }
    }
    let missing = rooms(sources)
        .into_iter()
        .filter(|room| !named.contains(room.as_str()));
    found.extend(missing.map(|room| map.finding(RULE, 1, format!("does not name `{room}/`"))));
    found
}

/// The rooms that the map must name: the folders at the top, the crates, and the rooms of the server.
fn rooms(sources: &[Source]) -> BTreeSet<String> {
    let folders = sources.iter().flat_map(|source| parents(&source.path));
    folders
        .filter(|folder| {
            let (floor, _) = folder
                .rsplit_once('/')
                .map_or(("", *folder), |(floor, name)| (floor, name));
            floor.is_empty() || FLOORS.iter().any(|known| known.trim_end_matches('/') == floor)
        })
        .map(str::to_owned)
        .collect()
}

/// Every file and every folder.
fn everything(sources: &[Source]) -> BTreeSet<&str> {
    let paths = sources.iter().map(|source| source.path.as_str());
    paths.flat_map(|path| parents(path).chain([path])).collect()
}

fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}

/// Whether what stands in backticks is a path of the repository, and not `text/html`, `/v1/charges` or a command.
fn is_path(span: &str, tops: &BTreeSet<&str>) -> bool {
    let is_plain = span.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
    let first = span.split('/').next().unwrap_or_default();
    is_plain && !first.is_empty() && span.contains('/') && (span.ends_with('/') || tops.contains(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(map: &str) -> Vec<String> {
        let files = [
            (MAP, map),
            ("form/src/card/brand.ts", ""),
            ("crates/rules/src/lib.rs", ""),
            ("crates/server/src/store/charge.rs", ""),
            ("crates/server/src/main.rs", ""),
        ];
        let sources = files.map(|(path, text)| Source::new(path.to_owned(), text.to_owned()));
        map_is_true(&sources)
            .into_iter()
            .map(|finding| finding.what)
            .collect()
    }

    const TRUE: &str = "`form/` `crates/` `crates/rules/` `crates/server/` `crates/server/src/store/`\n";

    #[test]
    fn a_true_map_passes() {
        let more = "`text/html` `/v1/charges` `cargo xtask demo` `form/src/card/brand.ts` `@cardform/js`";
        assert_eq!(check(&format!("{TRUE}{more}")), Vec::<String>::new());
    }

    #[test]
    fn a_room_that_is_not_on_the_map_is_named() {
        let map = TRUE.replace("`crates/server/src/store/`", "");
        assert_eq!(check(&map), ["does not name `crates/server/src/store/`"]);
        assert_eq!(check(&TRUE.replace("`form/`", "")), ["does not name `form/`"]);
    }

    #[test]
    fn a_room_that_is_gone_is_named() {
        assert_eq!(
            check(&format!("{TRUE}`sdk/`")),
            ["names `sdk/`, which does not exist"]
        );
        assert_eq!(
            check(&format!("{TRUE}`crates/server/src/events`")),
            ["names `crates/server/src/events`, which does not exist"]
        );
    }

    #[test]
    fn without_a_map_there_is_nothing_to_compare() {
        assert!(map_is_true(&[Source::new("form/a.ts".to_owned(), String::new())]).is_empty());
    }
}
