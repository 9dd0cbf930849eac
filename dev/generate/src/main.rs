//! Writes the TypeScript that mirrors the Rust rules and shapes, `form/generated/*.ts`, and prints the files that it wrote. With
//! `--check` it only prints the files that are out of date. The files are committed.
//!
//! This is no part of `xtask`, because `xtask` is built before everything else and must not depend on these crates.

mod declines;
mod rules;
mod wire;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The command that writes the files.
const COMMAND: &str = "cargo xtask generate";

/// A generated file: its path from the root of the repository, and its content.
struct Generated {
    path: PathBuf,
    content: String,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let only_checks = match arguments.as_slice() {
        [] => false,
        [word] if word == "--check" => true,
        _ => {
            eprintln!("error: `generate` takes `--check` or nothing");
            return ExitCode::from(2);
        }
    };
    let root = root();
    for file in stale(&root) {
        let path = root.join(&file.path);
        if !only_checks && let Err(cause) = std::fs::write(&path, &file.content) {
            eprintln!("error: {}: {cause}", path.display());
            return ExitCode::FAILURE;
        }
        println!("{}", file.path.display());
    }
    ExitCode::SUCCESS
}

/// The repository's top folder.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Every generated file.
fn files() -> Vec<Generated> {
    let file = |name: &str, content: String| Generated {
        path: Path::new("form/generated").join(name),
        content: format!("// Written by `{COMMAND}` from the Rust crates. Do not edit.\n\n{content}"),
    };
    let mut files = vec![
        file("rules.ts", rules::typescript()),
        file("locales.ts", rules::locales()),
        file("request-fields.ts", rules::request_fields()),
        file("declines.ts", declines::typescript()),
        file("wire.ts", wire::typescript()),
        file("events.ts", wire::event_constants()),
    ];
    files.extend(wire::single_constants().map(|(name, content)| file(name, content)));
    files
}

/// The generated files that are missing or differ from the Rust crates.
fn stale(root: &Path) -> Vec<Generated> {
    files()
        .into_iter()
        .filter(|file| std::fs::read_to_string(root.join(&file.path)).ok().as_deref() != Some(&file.content))
        .collect()
}

#[cfg(test)]
mod tests;
