//! `cargo xtask build`: the release binary with the page embedded, and the sizes against their budgets.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::{npm, page, prerequisites, process, profile, sizes};

/// Builds, then prints the table of sizes; fails when one is over its budget.
pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    let binary = release(root)?;
    let sizes = sizes::measure(&root.join(page::DIST))?;
    println!("{}", sizes::table(&sizes));
    println!("{}", binary.strip_prefix(root).unwrap_or(&binary).display());
    sizes::within_budgets(&sizes)
}

/// Builds the page and the server if they have changed, and returns the path of the release binary.
pub(crate) fn release(root: &Path) -> Result<PathBuf, Failure> {
    prerequisites::for_building()?;
    npm::install(root)?;
    page::build_if_changed(root)?;
    // The target folder is an argument, because the machine's configuration may have another.
    let target = process::target_folder(root);
    process::run(&mut release_command(root, &target))?;
    Ok(target.join("release/cardform"))
}

/// As [`release`], for another machine than this one, with this C compiler. The counts of this machine are not used.
pub(crate) fn release_for(root: &Path, target: &str, c_compiler: &str) -> Result<PathBuf, Failure> {
    prerequisites::for_building()?;
    npm::install(root)?;
    page::build_if_changed(root)?;
    let folder = process::target_folder(root);
    let mut cargo = optimized_command(root, &folder, "server", Vec::new());
    cargo.args(["--target", target]);
    let name = target.replace('-', "_");
    cargo.env(format!("CC_{name}"), c_compiler);
    let linker = format!("CARGO_TARGET_{}_LINKER", name.to_uppercase());
    process::run(cargo.env(linker, c_compiler))?;
    Ok(folder.join(target).join("release/cardform"))
}

/// Builds the demo's server. It reads the built page from the disk, so page and server can be built side by side.
pub(crate) fn demo_command(root: &Path) -> Command {
    let mut cargo = process::cargo(root);
    cargo.args(["build", "--locked", "--package", "server"]);
    cargo.arg("--target-dir").arg(process::target_folder(root));
    cargo
}

/// The binary that [`demo_command`] builds.
pub(crate) fn demo_binary(root: &Path) -> PathBuf {
    process::target_folder(root).join("debug/cardform")
}

/// Builds the release binary. It contains no path of this machine, so the same source
/// gives the same bytes on every machine.
pub(crate) fn release_command(root: &Path, target: &Path) -> Command {
    counted_command(root, target, "server")
}

/// Builds this package as a release, with the counts of [`profile`] if there are some for this compiler. Two packages must not be
/// built together: they would share crates with the features of both, and counts fit only one set of features.
pub(crate) fn counted_command(root: &Path, target: &Path, package: &str) -> Command {
    let counts = profile::counts(root);
    if counts.is_none() {
        eprintln!("no counts for this compiler: the release is slower (`cargo xtask profile` makes them)");
    }
    let flags = counts.map_or_else(Vec::new, |counts| {
        vec![
            format!("-Cprofile-use={}", counts.display()),
            // No warning for each function that has changed since the counts were made.
            "-Cllvm-args=-no-pgo-warn-mismatch".to_owned(),
        ]
    });
    optimized_command(root, target, package, flags)
}

/// Builds this package as a release is built, without the simulated shoppers of the demo, with more flags for the compiler. The
/// names of functions depend on a package's features, so counts fit only the features with which they were made.
pub(crate) fn optimized_command(
    root: &Path,
    target: &Path,
    package: &str,
    more_flags: Vec<String>,
) -> Command {
    let mut cargo = process::cargo(root);
    cargo.args(["build", "--release", "--locked", "--no-default-features"]);
    cargo.args(["--package", package]);
    cargo.arg("--target-dir").arg(target);
    let home = process::environment("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    // Both compilers use the last name that matches; the target folder may be inside the repository.
    let mut names: Vec<_> = home.into_iter().map(|home| (home, "/cargo")).collect();
    names.extend([(root.to_owned(), "/cardform"), (target.to_owned(), "/target")]);
    let renaming = |option: &str| -> Vec<String> {
        let options = names.iter();
        options
            .map(|(path, name)| format!("{option}={}={name}", path.display()))
            .collect()
    };
    let mut flags = renaming("--remap-path-prefix");
    flags.extend(more_flags);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    cargo.env("CFLAGS", renaming("-ffile-prefix-map").join(" "));
    // mimalloc contains the time at which it was compiled.
    cargo.env("SOURCE_DATE_EPOCH", "0");
    cargo
}
