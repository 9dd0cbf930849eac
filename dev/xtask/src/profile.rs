//! `cargo xtask profile`: runs a build that counts which code runs how often, under the load of the benchmarks, and keeps
//! the counts. With them the compiler puts side by side what runs often, and elsewhere what hardly ever runs: a page takes
//! a third less time (docs/benchmarks.md). The counts are part of the repository, so that the same source still gives the
//! same bytes, and nobody needs an hour for a build.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::test::{machine, postgres};
use crate::{build, npm, page, prerequisites, process};

/// Where the counts are, each in a file that [`RustVersion::file_name`] names.
const FOLDER: &str = "crates/server/profile";

/// The compiler, as `rustc -vV` tells it. The names of functions contain its version, so counts fit one version only.
struct RustVersion {
    host: String,
    release: String,
    llvm: String,
}

impl RustVersion {
    fn installed(root: &Path) -> Option<Self> {
        let told = process::capture(rustc(root).arg("-vV")).ok()?;
        Self::read(&String::from_utf8_lossy(&told.stdout))
    }

    fn read(told: &str) -> Option<Self> {
        let field = |name: &str| {
            let value = told.lines().find_map(|line| line.strip_prefix(name))?;
            Some(value.trim().to_owned())
        };
        Some(Self {
            host: field("host:")?,
            release: field("release:")?,
            llvm: field("LLVM version:")?,
        })
    }

    fn file_name(&self) -> String {
        let Self { host, release, llvm } = self;
        format!("{host}-rustc-{release}-llvm-{llvm}.profdata")
    }

    /// What merges counts: rustup's component beside the compiler, or the same version of LLVM.
    fn merger(&self, root: &Path) -> Result<PathBuf, Failure> {
        let major = self.llvm.split('.').next().unwrap_or_default();
        let sysroot = process::capture(rustc(root).args(["--print", "sysroot"]))?;
        let beside = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim())
            .join("lib/rustlib")
            .join(&self.host)
            .join("bin/llvm-profdata");
        let found = beside.is_file().then_some(beside);
        found
            .or_else(|| process::on_path(&format!("llvm-profdata-{major}")))
            .ok_or_else(|| Failure::Missing {
                what: "llvm-profdata",
                remedy: format!(
                    "`rustup component add llvm-tools`, or on Debian `apt-get install llvm-{major}`"
                ),
            })
    }
}

/// The compiler that cargo uses.
fn rustc(root: &Path) -> Command {
    let mut command = Command::new(process::environment("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.current_dir(root);
    command
}

/// The counts for the compiler that is installed; `None` if there are none for it.
pub(crate) fn counts(root: &Path) -> Option<PathBuf> {
    let version = RustVersion::installed(root)?;
    Some(root.join(FOLDER).join(version.file_name())).filter(|file| file.is_file())
}

/// Counts anew, and writes them to the file for the compiler that is installed.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    if !arguments.is_empty() {
        return Err(Failure::Usage("`profile` takes no arguments".to_owned()));
    }
    prerequisites::for_building()?;
    let version = RustVersion::installed(root).ok_or_else(|| Failure::Unusable {
        what: "rustc -vV".to_owned(),
        problem: "its version is not told".to_owned(),
    })?;
    let merger = version.merger(root)?;
    postgres::installed()?;
    machine::yardsticks_installed()?;
    npm::install(root)?;
    page::build_if_changed(root)?;

    let target = process::target_folder(root);
    let (counting, counted) = (target.join("counting"), target.join("counted"));
    let flag = format!("-Cprofile-generate={}", counted.display());
    process::run(&mut build::optimized_command(
        root,
        &counting,
        "server",
        vec![flag],
    ))?;
    process::run(&mut build::optimized_command(root, &target, "bench", Vec::new()))?;
    // The build's own programs have counted, too.
    match std::fs::remove_dir_all(&counted) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::file(&counted)(cause));
        }
        _ => {}
    }
    for measurement in ["pages", "charges"] {
        let mut load = Command::new(target.join("release/bench"));
        load.arg("--binary").arg(counting.join("release/cardform"));
        process::run(load.arg(measurement))?;
    }

    let file = root.join(FOLDER).join(version.file_name());
    let mut merge = Command::new(merger);
    // What never ran is left out: it may run for somebody else, so it is compiled as without counts.
    merge.args(["merge", "--sparse", "-o"]).arg(&file).arg(&counted);
    process::run(&mut merge)?;
    println!("{}", file.strip_prefix(root).unwrap_or(&file).display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc\ncommit-hash: 5980\n\
                        commit-date: 2026-04-14\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\nLLVM version: 22.1.2\n";

    #[test]
    fn counts_are_named_after_the_compiler_that_they_fit() {
        let version = RustVersion::read(TOLD).unwrap();
        let name = "x86_64-unknown-linux-gnu-rustc-1.95.0-llvm-22.1.2.profdata";
        assert_eq!(version.file_name(), name);
        assert!(RustVersion::read("rustc 1.95.0").is_none());
    }

    /// A new version of Rust needs new counts; without this the release would get slower and nobody would notice.
    #[test]
    fn there_are_counts_for_the_rust_of_the_workspace() {
        let root = crate::root();
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        let rust = manifest
            .lines()
            .find_map(|line| line.strip_prefix("rust-version = "));
        let rust = rust.unwrap().trim_matches('"');
        let mut files = std::fs::read_dir(root.join(FOLDER)).unwrap();
        let fitting = format!("-rustc-{rust}.");
        assert!(
            files.any(|file| file.unwrap().file_name().to_string_lossy().contains(&fitting)),
            "`cargo xtask profile` counts for Rust {rust}"
        );
    }
}
