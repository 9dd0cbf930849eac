//! `cargo xtask test`: every test from a fresh clone, or one part of them. A failed part does not stop the others. The last line
//! has the numbers of passed and failed tests.

mod api;
mod install;
pub(crate) mod machine;
mod operations;
pub(crate) mod postgres;
pub(crate) mod python;
mod report;
mod summary;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use clap::Subcommand;

use report::{TestReport, Tests};

use crate::failure::Failure;
use crate::{build, check, npm, page, prerequisites, process, reproducible, sizes};

/// The command line.
#[derive(clap::Args)]
pub(crate) struct TestArguments {
    #[command(subcommand)]
    part: Option<Part>,
}

/// A part that can be tested alone.
#[derive(Clone, Copy, PartialEq, Eq, Subcommand)]
enum Part {
    /// Formatting, lints, types, licences, and the rules of this repository
    Check,
    /// The tests of the crates, on SQLite and on PostgreSQL
    Rust,
    /// The tests of the page's packages, and whether the page is the same from two folders
    Page,
    /// A shopper in a browser against the real binary
    E2e,
    /// The HTTP API against its own description
    Api,
    /// The image, the unit, the manifests and the alerts in `ops/`
    Operations,
    /// The search for card numbers in the memory of the release binary; before a release, and not in a whole run
    Release,
    /// Install a release in a bare Debian and pay there; before a release, and not in a whole run
    Install,
    /// Compare the rules in Rust and in TypeScript on random texts; a million take about a minute
    RulesParity {
        /// How many texts are compared
        #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
        inputs: u64,
        /// Compare other texts than those of the last run
        #[arg(long)]
        seed: Option<u64>,
    },
}

/// Steps that others need.
const PROGRAMS: &str = "programs";
const PACKAGES: &str = "npm packages";
const PAGE_BUILD: &str = "page build";
const SERVER_BUILD: &str = "server build";

/// The variable with the path of another build of the binary.
const BINARY: &str = "CARDFORM_TEST_BINARY";

/// Runs all parts, or the one that is named, and prints the report.
pub(crate) fn run(root: &Path, arguments: &TestArguments) -> Result<(), Failure> {
    prerequisites::for_building()?;
    let run = TestRun {
        root,
        report: TestReport::default(),
    };
    match arguments.part {
        None => run.everything(),
        Some(Part::RulesParity { inputs, seed }) => return rules_parity(root, inputs, seed),
        Some(Part::Check) => run.check(),
        Some(Part::Page) => run.page(),
        Some(part) => {
            run.programs(&[part]);
            run.page_build();
            match part {
                Part::Rust => run.rust(),
                Part::Release => run.release(),
                Part::Install => run.install(),
                _ => {
                    run.server_build();
                    run.started(part);
                }
            }
        }
    }
    println!("\n{}", run.report);
    if run.report.passed() {
        Ok(())
    } else {
        Err(Failure::Tests)
    }
}

/// A run of tests with what it has found so far.
struct TestRun<'a> {
    root: &'a Path,
    report: TestReport,
}

impl TestRun<'_> {
    /// The crates are built beside the page and the programs, so that two processors have work from the beginning. One build
    /// serves all tests. Tests that start the service run after all builds, because their waits have time limits.
    fn everything(&self) {
        let parts = [Part::Rust, Part::E2e, Part::Api, Part::Operations];
        thread::scope(|scope| {
            scope.spawn(|| self.programs(&parts));
            scope.spawn(|| {
                self.page();
                self.step("check", &[PACKAGES], || check::quick(self.root));
            });
            self.server_build();
            self.step("clippy", &[], || check::clippy(self.root));
        });
        thread::scope(|scope| {
            // Each of these two keeps one processor busy, and waits for minutes.
            scope.spawn(|| [Part::Api, Part::Operations].map(|part| self.started(part)));
            self.rust();
        });
        self.started(Part::E2e);
    }

    /// A step without tests of its own.
    fn step(&self, name: &'static str, needs: &[&str], work: impl FnOnce() -> Result<(), Failure>) {
        self.report.step(name, needs, || work().map(|()| Tests::NONE));
    }

    /// Installs the programs that these parts start.
    fn programs(&self, parts: &[Part]) {
        self.step(PROGRAMS, &[], || {
            if parts.contains(&Part::Rust) {
                peers()?;
            }
            if parts.contains(&Part::E2e) {
                machine::browsers_installed(self.root)?;
            }
            if parts.contains(&Part::Api) {
                python::SCHEMATHESIS.installed()?;
            }
            if parts.contains(&Part::Operations) {
                operations::installed()?;
            }
            if parts.contains(&Part::Install) {
                install::installed()?;
            }
            Ok(())
        });
    }

    fn page_build(&self) {
        self.step(PACKAGES, &[], || npm::install(self.root));
        self.step(PAGE_BUILD, &[PACKAGES], || {
            page::build_if_changed(self.root)?;
            let sizes = sizes::measure(&self.root.join(page::DIST))?;
            eprintln!("{}", sizes::table(&sizes));
            sizes::within_budgets(&sizes)
        });
    }

    /// Builds every program and every test at once: a crate that is built alone lacks the features that others need of its
    /// libraries, so all would be built anew.
    fn server_build(&self) {
        self.step(SERVER_BUILD, &[], || {
            let mut build = process::cargo(self.root);
            process::run(build.args(["build", "--workspace", "--all-targets", "--locked"]))
        });
    }

    fn check(&self) {
        self.step(PACKAGES, &[], || npm::install(self.root));
        self.step("check", &[PACKAGES], || check::run(self.root));
    }

    fn page(&self) {
        self.page_build();
        self.report.step("page", &[PACKAGES], || {
            let mut command = npm::npm(self.root);
            command.arg("test");
            for workspace in ["@cardform/form", "@cardform/js", "@cardform/react"] {
                command.args(["--workspace", workspace]);
            }
            // In a whole run the crates are built meanwhile.
            vitest(command.args(["--", "--testTimeout=60000"]))
        });
        self.step("the page from two folders", &[PAGE_BUILD], || {
            reproducible::page_is_alike(self.root)
        });
    }

    fn rust(&self) {
        // One of the tests runs the page's rules, as they are built, in the server's engine.
        let needs = [PROGRAMS, PAGE_BUILD];
        self.report.step("rust", &needs, || {
            cargo_tests(&mut cargo_test(self.root, &["--all-targets", "--no-fail-fast"]))
        });
        self.report
            .step("the books on PostgreSQL", &needs, || postgres::books(self.root));
    }

    /// The tests of a part that start the built server.
    fn started(&self, part: Part) {
        let needs = [PROGRAMS, PAGE_BUILD, SERVER_BUILD];
        let binary =
            given_binary().unwrap_or_else(|| process::target_folder(self.root).join("debug/cardform"));
        match part {
            Part::Api => self.report.step("api", &needs, || api::tried(self.root, &binary)),
            Part::E2e => self.report.step("e2e", &needs, || {
                let mut command = npm::npm(self.root);
                command.args(["test", "--workspace", "@cardform/e2e"]);
                command.env("CARDFORM_BIN", &binary);
                command.envs(machine::browsers_installed(self.root)?);
                vitest(&mut command)
            }),
            _ => self
                .report
                .step("operations", &needs, || operations::tested(self.root, &binary)),
        }
    }

    /// A release of the given binary, or else of a new release binary.
    fn install(&self) {
        self.report.step("install", &[PROGRAMS, PAGE_BUILD], || {
            let binary = given_binary().map_or_else(|| build::release(self.root), Ok)?;
            install::tested(self.root, &binary)
        });
    }

    /// The searches for card numbers in the memory and files of the release binary: optimisation could leave out the wiping
    /// of memory.
    fn release(&self) {
        self.report
            .step("memory of the release binary", &[PAGE_BUILD], || {
                let binary = build::release(self.root)?;
                let arguments = ["--test", "service", "--", "memory::", "secrets_in_logs::"];
                cargo_tests(cargo_test(self.root, &arguments).env(BINARY, binary))
            });
    }
}

/// The binary that the environment names.
fn given_binary() -> Option<PathBuf> {
    process::environment(BINARY).map(PathBuf::from)
}

/// Installs the programs that the server's tests connect to.
fn peers() -> Result<(), Failure> {
    postgres::installed()?;
    machine::installed(&[
        // The page of operating the service has commands with them.
        ("curl", "curl"),
        ("openssl", "openssl"),
        // The languages of the merchants' samples. Node is there in any case.
        ("go", "golang-go"),
        ("php", "php-cli"),
        ("python3", "python3"),
        // Reads and writes the files of `cardform vault`, too.
        ("gpg", "gnupg"),
        // Checks a release's signature for the installer.
        ("minisign", "minisign"),
        // A load balancer and a pool of connections.
        ("/usr/sbin/haproxy", "haproxy"),
        ("/usr/sbin/pgbouncer", "pgbouncer"),
    ])?;
    python::LOCALSTRIPE.installed()?;
    python::KAFKA_BROKER.installed().map(|_| ())
}

/// The tests of all crates, with the features of [`TestRun::server_build`]. No comment has code that could be tested.
fn cargo_test(root: &Path, arguments: &[&str]) -> Command {
    let mut command = process::cargo(root);
    command.args(["test", "--workspace", "--locked"]).args(arguments);
    // The tests of the service mostly wait for databases, files and other processes, so each processor runs three of them.
    let processors = thread::available_parallelism().map_or(1, usize::from);
    command.env("RUST_TEST_THREADS", (3 * processors).to_string());
    command
}

fn cargo_tests(command: &mut Command) -> Result<Tests, Failure> {
    let (status, output) = process::tee(command)?;
    summary::read(summary::cargo(&output), command, status)
}

fn vitest(command: &mut Command) -> Result<Tests, Failure> {
    // The summary is read: it must not be colored.
    command.env("NO_COLOR", "1").env_remove("FORCE_COLOR");
    // The names of failed tests are on standard error.
    let (status, output) = process::tee_both(command)?;
    summary::read(summary::vitest(&output), command, status)
}

/// The long form of the test that gives the same random texts to the rules in Rust and in TypeScript.
fn rules_parity(root: &Path, inputs: u64, seed: Option<u64>) -> Result<(), Failure> {
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
    ]);
    command.args(["--", "--nocapture"]);
    command.env("CARDFORM_PARITY_INPUTS", inputs.to_string());
    if let Some(seed) = seed {
        command.env("CARDFORM_PARITY_SEED", seed.to_string());
    }
    process::run(&mut command)
}
