//! `cardform doctor`: prints mistakes, each with its reason and its remedy.

use clap::Args;
use protocol::clock::Clock;
use serde_json::json;

use super::{Failure, Output, one_line};
use crate::config::Settings;
use crate::doctor::{Diagnosis, DoctorTargets, FindingCode, diagnose};

/// `cardform doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The service and the page that are examined.
    #[command(flatten)]
    pub targets: DoctorTargets,
    /// The settings of the service. Without any, and with --url, they are not examined.
    #[command(flatten)]
    pub settings: Settings,
}

pub(super) async fn run(args: DoctorArgs, output: Output) -> Result<(), Failure> {
    let examines_settings = args.settings.is_given() || args.targets.url.is_none();
    let resolved = examines_settings.then(|| args.settings.resolve()).transpose();
    let (config, broken) = match resolved {
        Ok(config) => (config, None),
        Err(error) => (None, Some(one_line(error))),
    };
    let mut diagnosis = diagnose(config.as_ref(), &args.targets, &Clock::system()).await?;
    if let Some(why) = broken {
        diagnosis.add(FindingCode::SettingsInvalid, why);
    }
    output.print(&json!(diagnosis), &text(&diagnosis))?;
    match diagnosis.errors() {
        0 => Ok(()),
        1 => Err("1 error was found".into()),
        count => Err(format!("{count} errors were found").into()),
    }
}

fn text(diagnosis: &Diagnosis) -> String {
    let mut parts: Vec<String> = (diagnosis.findings.iter())
        .map(|finding| {
            format!(
                "{}: {}\n  what  {}\n  why   {}\n  do    {}",
                finding.severity.as_str(),
                finding.code.name(),
                finding.what,
                finding.why,
                finding.fix
            )
        })
        .collect();
    if parts.is_empty() {
        parts.push("no mistakes were found".to_owned());
    }
    parts.extend(
        (diagnosis.skipped.iter()).map(|skipped| format!("not checked: {}, {}", skipped.what, skipped.why)),
    );
    parts.join("\n\n")
}
