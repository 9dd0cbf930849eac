//! A merchant's client in Python, generated from `/openapi.json`: it creates a charge and reads it when it is paid.

use std::path::Path;
use std::process::Command;

use super::service::DemoService;
use crate::failure::Failure;
use crate::process;
use crate::test::python;
use crate::test::report::Tests;

/// The merchant's program.
const PROGRAM: &str = include_str!("pay.py");
/// The generator would otherwise format the client with more programs.
const CONFIGURATION: &str = "post_hooks: []\n";

/// Generates the client in `work` and runs the merchant's program with it: one test.
pub(super) fn tried(service: &DemoService, work: &Path) -> Result<Tests, Failure> {
    let generator = python::PYTHON_CLIENT.installed()?;
    for (name, text) in [("generator.yml", CONFIGURATION), ("pay.py", PROGRAM)] {
        let path = work.join(name);
        std::fs::write(&path, text).map_err(Failure::file(&path))?;
    }
    let mut generate = Command::new(&generator);
    generate
        .current_dir(work)
        .args(["generate", "--meta", "none", "--output-path", "client"])
        .args(["--config", "generator.yml", "--fail-on-warning", "--url"])
        .arg(format!("{}/openapi.json", service.url()));
    process::run(&mut generate)?;
    let mut pay = Command::new(generator.with_file_name("python"));
    pay.current_dir(work)
        .arg("pay.py")
        .env("CARDFORM_URL", service.url())
        .envs(service.values());
    process::run(&mut pay)?;
    Ok(Tests::counts(1, 0))
}
