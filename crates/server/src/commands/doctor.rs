//! `cardform doctor`: prints what is wrong, why, and what to do.

use model::clock::Clock;
use serde_json::json;

use super::{CommandError, Output, one_line};
use crate::cli::doctor::DoctorArgs;
use crate::doctor::{Diagnosis, DoctorTargets, diagnose};

pub(super) async fn run(args: DoctorArgs, output: Output) -> Result<(), CommandError> {
    let (config, broken) = if args.settings.is_given() || args.url.is_none() {
        match args.settings.resolve() {
            Ok(config) => (Some(config), None),
            Err(error) => (None, Some(one_line(error))),
        }
    } else {
        (None, None)
    };
    let targets = DoctorTargets {
        config,
        url: args.url,
        page: args.page,
        payload: args.payload,
        client_secret: args.client_secret,
    };
    let mut diagnosis = diagnose(&targets, &Clock::system()).await.map_err(one_line)?;
    if let Some(why) = broken {
        diagnosis.add_broken_settings(why);
    }
    output.print(&json!(diagnosis), &text(&diagnosis))?;
    match diagnosis.errors() {
        0 => Ok(()),
        1 => Err(CommandError::from("1 error was found".to_owned())),
        count => Err(CommandError::from(format!("{count} errors were found"))),
    }
}

fn text(diagnosis: &Diagnosis) -> String {
    let mut parts: Vec<String> = (diagnosis.findings.iter())
        .map(|finding| {
            format!(
                "{}: {}\n  what  {}\n  why   {}\n  do    {}",
                finding.severity.as_str(),
                finding.code.as_str(),
                finding.what,
                finding.why,
                finding.fix
            )
        })
        .collect();
    if parts.is_empty() {
        parts.push("nothing is wrong".to_owned());
    }
    parts.extend(
        (diagnosis.skipped.iter()).map(|skipped| format!("not looked at: {}, {}", skipped.what, skipped.why)),
    );
    parts.join("\n\n")
}
