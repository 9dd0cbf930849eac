//! `cargo xtask reproducible`: builds the page in another folder than here, and the release binary in two others, and
//! compares every byte; two binaries that differ are kept and named. With the word `page`, the page alone.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::{build, compress, files, npm, page, prerequisites, process};

/// What the binary is built from: everything, because the documentation and the samples are in it, too, and Cargo wants
/// the whole workspace. Hidden folders have to be named.
const BINARY_INPUTS: [&str; 2] = [".", ".cargo"];

/// Builds and compares.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let with_binary = match arguments {
        [] => true,
        [word] if word == "page" => false,
        _ => {
            return Err(Failure::Usage(
                "`reproducible` takes `page` or nothing".to_owned(),
            ));
        }
    };
    prerequisites::for_building()?;
    npm::install(root)?;
    pages_are_alike(root)?;
    if with_binary {
        binaries_are_alike(root)?;
    }
    Ok(())
}

/// Copies of the sources in folders of these names, and so of other depths, below the target folder; removed at the end.
struct BuildCopies(Vec<PathBuf>);

impl BuildCopies {
    fn new(root: &Path, names: &[&str], inputs: &[&str]) -> Result<Self, Failure> {
        let base = process::target_folder(root).join("reproducible");
        let twins = Self(names.iter().map(|name| base.join(name)).collect());
        twins.remove();
        for twin in &twins.0 {
            copy(root, inputs, twin)?;
        }
        Ok(twins)
    }

    fn remove(&self) {
        for twin in &self.0 {
            // It may never have been there.
            let _ = std::fs::remove_dir_all(twin);
        }
    }
}

impl Drop for BuildCopies {
    fn drop(&mut self) {
        self.remove();
    }
}

fn copy(root: &Path, inputs: &[&str], into: &Path) -> Result<(), Failure> {
    for path in files::list(root, inputs)? {
        let to = into.join(&path);
        let folder = to.parent().unwrap_or(into);
        std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
        std::fs::copy(root.join(&path), &to).map_err(Failure::file(&to))?;
    }
    Ok(())
}

/// Fails when the page's files differ between two folders.
pub(crate) fn pages_are_alike(root: &Path) -> Result<(), Failure> {
    page::build_if_changed(root)?;
    let twin = BuildCopies::new(root, &["another/place"], &page::INPUTS)?;
    let [another] = twin.0.as_slice() else {
        unreachable!("one folder was asked for");
    };
    // Links to the same files, so that it takes no room. The packages of our own among them point into the folder.
    let mut copy = Command::new("cp");
    copy.arg("-al").arg(root.join("node_modules")).arg(another);
    process::run(&mut copy)?;
    page::build_plain(another)?;
    compress::beside(&another.join(page::DIST))?;
    let mut differences = differences(&root.join(page::DIST), &another.join(page::DIST))?;
    // The one here says what it was made from.
    differences.retain(|name| Path::new(page::DIST).join(name) != Path::new(page::STAMP));
    say("the page", &differences)
}

fn binaries_are_alike(root: &Path) -> Result<(), Failure> {
    page::build_if_changed(root)?;
    let twins = BuildCopies::new(root, &["one", "another/place"], &BINARY_INPUTS)?;
    let mut built = Vec::new();
    for twin in &twins.0 {
        let mut copy = Command::new("cp");
        copy.arg("-a").arg(root.join(page::DIST)).arg(twin);
        process::run(&mut copy)?;
        let target = twin.join("target");
        process::run(&mut build::release_command(twin, &target))?;
        built.push(target.join("release/cardform"));
    }
    let contents = built
        .iter()
        .map(|path| std::fs::read(path).map_err(Failure::file(path)))
        .collect::<Result<Vec<_>, _>>()?;
    let is_alike = contents.windows(2).all(|pair| pair[0] == pair[1]);
    let kept = process::target_folder(root).join("reproducible");
    let mut differ = Vec::new();
    if !is_alike {
        for (name, path) in ["cardform-one", "cardform-another"].iter().zip(&built) {
            let to = kept.join(name);
            std::fs::copy(path, &to).map_err(Failure::file(&to))?;
            differ.push(to.display().to_string());
        }
    }
    say("the release binary", &differ)
}

/// Files that only one folder has, or that differ.
fn differences(one: &Path, another: &Path) -> Result<Vec<String>, Failure> {
    let names = [one, another].map(|folder| all_below(folder, Path::new("")));
    let [ones, others] = names;
    let all: BTreeSet<PathBuf> = ones?.union(&others?).cloned().collect();
    let differ = all
        .into_iter()
        .filter(|name| std::fs::read(one.join(name)).ok() != std::fs::read(another.join(name)).ok());
    Ok(differ.map(|name| name.display().to_string()).collect())
}

/// Every file, the hidden ones included.
fn all_below(folder: &Path, name: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let mut found = BTreeSet::new();
    let here = folder.join(name);
    for entry in std::fs::read_dir(&here).map_err(Failure::file(&here))? {
        let entry = entry.map_err(Failure::file(&here))?;
        let own = name.join(entry.file_name());
        if entry.path().is_dir() {
            found.extend(all_below(folder, &own)?);
        } else {
            found.insert(own);
        }
    }
    Ok(found)
}

fn say(what: &str, differences: &[String]) -> Result<(), Failure> {
    if differences.is_empty() {
        println!("{what} is the same, byte for byte, from two folders");
        return Ok(());
    }
    Err(Failure::Unusable {
        what: format!("{what} is another when it is built in another folder"),
        problem: differences.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_differs_or_is_missing_is_named() {
        let base = tempfile::tempdir().unwrap();
        let [one, another] = ["one", "another"].map(|name| base.path().join(name));
        for (folder, files) in [
            (
                &one,
                [("a/same.js", "1"), ("b.js", "2"), (".hidden", "3")].as_slice(),
            ),
            (&another, [("a/same.js", "1"), ("b.js", "other")].as_slice()),
        ] {
            for (name, content) in files {
                let path = folder.join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, content).unwrap();
            }
        }
        let found = differences(&one, &another).unwrap();
        assert_eq!(found, [".hidden", "b.js"]);
    }

    #[test]
    fn what_is_copied_is_enough_for_a_build() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = tempfile::tempdir().unwrap();
        copy(&root, &BINARY_INPUTS, folder.path()).unwrap();
        // Fails when a member of the workspace is missing.
        let mut metadata = process::cargo(folder.path());
        metadata.args(["metadata", "--no-deps", "--locked", "--offline"]);
        let told = metadata.output().unwrap();
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        // Its settings change what is compiled.
        assert!(folder.path().join(".cargo/config.toml").is_file());
    }
}
