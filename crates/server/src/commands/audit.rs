//! `cardform audit list`: who changed keys and merchants, and who opened a stored card.

use model::clock::rfc3339;
use serde_json::{Value, json};
use store::AuditLine;

use super::{Output, one_line};
use crate::cli::audit::{AuditCommand, AuditList};
use crate::service::open_store;

pub(super) async fn run(command: AuditCommand, output: Output) -> Result<(), String> {
    let AuditCommand::List(args) = command;
    list(*args, output).await
}

async fn list(args: AuditList, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    let store = open_store(&config).await.map_err(one_line)?;
    let (before, limit) = (args.before.as_deref(), args.limit.into());
    let lines = match &args.subject {
        Some(subject) => store.audit_lines_of(subject, before, limit).await,
        None => store.audit_lines(before, limit).await,
    };
    let lines = lines.map_err(one_line)?;
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
