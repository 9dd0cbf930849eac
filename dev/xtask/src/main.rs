//! The work around the code: `cargo xtask <command>`.

mod bench;
mod build;
mod chaos;
mod check;
mod demo;
mod dev;
mod failure;
mod files;
mod generate;
mod image;
mod npm;
mod page;
mod prerequisites;
mod process;
mod profile;
mod release;
mod reproducible;
mod sizes;
mod test;
mod tidy;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use failure::Failure;

/// The work around the code.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    disable_help_subcommand = true
)]
enum Xtask {
    /// Build what changed and start the demo shop
    Demo(Rest),
    /// The demo shop, with page and server rebuilt and reloaded while you work
    Dev(Rest),
    /// Every test, or one part of them
    Test(test::TestArguments),
    /// Each measured figure beside its yardstick and its budget, or some: `bench charges pages`; `--save` writes docs/benchmarks.md
    Bench(Rest),
    /// Formatting, lints, types, licences, and the rules of this repository
    Check,
    /// The release binary with the page embedded, and the sizes against their budgets
    Build,
    /// Count which code runs under load, for the compiler of the release; before a release, and for a new Rust
    Profile,
    /// Build page and release binary in two folders and compare every byte
    Reproducible {
        /// Compare the page alone
        #[arg(value_parser = ["page"])]
        only: Option<String>,
    },
    /// An OCI image from scratch with the release binary
    Image {
        /// Take this release binary instead of building one
        #[arg(long)]
        binary: Option<PathBuf>,
    },
    /// One folder with everything that is published: tarball, image, packages, sums, signature; or check such a folder
    Release(release::ReleaseArguments),
    /// Kill nodes and let databases fail while shoppers pay, and compare all books; or one drill: `chaos cluster`
    Chaos(Rest),
    /// Write the TypeScript that mirrors the Rust crates
    Generate,
}

/// Arguments for the program that the command starts.
#[derive(clap::Args)]
struct Rest {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// The repository's top folder.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

fn run(command: Xtask) -> Result<(), Failure> {
    let root = &root();
    match command {
        Xtask::Demo(rest) => demo::run(root, &rest.arguments),
        Xtask::Dev(rest) => dev::run(root, &rest.arguments),
        Xtask::Test(arguments) => test::run(root, &arguments),
        Xtask::Bench(rest) => bench::run(root, &rest.arguments),
        Xtask::Check => check::run(root),
        Xtask::Build => build::run(root),
        Xtask::Profile => profile::run(root),
        Xtask::Reproducible { only } => reproducible::run(root, only.is_none()),
        Xtask::Image { binary } => image::run(root, binary),
        Xtask::Release(arguments) => release::run(root, &arguments),
        Xtask::Chaos(rest) => chaos::run(root, &rest.arguments),
        Xtask::Generate => generate::run(root),
    }
}

fn main() -> ExitCode {
    match run(Xtask::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
