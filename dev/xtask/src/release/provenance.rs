//! What a release was made from.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::target::TargetBinary;
use super::{VERSION, sums, tarball_name};
use crate::failure::Failure;
use crate::process;

/// The file's name in a release.
pub(super) const FILE: &str = "provenance.json";

/// The source and its compiler.
pub(super) struct Source {
    /// 40 hexadecimal digits.
    pub(super) commit: String,
    /// Whether files of the repository differ from the commit.
    pub(super) has_changes: bool,
    /// The line that `rustc --version` prints.
    pub(super) rustc: String,
}

impl Source {
    /// The source in the repository at `root`.
    pub(super) fn of(root: &Path) -> Result<Self, Failure> {
        let commit = answer(root, "git", &["rev-parse", "HEAD"])?;
        let changes = answer(root, "git", &["status", "--porcelain"])?;
        Ok(Self {
            commit,
            has_changes: !changes.is_empty(),
            rustc: answer(root, "rustc", &["--version"])?,
        })
    }
}

/// The document.
pub(super) fn document(root: &Path, source: &Source, binaries: &[TargetBinary]) -> Result<Value, Failure> {
    let binaries: Vec<_> = binaries
        .iter()
        .map(|binary| {
            json!({
                "target": binary.target.triple,
                "tarball": format!("{}.tar.gz", tarball_name(binary.target)),
                "sha256": sums::of(&binary.bytes),
                "glibc": binary.glibc,
            })
        })
        .collect();
    Ok(json!({
        "version": VERSION,
        "commit": source.commit,
        "uncommitted_changes": source.has_changes,
        "rustc": source.rustc,
        "binaries": binaries,
        "sha256_of_lock_files": {
            "Cargo.lock": sums::of_file(&root.join("Cargo.lock"))?,
            "package-lock.json": sums::of_file(&root.join("package-lock.json"))?,
        },
    }))
}

/// Fails unless the document names a commit.
pub(super) fn names_a_commit(document: &Value) -> Result<(), Failure> {
    let commit = document["commit"].as_str().unwrap_or_default();
    let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    Failure::unless(is_commit, || {
        format!("{FILE}: `commit` is not 40 hexadecimal digits")
    })
}

/// What a program prints, in the repository at `root`.
fn answer(root: &Path, program: &str, arguments: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new(program);
    command.current_dir(root).args(arguments);
    let output = process::capture(&mut command)?;
    process::expect_success(&command, output.status)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
