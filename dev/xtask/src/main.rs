//! The work around the code: `cargo xtask <command>`.

mod advisories;
mod bench;
mod build;
mod cargo_build;
mod chaos;
mod check;
mod compress;
mod demo;
mod dev;
mod failure;
mod files;
mod generate;
mod image;
mod licences;
mod metadata;
mod npm;
mod page;
mod prerequisites;
mod process;
mod profile;
mod progress;
mod reproducible;
mod sizes;
mod test;
mod tidy;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use failure::Failure;

/// One word after `cargo xtask`.
struct Subcommand {
    name: &'static str,
    /// What it does, in one line of the list.
    about: &'static str,
    run: fn(&Path, &[OsString]) -> Result<(), Failure>,
}

/// Every command, in the order of the list.
const COMMANDS: [Subcommand; 12] = [
    Subcommand {
        name: "demo",
        about: "build what changed and start the demo shop; further arguments go to `cardform demo`",
        run: demo::run,
    },
    Subcommand {
        name: "dev",
        about: "the demo shop, with page and server rebuilt and reloaded while you work",
        run: dev::run,
    },
    Subcommand {
        name: "test",
        about: "every test, or one part: `test check`, `rust`, `page`, `e2e`, `api`; `test rules-parity` is a long form",
        run: test::run,
    },
    Subcommand {
        name: "bench",
        about: "each measured figure beside its yardstick and its budget; or some: `bench charges pages`; `--save` writes docs/benchmarks.md",
        run: bench::run,
    },
    Subcommand {
        name: "check",
        about: "formatting, lints, types, licences and the rules of the house",
        run: check::run,
    },
    Subcommand {
        name: "build",
        about: "the release binary with the page embedded, and the sizes against their budgets",
        run: build::run,
    },
    Subcommand {
        name: "profile",
        about: "count which code runs under load, for the compiler of the release; before a release, and for a new Rust",
        run: profile::run,
    },
    Subcommand {
        name: "reproducible",
        about: "build page and release binary in two folders and compare every byte; or `reproducible page`",
        run: reproducible::run,
    },
    Subcommand {
        name: "image",
        about: "an OCI image from scratch with the release binary, or with `--binary FILE`",
        run: image::run,
    },
    Subcommand {
        name: "chaos",
        about: "kill nodes and let databases fail while shoppers pay: `--charges N`, `--seed N`; alone: `--faults`, `--outage` of the provider, `--cluster` of three PostgreSQL, each with `--save` into docs/reliability.md",
        run: chaos::run,
    },
    Subcommand {
        name: "drill",
        about: "restore an earlier moment of SQLite and of PostgreSQL with pgBackRest, and bring back what the provider knows",
        run: chaos::drill,
    },
    Subcommand {
        name: "generate",
        about: "write the TypeScript that mirrors the Rust crates",
        run: generate::run,
    },
];

/// The repository's top folder.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// The commands with one line each.
fn list() -> String {
    use std::fmt::Write;

    let mut text = String::from("cargo xtask <command>\n");
    for command in &COMMANDS {
        let _ = write!(text, "\n  {:<12} {}", command.name, command.about);
    }
    text
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<_> = arguments.collect();
    if matches!(name.to_str(), Some("help" | "--help" | "-h")) {
        println!("{}", list());
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        if !name.is_empty() {
            eprintln!("error: there is no command `{}`\n", name.display());
        }
        eprintln!("{}", list());
        return ExitCode::from(2);
    };
    match (command.run)(&root(), &rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
