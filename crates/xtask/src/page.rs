//! Builds what the browser gets (`dist/`): the form page, the SDK, the demo shop and the operator's page, compressed for serving.

use std::path::Path;

use crate::failure::Failure;
use crate::{compress, files, npm};

/// What the built page depends on: the packages, the texts, and the files at the top that steer their builds.
/// `Cargo.toml` holds the application version that the page shows.
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

/// Notes which inputs `dist/` was made from.
pub(crate) const STAMP: &str = "dist/.inputs-hash";

/// Builds and compresses the page, unless it stands there already as its inputs have it.
pub(crate) fn build_if_changed(root: &Path) -> Result<(), Failure> {
    let hash = files::hash(root, &files::list(root, &INPUTS)?)?;
    let stamp = root.join(STAMP);
    if files::is_stamped(&stamp, &hash) {
        return Ok(());
    }
    eprintln!("building the page");
    build_plain(root)?;
    compress::beside(&root.join(DIST))?;
    files::write_stamp(&stamp, &hash)
}

/// Builds the page from nothing and leaves it uncompressed and without a stamp.
pub(crate) fn build_plain(root: &Path) -> Result<(), Failure> {
    let dist = root.join(DIST);
    // What an earlier build left must neither be served nor be measured.
    match std::fs::remove_dir_all(&dist) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::File { path: dist, cause });
        }
        _ => {}
    }
    npm::build(root, &[])?;
    if dist.is_dir() {
        return Ok(());
    }
    Err(Failure::Unusable {
        what: "npm run build".to_owned(),
        problem: "it succeeded and left no `dist/`".to_owned(),
    })
}
