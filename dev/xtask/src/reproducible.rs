//! `cargo xtask reproducible`: builds the page in another folder than here, and the release binary in two others, and
//! compares every byte; two binaries that differ are kept and named. With the word `page`, the page alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::{build, files, npm, page, prerequisites, process};

/// The binary needs all files, because it contains the documentation and the samples, and Cargo reads the whole workspace.
/// Hidden folders must be named.
const BINARY_INPUTS: [&str; 2] = [".", ".cargo"];

/// Builds and compares.
pub(crate) fn run(root: &Path, with_binary: bool) -> Result<(), Failure> {
    prerequisites::for_building()?;
    npm::install(root)?;
    page_is_alike(root)?;
    if with_binary {
        binaries_are_alike(root)?;
    }
    Ok(())
}

/// Copies the sources into a folder of this name below the target folder.
fn copy(root: &Path, inputs: &[&str], name: &str) -> Result<PathBuf, Failure> {
    let into = process::target_folder(root).join("reproducible").join(name);
    files::empty_folder(&into)?;
    for path in files::list(root, inputs)? {
        let to = into.join(&path);
        let folder = to.parent().unwrap_or(&into);
        std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
        std::fs::copy(root.join(&path), &to).map_err(Failure::file(&to))?;
    }
    Ok(into)
}

/// Fails when the page's files differ between two folders.
pub(crate) fn page_is_alike(root: &Path) -> Result<(), Failure> {
    page::build_if_changed(root)?;
    let another = copy(root, &page::INPUTS, "another/place")?;
    // Links to the same files need no space. The links of our own packages are relative, so they lead into the copy.
    let mut link = Command::new("cp");
    process::run(link.arg("-al").arg(root.join("node_modules")).arg(&another))?;
    page::build_uncompressed(&another)?;
    page::compress(&another)?;
    let mut diff = Command::new("diff");
    // The copy has no stamp.
    diff.args(["--recursive", "--brief", "--exclude", ".inputs-hash"]);
    process::run(diff.arg(root.join(page::DIST)).arg(another.join(page::DIST)))?;
    println!("the page is the same, byte for byte, from two folders");
    Ok(())
}

fn binaries_are_alike(root: &Path) -> Result<(), Failure> {
    let mut compare = Command::new("cmp");
    for name in ["one", "another/place"] {
        let copy = copy(root, &BINARY_INPUTS, name)?;
        let mut page = Command::new("cp");
        process::run(page.arg("-a").arg(root.join(page::DIST)).arg(&copy))?;
        let target = copy.join("target");
        process::run(&mut build::release_command(&copy, &target))?;
        compare.arg(target.join("release/cardform"));
    }
    process::run(&mut compare)?;
    println!("the release binary is the same, byte for byte, from two folders");
    Ok(())
}

#[cfg(test)]
mod tests;
