//! `cardform audit list`: prints the audit log: changes of keys and merchants, and uses of stored cards.

use clap::{Args, Subcommand};
use protocol::clock::rfc3339;
use serde_json::{Value, json};
use store::AuditLine;

use super::{Failure, Output, open};
use crate::config::Settings;

/// `cardform audit`.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Lists each act with its time and its actor, the newest first.
    List(Box<AuditList>),
}

/// `cardform audit list`.
#[derive(Debug, Args)]
pub struct AuditList {
    /// Only lines about this id: a merchant's, a saved card's or a signing key's.
    #[arg(long, value_name = "ID")]
    pub subject: Option<String>,
    /// Only lines before the line with this id, `aud_…`.
    #[arg(long, value_name = "ID")]
    pub before: Option<String>,
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: u32,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

pub(super) async fn run(command: AuditCommand, output: Output) -> Result<(), Failure> {
    let AuditCommand::List(args) = command;
    list(*args, output).await
}

async fn list(args: AuditList, output: Output) -> Result<(), Failure> {
    let (_, store) = open(args.settings).await?;
    let (before, limit) = (args.before.as_deref(), args.limit.into());
    let lines = match &args.subject {
        Some(subject) => store.audit_lines_of(subject, before, limit).await,
        None => store.audit_lines(before, limit).await,
    };
    let lines = lines?;
    store.close().await;
    let rows: Vec<Value> = lines.iter().map(row).collect();
    let text: Vec<String> = lines.iter().map(text).collect();
    output.print(&json!(rows), &text.join("\n"))
}

fn row(line: &AuditLine) -> Value {
    json!({
        "id": line.id,
        "at": rfc3339(line.at),
        "actor": line.actor,
        "action": line.action,
        "subject": line.subject,
        "detail": serde_json::from_str::<Value>(&line.detail).unwrap_or_default(),
    })
}

fn text(line: &AuditLine) -> String {
    let AuditLine {
        at,
        actor,
        action,
        subject,
        detail,
        ..
    } = line;
    format!("{}  {action}  {subject}  by {actor}  {detail}", rfc3339(*at))
}
