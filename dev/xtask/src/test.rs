//! `cargo xtask test`: every test from a fresh clone, or one part of them. Everything that can run is run, and the last
//! line says how many tests passed and failed.

mod api;
mod beside;
pub(crate) mod machine;
mod operations;
mod parity;
pub(crate) mod postgres;
pub(crate) mod python;
mod report;
mod summary;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use beside::{Beside, Job};
use report::{TestReport, Tests};

use crate::failure::Failure;
use crate::{build, check, npm, page, prerequisites, process, reproducible, sizes};

/// What can be tested alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Check,
    Rust,
    Page,
    E2e,
    Api,
    Operations,
    Release,
}

const PARTS: [(&str, Part); 7] = [
    ("check", Part::Check),
    ("rust", Part::Rust),
    ("page", Part::Page),
    ("e2e", Part::E2e),
    ("api", Part::Api),
    ("operations", Part::Operations),
    ("release", Part::Release),
];

/// Steps that others need.
const PACKAGES: &str = "npm packages";
const PAGE_BUILD: &str = "page build";
const SERVER_BUILD: &str = "server build";
const TWO_FOLDERS: &str = "the page from two folders";
const RELEASE_BUILD: &str = "release build";

/// What a whole run builds while it builds the tests and checks the sources. No test runs meanwhile: tests on a busy
/// machine wait in vain.
const BESIDE: [Job; 2] = [
    Job {
        step: TWO_FOLDERS,
        arguments: &["reproducible", "page"],
    },
    Job {
        step: RELEASE_BUILD,
        arguments: &["build"],
    },
];

/// Runs all parts, or the one that is named, and prints the report.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    if let [first, rest @ ..] = arguments
        && first == parity::NAME
    {
        return parity::run(root, rest);
    }
    let part = part(arguments)?;
    prerequisites::for_building()?;
    let mut report = TestReport::default();
    let wants = |asked| part.is_none_or(|part| part == asked);

    // Installs slow prerequisites first, so that a missing one is known before an hour of tests.
    let browsers = wants(Part::E2e).then(|| machine::Browsers::installed(root));
    let rust_peers = wants(Part::Rust).then(|| peers(root));
    let schemathesis = wants(Part::Api).then(|| api::installed(root));
    let of_operations = wants(Part::Operations).then(|| operations::installed(root));
    report.step(PACKAGES, &[], || npm::install(root).map(|()| Tests::NONE));
    report.step(PAGE_BUILD, &[PACKAGES], || {
        page::build_if_changed(root)?;
        let sizes = sizes::measure(&root.join(page::DIST))?;
        eprintln!("{}", sizes::table(&sizes));
        sizes::within_budgets(&sizes)?;
        Ok(Tests::NONE)
    });
    let is_whole = part.is_none();
    let beside = (is_whole && report.has(PAGE_BUILD)).then(|| Beside::start(root, &BESIDE));
    if is_whole || browsers.is_some() || schemathesis.is_some() {
        report.step(SERVER_BUILD, &[], || {
            // As the Rust tests build it: alone it would be built anew, with all it needs, for want of their features.
            let command = ["test", "--workspace", "--locked", "--no-run"];
            process::run(process::cargo(root).args(command))?;
            Ok(Tests::NONE)
        });
    }
    if wants(Part::Check) {
        report.step("check", &[PACKAGES], || {
            check::none_found(root).map(|()| Tests::NONE)
        });
    }
    for job in beside.into_iter().flat_map(Beside::ended) {
        report.ended(job);
    }
    if let Some(installed) = rust_peers {
        // One of the tests runs the page's rules, as they are built, in the server's engine.
        report.step("rust", &[PAGE_BUILD], || {
            installed?;
            rust(root)
        });
        report.step("the books on PostgreSQL", &[PAGE_BUILD], || {
            peers(root)?;
            postgres::books(root)
        });
    }
    if wants(Part::Page) {
        if !is_whole {
            report.step(TWO_FOLDERS, &[PAGE_BUILD], || {
                reproducible::pages_are_alike(root).map(|()| Tests::NONE)
            });
        }
        report.step("page", &[PACKAGES], || vitest(npm::npm(root).arg("test")));
    }
    if let Some(schemathesis) = schemathesis {
        // The demo does not start without its page.
        report.step("api", &[PAGE_BUILD, SERVER_BUILD], || {
            api::tried(root, &schemathesis?)
        });
    }
    if let Some(browsers) = browsers {
        report.step("e2e", &[PACKAGES, PAGE_BUILD, SERVER_BUILD], || {
            let mut command = npm::npm(root);
            command.args(["test", "--workspace", "@cardform/e2e"]);
            command.env(
                "CARDFORM_BIN",
                process::target_folder(root).join("debug/cardform"),
            );
            browsers?.tell(&mut command);
            // One of the tests reads what arrives at a broker.
            command.env("KAFKA_BROKER", python::KAFKA_BROKER.installed(root)?);
            vitest(&mut command)
        });
    }
    let needs = if is_whole { RELEASE_BUILD } else { PAGE_BUILD };
    if let Some(installed) = of_operations {
        report.step("operations", &[needs], || {
            let installed = installed?;
            let named = process::environment(BINARY).map(PathBuf::from);
            let binary = named.map_or_else(|| build::release(root), Ok)?;
            operations::tested(root, &binary, &installed)
        });
    }
    if wants(Part::Release) {
        // Optimisation is what leaves out the wiping of memory, so the binary that merchants run is searched, too.
        report.step("memory of the release binary", &[needs], || {
            memory_of(&build::release(root)?, root)
        });
    }
    println!("\n{report}");
    if report.passed() {
        Ok(())
    } else {
        Err(Failure::Tests)
    }
}

fn part(arguments: &[OsString]) -> Result<Option<Part>, Failure> {
    let [argument] = arguments else {
        return match arguments {
            [] => Ok(None),
            _ => Err(Failure::Usage(
                "`test` takes at most one part: check, rust, page, e2e, api, operations, release or rules-parity"
                    .to_owned(),
            )),
        };
    };
    let part = PARTS
        .iter()
        .find(|(name, _)| argument == name)
        .map(|(_, part)| *part);
    part.map(Some).ok_or_else(|| {
        let argument = argument.display();
        Failure::Usage(format!(
            "there is no part `{argument}`: check, rust, page, e2e, api, operations, release or rules-parity"
        ))
    })
}

/// Installs the programs that the server's tests connect to, if possible.
fn peers(root: &Path) -> Result<(), Failure> {
    postgres::installed()?;
    // The page of operating the service has commands with them.
    machine::programs_installed(&[("curl", "curl"), ("openssl", "openssl")])?;
    // The languages of the merchants' samples. Node is there in any case.
    machine::programs_installed(&[("go", "golang-go"), ("php", "php-cli"), ("python3", "python3")])?;
    machine::companions_installed()?;
    python::LOCALSTRIPE.installed(root)?;
    python::KAFKA_BROKER.installed(root).map(|_| ())
}

fn rust(root: &Path) -> Result<Tests, Failure> {
    let mut command = process::cargo(root);
    command.args(["test", "--workspace", "--locked", "--no-fail-fast"]);
    command.env(TEST_THREADS, test_threads());
    let (status, output) = process::tee(&mut command)?;
    summary::read(summary::cargo(&output), &command, status)
}

/// The tests of the service wait for databases, files and clocks half of their time, so more of them run than there are
/// processors.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

/// Another build of the binary to test.
const BINARY: &str = "CARDFORM_TEST_BINARY";

fn test_threads() -> String {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    (2 * processors).to_string()
}

/// The searches for card numbers, in the memory and files of this binary.
fn memory_of(binary: &Path, root: &Path) -> Result<Tests, Failure> {
    let mut command = process::cargo(root);
    // With the features of the tests before, so that nothing is built twice.
    command.args(["test", "--workspace", "--locked", "--test", "service"]);
    command.args(["--", "memory::", "secrets_in_logs::"]);
    command.env(BINARY, binary);
    let (status, output) = process::tee(&mut command)?;
    summary::read(summary::cargo(&output), &command, status)
}

fn vitest(command: &mut std::process::Command) -> Result<Tests, Failure> {
    // The summary is read: it must not be colored.
    command.env("NO_COLOR", "1").env_remove("FORCE_COLOR");
    // It says on standard error what failed.
    let (status, output) = process::tee_both(command)?;
    summary::read(summary::vitest(&output), command, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_asked_for_by_its_name() {
        let part = |words: &[&str]| part(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(part(&[]).unwrap().is_none());
        assert!(part(&["e2e"]).unwrap() == Some(Part::E2e));
        assert!(part(&["e3e"]).is_err());
        assert!(part(&["rust", "page"]).is_err());
    }
}
