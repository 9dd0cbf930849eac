//! Tests the HTTP API against its own description: schemathesis reads `/openapi.json` of a demo that is started for it,
//! and compares every answer with it. A client that is generated from it pays, too.

mod python_client;
mod service;

use std::path::Path;
use std::process::Command;

use service::DemoService;

use super::report::Tests;
use super::{python, summary};
use crate::failure::Failure;
use crate::{files, process};

/// Below the target folder: the demo's data, the configuration and the report of the last run.
const WORK: &str = "api-test";
/// The configuration of schemathesis, with names in capitals in place of the values of a run.
const CONFIGURATION: &str = include_str!("api/schemathesis.toml");
/// How many seconds a run may take. It takes twenty on two idle cores.
const SECONDS_MAX: &str = "240";

/// Starts a demo, the generated client and schemathesis against it. Each operation, and each sequence of operations, counts as a test.
pub(super) fn tried(root: &Path, cardform: &Path) -> Result<Tests, Failure> {
    let target = process::target_folder(root);
    let work = target.join(WORK);
    files::empty_folder(&work)?;
    let service = DemoService::start(cardform, &work)?;
    let charges = python_client::tried(&service, &work)?;
    let client = Tests::counts(1, 0);

    let configuration = work.join("schemathesis.toml");
    let filled = service
        .values()
        .into_iter()
        .chain([
            ("CARDFORM_PAID_CHARGE_ID", service::text(&charges, "paid")),
            ("CARDFORM_HELD_CHARGE_ID", service::text(&charges, "held")),
        ])
        .fold(CONFIGURATION.to_owned(), |text, (name, value)| {
            text.replace(&format!("${{{name}}}"), value)
        });
    std::fs::write(&configuration, filled).map_err(Failure::file(&configuration))?;
    let report = work.join("report.xml");
    let mut command = Command::new("timeout");
    command.current_dir(&work).arg(SECONDS_MAX);
    command
        .arg(python::SCHEMATHESIS.installed()?)
        .arg("--no-color")
        .arg("--config-file")
        .arg(&configuration)
        .arg("run")
        .arg(format!("{}/openapi.json", service.url()))
        .args(["--checks", "all", "--report", "junit", "--report-junit-path"])
        .arg(&report);
    let status = process::status(&mut command)?;
    let found = std::fs::read_to_string(&report)
        .ok()
        .and_then(|text| summary::junit(&text));
    Ok(client + summary::read(found, &command, status)?)
}
