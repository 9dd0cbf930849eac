//! `cargo xtask chaos`: the drills of `dev/chaos`. Without a flag, nodes are killed while shoppers pay, with the simulator
//! and then with Stripe's connector; then databases and nodes fail. Each flag in [`DRILLS`] runs one drill alone. And
//! `cargo xtask drill`, the restore of a backup.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::process;
use crate::test::python::LOCALSTRIPE;
use crate::test::{machine, postgres};

/// The drills that run alone, by their flags: the primary of a PostgreSQL cluster dies; databases and nodes fail; a provider
/// is gone; nodes with Stripe's connector are killed.
const DRILLS: [(&str, &str); 4] = [
    ("--cluster", "cluster"),
    ("--faults", "faults"),
    ("--outage", "outage"),
    ("--stripe", "stripe"),
];
const SAVE: &str = "--save";
/// The page with the figures of the last drills, each between two lines.
const PAGE: &str = "docs/reliability.md";
const END: &str = "<!-- end -->";

/// The line before the figures of the drill with this flag.
fn begin(flag: &str) -> String {
    format!("<!-- written by `cargo xtask chaos {flag} --save` -->\n")
}

/// Builds the server, and runs the drills on it. Other arguments go to each drill.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let is_asked = |name: &str| arguments.iter().any(|argument| argument == name);
    let asked: Vec<_> = DRILLS.iter().filter(|(flag, _)| is_asked(flag)).collect();
    let rest: Vec<_> = arguments
        .iter()
        .filter(|argument| *argument != SAVE && DRILLS.iter().all(|(flag, _)| *argument != flag))
        .collect();
    match asked[..] {
        [(_, name)] if !is_asked(SAVE) => process::run(command(root, name)?.args(rest)),
        [(flag, name)] => {
            let (status, figures) = process::tee(command(root, name)?.args(rest))?;
            if !status.success() {
                return Err(Failure::Tests);
            }
            let page = root.join(PAGE);
            let text = std::fs::read_to_string(&page).map_err(Failure::file(&page))?;
            std::fs::write(&page, with_figures(&text, &begin(flag), figures.trim()))
                .map_err(Failure::file(&page))
        }
        [] if !is_asked(SAVE) => ["nodes", "stripe", "faults"]
            .iter()
            .try_for_each(|name| process::run(command(root, name)?.args(&rest))),
        _ => Err(Failure::Usage(
            "one of `--cluster`, `--faults`, `--outage` and `--stripe` at a time, and `--save` only with one"
                .to_owned(),
        )),
    }
}

/// Restores an earlier moment of each database, and brings back what the provider knows (docs/backup.md#the-drill).
pub(crate) fn drill(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    process::run(command(root, "restore")?.args(arguments))
}

/// Looks for the programs that this drill needs, and builds the server; what runs the drill on it.
fn command(root: &Path, name: &str) -> Result<Command, Failure> {
    postgres::installed()?;
    match name {
        "cluster" => machine::cluster_installed()?,
        "faults" => machine::faults_installed()?,
        _ => {}
    }
    process::run(process::cargo(root).args(["build", "--locked", "--package", "server"]))?;
    let mut drill = process::cargo(root);
    drill.args([
        "run",
        "--locked",
        "--quiet",
        "--package",
        "chaos",
        "--",
        "--binary",
    ]);
    drill
        .arg(process::target_folder(root).join("debug/cardform"))
        .arg(name);
    if name == "stripe" {
        drill.arg("--localstripe").arg(LOCALSTRIPE.installed()?);
    }
    Ok(drill)
}

/// The page with these figures after the line `begin`.
fn with_figures(page: &str, begin: &str, figures: &str) -> String {
    let Some((before, rest)) = page.split_once(begin) else {
        return page.to_owned();
    };
    let after = rest.split_once(END).map_or("", |(_, after)| after);
    format!("{before}{begin}\n{figures}\n\n{END}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_figures_of_one_drill_change() {
        let [first, second] = [begin("--cluster"), begin("--faults")];
        let page = format!("a\n{first}old\n{END}\nb\n{second}other\n{END}\nc\n");
        let saved = with_figures(&page, &first, "new");
        assert_eq!(
            saved,
            format!("a\n{first}\nnew\n\n{END}\nb\n{second}other\n{END}\nc\n")
        );
        assert_eq!(with_figures(&saved, &first, "new"), saved);
    }

    #[test]
    fn the_page_has_a_place_for_the_figures_of_each_drill() {
        let page = include_str!("../../../docs/reliability.md");
        for (flag, _) in DRILLS {
            assert!(page.contains(&begin(flag)), "{flag}");
        }
        assert!(page.contains(END));
    }
}
