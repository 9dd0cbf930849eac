//! Checks that ARCHITECTURE.md names every room that exists, and no others.

use std::collections::BTreeSet;

use super::Source;

const MAP: &str = "ARCHITECTURE.md";

/// The folders whose rooms the map names, besides those at the top.
const FLOORS: [&str; 3] = ["crates/", "dev/", "crates/server/src/"];

/// Compares the map with the folders. A room is named by its path from the root in backticks
/// (`` `crates/server/src/store/` ``); every path in backticks must exist.
pub(super) fn untrue_places(sources: &[Source]) -> Vec<String> {
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
                found.push(map.finding(index + 1, &format!("names `{span}`, which does not exist")));
            }
            named.insert(path);
        }
    }
    let missing = rooms(sources)
        .into_iter()
        .filter(|room| !named.contains(room.as_str()));
    found.extend(missing.map(|room| map.finding(1, &format!("does not name `{room}/`"))));
    found
}

/// The rooms that the map must name: the folders at the top, the crates, and the rooms of the server.
fn rooms(sources: &[Source]) -> BTreeSet<String> {
    // A folder with only the unit tests of the file beside it is no room.
    let files = sources
        .iter()
        .filter(|source| !source.path.ends_with("/tests.rs"));
    let folders = files.flat_map(|source| parents(&source.path));
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

/// Whether this text in backticks is a path of the repository, and not `text/html`, `/v1/charges` or a command.
fn is_path(span: &str, tops: &BTreeSet<&str>) -> bool {
    let is_plain = span.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
    let first = span.split('/').next().unwrap_or_default();
    is_plain && !first.is_empty() && span.contains('/') && (span.ends_with('/') || tops.contains(first))
}

#[cfg(test)]
mod tests;
