//! `cargo xtask chaos`: the long form of the trial in which nodes are killed while shoppers pay; with `--cluster` the one
//! in which the primary of a PostgreSQL cluster dies. And `cargo xtask drill`, the restore of a backup.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::process;
use crate::test::{machine, postgres};

const CLUSTER: &str = "--cluster";
const SAVE: &str = "--save";
/// The page with the figures of the last trial, between these lines.
const PAGE: &str = "docs/reliability.md";
const BEGIN: &str = "<!-- written by `cargo xtask chaos --cluster --save` -->\n";
const END: &str = "<!-- end -->";

/// Builds the server, and holds the trial on it; the other arguments go to the trial.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let is_asked = |name: &str| arguments.iter().any(|argument| argument == name);
    let (has_cluster, is_saved) = (is_asked(CLUSTER), is_asked(SAVE));
    if is_saved && !has_cluster {
        return Err(Failure::Usage("`--save` needs `--cluster`".to_owned()));
    }
    let rest = arguments
        .iter()
        .filter(|argument| *argument != CLUSTER && *argument != SAVE);
    postgres::installed()?;
    if has_cluster {
        machine::cluster_installed()?;
    }
    let mut trial = trial(if has_cluster { "cluster" } else { "chaos" }, root)?;
    trial.args(rest);
    if !is_saved {
        return process::run(&mut trial);
    }
    let (status, figures) = process::tee(&mut trial)?;
    if !status.success() {
        return Err(Failure::Tests);
    }
    let page = root.join(PAGE);
    let text = std::fs::read_to_string(&page).map_err(Failure::file(&page))?;
    std::fs::write(&page, with_figures(&text, figures.trim())).map_err(Failure::file(&page))
}

/// Restores an earlier moment of each database, and brings back what the provider knows (docs/backup.md#the-drill).
pub(crate) fn drill(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    postgres::installed()?;
    process::run(trial("drill", root)?.args(arguments))
}

/// Builds the server; the trial with this name on it.
fn trial(name: &str, root: &Path) -> Result<Command, Failure> {
    process::run(process::cargo(root).args(["build", "--locked", "--package", "server"]))?;
    let mut trial = process::cargo(root);
    trial.args([
        "run",
        "--locked",
        "--quiet",
        "--package",
        "trial",
        "--",
        name,
        "--binary",
    ]);
    trial.arg(process::target_folder(root).join("debug/cardform"));
    Ok(trial)
}

/// The page with these figures.
fn with_figures(page: &str, figures: &str) -> String {
    let Some((before, rest)) = page.split_once(BEGIN) else {
        return page.to_owned();
    };
    let after = rest.split_once(END).map_or("", |(_, after)| after);
    format!("{before}{BEGIN}\n{figures}\n\n{END}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_figures_of_the_page_change() {
        let page = format!("a\n{BEGIN}old\n{END}\nb\n");
        let saved = with_figures(&page, "new");
        assert_eq!(saved, format!("a\n{BEGIN}\nnew\n\n{END}\nb\n"));
        assert_eq!(with_figures(&saved, "new"), saved);
    }

    #[test]
    fn the_page_has_a_place_for_the_figures() {
        let page = include_str!("../../../docs/reliability.md");
        assert!(page.contains(BEGIN) && page.contains(END));
    }
}
