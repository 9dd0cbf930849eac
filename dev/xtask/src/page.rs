//! Builds what the browser gets (`dist/`): the form page, the SDK, the demo shop and the operator's page, compressed for serving.

use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::{compress, files, npm, process};

/// The inputs of the built page: the packages, the texts, and the configuration files of their builds. `Cargo.toml`
/// holds the application version that the page shows.
pub(crate) const INPUTS: [&str; 9] = [
    "form",
    "sdk",
    "demo",
    "operator",
    "locales",
    "package.json",
    "package-lock.json",
    "tsconfig.base.json",
    "Cargo.toml",
];

/// Where everything that is built for the browser goes.
pub(crate) const DIST: &str = "dist";

/// Records which inputs `dist/` was made from.
pub(crate) const STAMP: &str = "dist/.inputs-hash";

/// Builds and compresses the page, unless its inputs are unchanged.
pub(crate) fn build_if_changed(root: &Path) -> Result<(), Failure> {
    let hash = inputs_hash(root)?;
    if files::is_stamped(&root.join(STAMP), &hash) {
        return Ok(());
    }
    eprintln!("building the page");
    build_plain(root)?;
    finish(root, &hash)
}

/// Whether the page stands there as its inputs have it.
pub(crate) fn is_built(root: &Path) -> Result<bool, Failure> {
    Ok(files::is_stamped(&root.join(STAMP), &inputs_hash(root)?))
}

/// Builds and compresses the page. What the tools write is shown only when they fail.
pub(crate) fn build_quietly(root: &Path) -> Result<(), Failure> {
    let hash = inputs_hash(root)?;
    from_nothing(root, process::run_quietly)?;
    finish(root, &hash)
}

/// Builds the page from nothing and leaves it uncompressed and without a stamp.
pub(crate) fn build_plain(root: &Path) -> Result<(), Failure> {
    from_nothing(root, process::run)
}

fn inputs_hash(root: &Path) -> Result<String, Failure> {
    let mut inputs = files::list(root, &INPUTS)?;
    inputs.retain(|path| !is_made_by_the_build(path));
    files::hash(root, &inputs)
}

/// The licences that the build puts into the npm packages, beside their sources.
fn is_made_by_the_build(path: &str) -> bool {
    let mut parts = path.split('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    parts.next() == Some("sdk") && parts.count() == 2 && name.starts_with("LICENSE-")
}

/// `hash` is of the inputs before the build: what changed meanwhile is built the next time.
fn finish(root: &Path, hash: &str) -> Result<(), Failure> {
    compress::beside(&root.join(DIST))?;
    files::write_stamp(&root.join(STAMP), hash)
}

fn from_nothing(root: &Path, run: fn(&mut Command) -> Result<(), Failure>) -> Result<(), Failure> {
    let dist = root.join(DIST);
    // Files of an earlier build must neither be served nor measured.
    match std::fs::remove_dir_all(&dist) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::File { path: dist, cause });
        }
        _ => {}
    }
    // The server, which may be built meanwhile, takes its real path.
    std::fs::create_dir(&dist).map_err(Failure::file(&dist))?;
    run(&mut npm::build_command(root, &[]))?;
    if dist.join("page").is_dir() {
        return Ok(());
    }
    Err(Failure::Unusable {
        what: "npm run build".to_owned(),
        problem: "it succeeded and left no `dist/page/`".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_was_just_built_is_not_built_again() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        std::fs::create_dir_all(root.join("sdk/js/src")).unwrap();
        std::fs::write(root.join("sdk/js/src/index.ts"), "export {};").unwrap();
        let before = inputs_hash(root).unwrap();
        std::fs::write(root.join("sdk/js/LICENSE-MIT"), "the build puts it here").unwrap();
        assert_eq!(inputs_hash(root).unwrap(), before);
        std::fs::write(root.join("sdk/js/src/index.ts"), "export const a = 1;").unwrap();
        assert_ne!(inputs_hash(root).unwrap(), before);
    }
}
