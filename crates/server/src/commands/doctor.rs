//! `cardform doctor`: prints what is wrong, why, and what to do.

use std::convert::Infallible;

use clap::Args;
use protocol::Sensitive;
use protocol::clock::Clock;
use serde_json::json;
use url::Url;

use super::{Failure, Output, one_line};
use crate::config::Settings;
use crate::doctor::{Diagnosis, DoctorTargets, diagnose};

/// `cardform doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Where the service runs [default: `public_url`, otherwise the listening address].
    #[arg(long, value_name = "URL", value_parser = web_address)]
    pub url: Option<Url>,
    /// A merchant's page that embeds the form.
    #[arg(long, value_name = "URL", value_parser = web_address)]
    pub page: Option<Url>,
    /// A payload that the page embeds.
    #[arg(long, value_name = "PAYLOAD", env = "CARDFORM_PAYLOAD")]
    pub payload: Option<String>,
    /// A client secret, to see whether it still counts.
    #[arg(long, value_name = "SECRET", env = "CARDFORM_CLIENT_SECRET", value_parser = secret)]
    pub client_secret: Option<Sensitive>,
    /// The settings of the service. Without any, and with --url, they are not looked at.
    #[command(flatten)]
    pub settings: Settings,
}

pub(super) async fn run(args: DoctorArgs, output: Output) -> Result<(), Failure> {
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
    let mut diagnosis = diagnose(&targets, &Clock::system()).await?;
    if let Some(why) = broken {
        diagnosis.add_broken_settings(why);
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
        parts.push("nothing is wrong".to_owned());
    }
    parts.extend(
        (diagnosis.skipped.iter()).map(|skipped| format!("not looked at: {}, {}", skipped.what, skipped.why)),
    );
    parts.join("\n\n")
}

fn web_address(text: &str) -> Result<Url, String> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .ok_or_else(|| "must be an http(s) URL".to_owned())
}

#[allow(clippy::unnecessary_wraps, reason = "clap takes a fallible reader")]
fn secret(text: &str) -> Result<Sensitive, Infallible> {
    Ok(Sensitive::new(text.to_owned()))
}
