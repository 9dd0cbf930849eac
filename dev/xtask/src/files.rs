//! The repository's own files: their list, and a hash that changes with any of them.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;

/// Folders with installed packages or build results.
const FOREIGN: [&str; 3] = ["node_modules", "target", "dist"];

/// The files below the folders `under`, and those of `under` that are files, as sorted paths from `root`. Hidden files, and
/// folders of built or installed files, are left out. A path that does not exist is skipped.
pub(crate) fn list(root: &Path, under: &[&str]) -> Result<Vec<String>, Failure> {
    let mut found = BTreeSet::new();
    for start in under {
        let path = root.join(start);
        if path.is_file() {
            found.insert((*start).to_owned());
        } else if path.is_dir() {
            walk(&path, start, &mut found)?;
        }
    }
    Ok(found.into_iter().collect())
}

/// A hash of the names and contents of `paths`. It changes with each of them.
pub(crate) fn hash(root: &Path, paths: &[String]) -> Result<String, Failure> {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        let file = root.join(path);
        let content = std::fs::read(&file).map_err(Failure::file(&file))?;
        path.hash(&mut hasher);
        content.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The JSON of the file at `path`.
pub(crate) fn json(path: &Path) -> Result<Value, Failure> {
    let text = std::fs::read(path).map_err(Failure::file(path))?;
    serde_json::from_slice(&text)
        .map_err(|cause| Failure::unusable(path.display().to_string(), cause.to_string()))
}

/// Makes an empty folder, and removes what was there before.
pub(crate) fn empty_folder(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(Failure::file(folder))?;
    }
    std::fs::create_dir_all(folder).map_err(Failure::file(folder))
}

/// Whether the file at `stamp` contains exactly `value`.
pub(crate) fn is_stamped(stamp: &Path, value: &str) -> bool {
    std::fs::read_to_string(stamp).is_ok_and(|found| found == value)
}

/// Writes `value` to `stamp`.
pub(crate) fn write_stamp(stamp: &Path, value: &str) -> Result<(), Failure> {
    std::fs::write(stamp, value).map_err(Failure::file(stamp))
}

fn walk(folder: &Path, name: &str, found: &mut BTreeSet<String>) -> Result<(), Failure> {
    for entry in std::fs::read_dir(folder).map_err(Failure::file(folder))? {
        let entry = entry.map_err(Failure::file(folder))?;
        let kind = entry.file_type().map_err(Failure::file(entry.path()))?;
        let own = entry.file_name().to_string_lossy().into_owned();
        if is_foreign(&own) {
            continue;
        }
        let path = if name == "." { own } else { format!("{name}/{own}") };
        if kind.is_dir() {
            walk(&entry.path(), &path, found)?;
        } else if kind.is_file() {
            found.insert(path);
        }
    }
    Ok(())
}

fn is_foreign(name: &str) -> bool {
    name.starts_with('.') || FOREIGN.contains(&name)
}

#[cfg(test)]
mod tests;
