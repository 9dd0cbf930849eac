//! Builds the files for the browser (`dist/`): the form page, the SDK with its packages, the demo shop and the operator's
//! page, compressed.

use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::{files, npm, process};

/// The inputs of the built page: the packages, the texts, and the configuration files of their builds. `Cargo.toml`
/// holds the application version that the page shows. The licences are in the packages for merchants.
pub(crate) const INPUTS: [&str; 12] = [
    "form",
    "sdk",
    "demo",
    "operator",
    "locales",
    "package.json",
    "package-lock.json",
    "tsconfig.base.json",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    ".npmrc",
];

/// Where everything that is built for the browser goes.
pub(crate) const DIST: &str = "dist";

/// The folders of `dist/` whose files are compressed: those from which a browser fetches, and the SDK's React wrapper, because
/// its compressed size has a budget.
const COMPRESSED: [&str; 5] = ["page", "sdk", "sdk-react", "demo", "operator"];

/// Records which inputs `dist/` was made from.
pub(crate) const STAMP: &str = "dist/.inputs-hash";

/// Builds and compresses the page, unless its inputs are unchanged.
pub(crate) fn build_if_changed(root: &Path) -> Result<(), Failure> {
    // The inputs are hashed before the build, so a file that changes during the build is built the next time.
    let hash = inputs_hash(root)?;
    if files::is_stamped(&root.join(STAMP), &hash) {
        return Ok(());
    }
    eprintln!("building the page");
    build_uncompressed(root)?;
    compress(root)?;
    files::write_stamp(&root.join(STAMP), &hash)
}

/// Builds the page from nothing and leaves it uncompressed and without a stamp.
pub(crate) fn build_uncompressed(root: &Path) -> Result<(), Failure> {
    // Files of an earlier build must neither be served nor measured. The folder must exist at once, because the server, which
    // may be built meanwhile, needs its real path.
    files::empty_folder(&root.join(DIST))?;
    npm::build(root, &[])
}

/// Writes `x.br` and `x.gz` beside every text file `x` that a browser fetches.
pub(crate) fn compress(root: &Path) -> Result<(), Failure> {
    let mut node = Command::new("node");
    node.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/compress.mjs"));
    let folders = COMPRESSED.map(|folder| root.join(DIST).join(folder));
    process::run(node.args(folders))
}

fn inputs_hash(root: &Path) -> Result<String, Failure> {
    let mut inputs = files::list(root, &INPUTS)?;
    // The build puts the licences into the npm packages of `sdk/`.
    inputs.retain(|path| !path.contains("/LICENSE-"));
    files::hash(root, &inputs)
}

#[cfg(test)]
mod tests;
