//! Writes the TypeScript that mirrors the Rust rules and shapes, `form/generated/*.ts`. It is committed; a test and
//! `cargo xtask check` compare it with what this would write.

mod declines;
mod rules;
mod wire;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The command that refreshes the files, named wherever they are found stale.
pub(crate) const COMMAND: &str = "cargo xtask generate";

/// A generated file: its path from the root of the repository, and what it must contain.
pub(crate) struct Generated {
    pub(crate) path: PathBuf,
    pub(crate) content: String,
}

/// `cargo xtask generate`: writes what is stale and names it.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::Usage(format!(
            "`generate` takes no arguments, and got `{}`",
            argument.display()
        )));
    }
    let written = write(root).map_err(Failure::file(root.join("form/generated")))?;
    for path in &written {
        println!("wrote {}", path.display());
    }
    if written.is_empty() {
        println!("the generated TypeScript is up to date");
    }
    Ok(())
}

/// Every generated file.
pub(crate) fn files() -> Vec<Generated> {
    let file = |name: &str, content: String| Generated {
        path: Path::new("form/generated").join(name),
        content: format!("// Written by `{COMMAND}` from the Rust crates. Do not edit.\n\n{content}"),
    };
    vec![
        file("rules.ts", rules::typescript()),
        file("locales.ts", rules::locales()),
        file("declines.ts", declines::typescript()),
        file("wire.ts", wire::typescript()),
    ]
}

/// Writes every generated file below `root` that is not already as it should be, and returns their paths.
pub(crate) fn write(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let stale = stale(root);
    for file in &stale {
        std::fs::write(root.join(&file.path), &file.content)?;
    }
    Ok(stale.into_iter().map(|file| file.path).collect())
}

/// The generated files that are missing or differ from what the Rust crates say.
pub(crate) fn stale(root: &Path) -> Vec<Generated> {
    files()
        .into_iter()
        .filter(|file| std::fs::read_to_string(root.join(&file.path)).ok().as_deref() != Some(&file.content))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_typescript_is_what_the_rust_crates_say() {
        let stale: Vec<_> = stale(&crate::root()).into_iter().map(|file| file.path).collect();
        assert!(
            stale.is_empty(),
            "run `{COMMAND}`: {stale:?} differ from the Rust crates"
        );
    }
}
