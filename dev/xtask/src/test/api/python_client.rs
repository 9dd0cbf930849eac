//! A merchant's client in Python, generated from `/openapi.json`: it creates charges and reads them when they are paid,
//! refunds and captures.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::service::DemoService;
use crate::failure::Failure;
use crate::process;
use crate::test::python;

/// The merchant's program.
const PROGRAM: &str = include_str!("pay.py");
/// The generator would otherwise format the client with more programs.
const CONFIGURATION: &str = "post_hooks: []\n";

/// Generates the client in `work` and runs the merchant's program with it. Returns the ids that it prints: of a `paid`
/// charge and of one that is `held`.
pub(super) fn tried(service: &DemoService, work: &Path) -> Result<Value, Failure> {
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
    let output = process::capture(&mut pay)?;
    process::expect_success(&pay, output.status)?;
    super::service::json(&String::from_utf8_lossy(&output.stdout), || "pay.py".to_owned())
}
