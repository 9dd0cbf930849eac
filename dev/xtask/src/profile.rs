//! `cargo xtask profile`: runs a build that counts how often each part of the code runs under the load of the benchmarks, and
//! keeps the counts. With them the compiler places code that runs often together, so a charge takes a fifth less processor
//! time (docs/benchmarks.md). The counts are part of the repository, so that the same source gives the same bytes, and no
//! build needs a load test.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::test::{machine, postgres};
use crate::{build, files, npm, page, prerequisites, process};

/// The folder of the counts, with a file for each [`RustVersion`].
const FOLDER: &str = "crates/server/profile";

/// Records for which dependencies the counts were made.
const STAMP: &str = "crates/server/profile/dependencies";
/// Part of the name of every function of this workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The compiler that cargo uses. The names of functions contain its version and [`VERSION`], so counts fit only these two, and
/// only until a dependency changes.
struct RustVersion {
    host: String,
    release: String,
    llvm: String,
}

impl RustVersion {
    /// As `rustc -vV` says.
    fn installed(root: &Path) -> Result<Self, Failure> {
        let output = process::capture(rustc(root).arg("-vV"))?;
        let output = String::from_utf8_lossy(&output.stdout);
        let field = |name: &str| {
            let value = output.lines().find_map(|line| line.strip_prefix(name));
            value.unwrap_or_default().trim().to_owned()
        };
        Ok(Self {
            host: field("host:"),
            release: field("release:"),
            llvm: field("LLVM version:"),
        })
    }

    fn file(&self, root: &Path) -> PathBuf {
        let Self { host, release, llvm } = self;
        root.join(FOLDER).join(format!(
            "{host}-rustc-{release}-llvm-{llvm}-cardform-{VERSION}.profdata"
        ))
    }

    /// The program that merges counts: rustup's component beside the compiler, or the same version of LLVM.
    fn merger(&self, root: &Path) -> Result<PathBuf, Failure> {
        let sysroot = process::capture(rustc(root).args(["--print", "sysroot"]))?;
        let beside = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim())
            .join("lib/rustlib")
            .join(&self.host)
            .join("bin/llvm-profdata");
        if beside.is_file() {
            return Ok(beside);
        }
        let major = self.llvm.split('.').next().unwrap_or_default();
        process::on_path(&format!("llvm-profdata-{major}")).ok_or_else(|| {
            let remedy =
                format!("`rustup component add llvm-tools`, or on Debian `apt-get install llvm-{major}`");
            Failure::missing("llvm-profdata", remedy)
        })
    }
}

fn rustc(root: &Path) -> Command {
    let mut command = Command::new(process::environment("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.current_dir(root);
    command
}

/// The counts for the compiler that is installed; `None` if there are none for it.
pub(crate) fn counts(root: &Path) -> Option<PathBuf> {
    let file = RustVersion::installed(root).ok()?.file(root);
    if !file.is_file() {
        return None;
    }
    if !dependencies(root).is_ok_and(|hash| files::is_stamped(&root.join(STAMP), &hash)) {
        eprintln!("the counts are of other dependencies: the release is slower (`cargo xtask profile`)");
    }
    Some(file)
}

/// A hash of all that decides which crates are built together.
fn dependencies(root: &Path) -> Result<String, Failure> {
    let mut paths = files::list(root, &["Cargo.lock", "crates"])?;
    paths.retain(|path| path.ends_with("Cargo.lock") || path.ends_with("Cargo.toml"));
    files::hash(root, &paths)
}

/// Counts anew, and writes them to the file for the compiler that is installed.
pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    prerequisites::for_building()?;
    let version = RustVersion::installed(root)?;
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
    // Programs that ran during the build have counted, too.
    files::empty_folder(&counted)?;
    for measurement in ["pages", "charges"] {
        let mut load = Command::new(target.join("release/bench"));
        load.arg("--binary").arg(counting.join("release/cardform"));
        process::run(load.arg(measurement))?;
    }

    let file = version.file(root);
    let mut merge = Command::new(merger);
    // Code that never ran has no counts and is compiled as usual, because it may run at another service.
    merge.args(["merge", "--sparse", "-o"]).arg(&file).arg(&counted);
    process::run(&mut merge)?;
    files::write_stamp(&root.join(STAMP), &dependencies(root)?)?;
    // Cargo would keep the dependencies that were compiled with earlier counts.
    files::empty_folder(&target.join("release"))?;
    println!("{}", file.strip_prefix(root).unwrap_or(&file).display());
    Ok(())
}

#[cfg(test)]
mod tests;
