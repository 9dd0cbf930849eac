//! `cargo xtask test rules-parity --inputs N [--seed S]`: the long form of the test that gives the same random texts to
//! the rules in Rust and in TypeScript. A million texts take about a minute.

use std::ffi::OsString;
use std::path::Path;

use crate::failure::Failure;
use crate::{npm, page, prerequisites, process};

/// The word after `cargo xtask test`.
pub(super) const NAME: &str = "rules-parity";

/// How many texts are compared unless it is said.
const INPUTS: u64 = 1_000_000;

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
struct ParityArguments {
    inputs: u64,
    /// Other texts than those of the last run; `None` leaves the test's own.
    seed: Option<u64>,
}

/// Builds the page's rules and the test, and runs it.
pub(super) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let ParityArguments { inputs, seed } = asked(arguments)?;
    prerequisites::for_building()?;
    npm::install(root)?;
    page::build_if_changed(root)?;
    let mut command = process::cargo(root);
    command.args([
        "test",
        "--locked",
        "--package",
        "server",
        "--test",
        "rules_parity",
        "--",
        "--nocapture",
    ]);
    command.env("CARDFORM_PARITY_INPUTS", inputs.to_string());
    if let Some(seed) = seed {
        command.env("CARDFORM_PARITY_SEED", seed.to_string());
    }
    process::run(&mut command)
}

fn asked(arguments: &[OsString]) -> Result<ParityArguments, Failure> {
    let mut asked = ParityArguments {
        inputs: INPUTS,
        seed: None,
    };
    for pair in arguments.chunks(2) {
        let name = pair[0].to_str().unwrap_or_default();
        let number = pair.get(1).and_then(|value| value.to_str()?.parse().ok());
        match (name, number) {
            ("--inputs", Some(number)) if number > 0 => asked.inputs = number,
            ("--seed", Some(number)) => asked.seed = Some(number),
            _ => {
                return Err(Failure::Usage(format!(
                    "`test {NAME}` takes `--inputs N` and `--seed N`, each a number"
                )));
            }
        }
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_seed_are_numbers() {
        let asked = |words: &[&str]| asked(&words.iter().map(OsString::from).collect::<Vec<_>>());
        let of = |inputs, seed| ParityArguments { inputs, seed };
        assert_eq!(asked(&[]).unwrap(), of(INPUTS, None));
        assert_eq!(asked(&["--seed", "7", "--inputs", "5"]).unwrap(), of(5, Some(7)));
        for wrong in [
            &["--inputs"][..],
            &["--inputs", "many"],
            &["--inputs", "0"],
            &["5"],
            &["--seeds", "1"],
        ] {
            assert!(asked(wrong).is_err(), "{wrong:?}");
        }
    }
}
