//! Tests the files in `ops/`: the image is made and started; the unit and the manifests are checked by the rules of systemd,
//! compose and Kubernetes, and against the needs of the service.

mod alerts;
mod image;
mod manifests;
mod systemd;

use std::path::Path;

use super::python::PythonTool;
use super::report::Tests;
use super::{machine, postgres};
use crate::failure::Failure;
use crate::{files, process};

/// Kubernetes' schemas; its Python has a reader of YAML, too.
const KUBERNETES_VALIDATE: PythonTool = PythonTool {
    name: "kubernetes-validate",
    requirements: include_str!("operations/requirements.txt"),
    carried: None,
};

/// The programs that the tests start, and their Debian packages.
const PROGRAMS: [(&str, &str); 7] = [
    ("buildah", "buildah"),
    ("bwrap", "bubblewrap"),
    ("openssl", "openssl"),
    ("promtool", "prometheus"),
    ("strace", "strace"),
    ("systemd-analyze", "systemd"),
    ("docker-compose", "docker-compose"),
];

/// The inputs of a test.
struct Operations<'a> {
    root: &'a Path,
    /// The binary that goes into the image.
    binary: &'a Path,
    /// A folder of these tests, empty at the start.
    work: &'a Path,
    kubernetes_validate: &'a Path,
}

type OperationsCheck = fn(&Operations<'_>) -> Result<(), Failure>;

/// The tests and their names.
const CHECKS: [(&str, OperationsCheck); 11] = [
    ("prometheus_takes_the_alerts", alerts::are_taken),
    ("the_alerts_fire_when_they_should", alerts::fire_as_tested),
    ("the_same_binary_gives_the_same_image", image::is_reproducible),
    ("the_image_has_neither_shell_nor_root", image::is_bare),
    ("the_image_migrates_serves_pays_and_drains", image::is_started),
    ("systemd_takes_the_unit", systemd::is_taken),
    ("the_unit_is_less_exposed_than_2", systemd::is_hardened),
    ("the_unit_allows_the_system_calls", systemd::allows_calls),
    ("kubernetes_takes_the_manifests", manifests::kubernetes_takes_them),
    ("compose_takes_its_files", manifests::compose_takes_them),
    (
        "a_stopping_node_has_time_for_its_payments",
        manifests::wait_for_payments,
    ),
];

/// Installs the programs that are missing.
pub(super) fn installed() -> Result<(), Failure> {
    postgres::installed()?;
    machine::installed(&PROGRAMS)?;
    KUBERNETES_VALIDATE.installed().map(|_| ())
}

/// Runs every test, and prints whether it passed.
pub(super) fn tested(root: &Path, binary: &Path) -> Result<Tests, Failure> {
    let work = process::target_folder(root).join("operations-test");
    files::empty_folder(&work)?;
    let operations = Operations {
        root,
        binary,
        work: &work,
        kubernetes_validate: &KUBERNETES_VALIDATE.installed()?,
    };
    let mut tests = Tests::NONE;
    for (name, check) in CHECKS {
        match check(&operations) {
            Ok(()) => {
                eprintln!("test {name} ... ok");
                tests.passed += 1;
            }
            Err(failure) => {
                eprintln!("test {name} ... FAILED: {failure}");
                tests.failed += 1;
                tests.failures.push(format!("{name}\n  {failure}"));
            }
        }
    }
    Ok(tests)
}
