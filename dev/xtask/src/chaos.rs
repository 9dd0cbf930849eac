//! `cargo xtask chaos`: the long form of the trial in which nodes are killed while shoppers pay, with the simulator and then
//! with Stripe's connector, followed by faults of the databases and of nodes; with a flag one of the trials in [`TRIALS`]
//! alone. And `cargo xtask drill`, the restore of a
//! backup.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::process;
use crate::test::python::LOCALSTRIPE;
use crate::test::{machine, postgres};

/// Trials of their own, by their flags: the primary of a PostgreSQL cluster dies; databases and nodes have faults; a provider
/// is gone; nodes with Stripe's connector are killed.
const TRIALS: [(&str, &str); 4] = [
    ("--cluster", "cluster"),
    ("--faults", "faults"),
    ("--outage", "outage"),
    (STRIPE, "stripe"),
];
const STRIPE: &str = "--stripe";
const SAVE: &str = "--save";
/// The page with the figures of the last trials, each between two lines.
const PAGE: &str = "docs/reliability.md";
const END: &str = "<!-- end -->";

/// The line before the figures of the trial with this flag.
fn begin(flag: &str) -> String {
    format!("<!-- written by `cargo xtask chaos {flag} --save` -->\n")
}

/// Builds the server, and holds the trial on it; the other arguments go to the trial.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let is_asked = |name: &str| arguments.iter().any(|argument| argument == name);
    let asked: Vec<_> = TRIALS.iter().filter(|(flag, _)| is_asked(flag)).collect();
    let rest: Vec<_> = arguments
        .iter()
        .filter(|argument| *argument != SAVE && TRIALS.iter().all(|(flag, _)| *argument != flag))
        .collect();
    postgres::installed()?;
    let [(flag, name)] = asked[..] else {
        if is_asked(SAVE) || !asked.is_empty() {
            let usage = "one of `--cluster`, `--faults`, `--outage` and `--stripe` at a time, and `--save` only with one";
            return Err(Failure::Usage(usage.to_owned()));
        }
        process::run(trial("chaos", root)?.args(&rest))?;
        process::run(with_localstripe(root, &mut trial("stripe", root)?)?.args(&rest))?;
        machine::faults_installed()?;
        return process::run(trial("faults", root)?.args(&rest));
    };
    match *name {
        "cluster" => machine::cluster_installed()?,
        "faults" => machine::faults_installed()?,
        _ => {}
    }
    let mut trial = trial(name, root)?;
    trial.args(&rest);
    if *flag == STRIPE {
        with_localstripe(root, &mut trial)?;
    }
    if !is_asked(SAVE) {
        return process::run(&mut trial);
    }
    let (status, figures) = process::tee(&mut trial)?;
    if !status.success() {
        return Err(Failure::Tests);
    }
    let page = root.join(PAGE);
    let text = std::fs::read_to_string(&page).map_err(Failure::file(&page))?;
    std::fs::write(&page, with_figures(&text, &begin(flag), figures.trim())).map_err(Failure::file(&page))
}

/// Tells the trial where localstripe is.
fn with_localstripe<'a>(root: &Path, trial: &'a mut Command) -> Result<&'a mut Command, Failure> {
    Ok(trial.arg("--localstripe").arg(LOCALSTRIPE.installed(root)?))
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
    fn only_the_figures_of_one_trial_change() {
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
    fn the_page_has_a_place_for_the_figures_of_each_trial() {
        let page = include_str!("../../../docs/reliability.md");
        for (flag, _) in TRIALS {
            assert!(page.contains(&begin(flag)), "{flag}");
        }
        assert!(page.contains(END));
    }
}
