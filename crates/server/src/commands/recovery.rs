//! `cardform backup`, `restore`, `reconcile` and `payments close`: copies the database, and after a restore adds the
//! payments that only the provider has (docs/backup.md).

use std::path::PathBuf;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use protocol::clock::{Clock, rfc3339};
use serde_json::json;
use store::{CheckedCopy, Database, Store};

use super::operator_name::current_actor;
use super::{Failure, Output, open};
use crate::config::{Config, Settings};
use crate::service::{open_store, provider_of};
use payments::charges::recovery::{PaymentToCheck, Recovery, recover};

/// `cardform backup`.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The file to write, which must not exist; in a folder, a new file that is named after the time.
    #[arg(value_name = "FILE")]
    pub to: PathBuf,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The file that `cardform backup` wrote.
    #[arg(value_name = "FILE")]
    pub from: PathBuf,
    /// The settings. The database must not exist yet.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform reconcile`.
#[derive(Debug, Args)]
pub struct ReconcileArgs {
    /// The time of the first payment to look for at the provider, like 2026-11-22T03:00:00Z [default: the time that the
    /// restore noted].
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform payments`.
#[derive(Debug, Subcommand)]
pub enum PaymentsCommand {
    /// Closes payments after PostgreSQL was restored to an earlier moment, before any node starts. `cardform reconcile`
    /// opens them again.
    Close(Box<ReconcileArgs>),
}

/// How long before its newest attempt a restored database may lack attempts, in milliseconds. Attempts that began at the
/// same time are written one after the other, and nodes' clocks differ.
const BEFORE_NEWEST_MS: i64 = 3_600_000;

const ONLY_SQLITE: &str =
    "this is for SQLite; PostgreSQL has its own tools, and docs/backup.md shows one of them";

pub(super) async fn backup(args: BackupArgs, output: Output) -> Result<(), Failure> {
    let config = args.settings.resolve()?;
    let Database::Sqlite(from) = &config.database else {
        return Err(ONLY_SQLITE.into());
    };
    config.database.must_exist().await?;
    let to = if args.to.is_dir() {
        args.to.join(named_after(Clock::system().now_ms(), "db"))
    } else {
        args.to
    };
    let copy = store::back_up(from, &to).await?;
    print_copy(&copy, "backup", &to, output)
}

/// The name of a new file: `cardform-20261122T030405Z.db`.
pub(super) fn named_after(now_ms: i64, ending: &str) -> String {
    let seconds = rfc3339(now_ms - now_ms.rem_euclid(1_000));
    format!("cardform-{}.{ending}", seconds.replace(['-', ':'], ""))
}

pub(super) async fn restore(args: RestoreArgs, output: Output) -> Result<(), Failure> {
    let mut config = args.settings.resolve()?;
    let Database::Sqlite(to) = config.database else {
        return Err(ONLY_SQLITE.into());
    };
    let copy = store::restore(&args.from, &to).await?;
    // No node can serve the copy before its payments are closed, because it gets its name afterwards.
    config.database = copy.database();
    let store = open_store(&config).await?;
    close(&store, &config, None).await?;
    store.close().await;
    let copy = copy.name().await?;
    print_copy(&copy, "restored", &to, output)?;
    if !output.json {
        eprintln!(
            "payments are closed until `cardform reconcile` has added the payments that only the provider has"
        );
    }
    Ok(())
}

fn print_copy(copy: &CheckedCopy, word: &str, file: &PathBuf, output: Output) -> Result<(), Failure> {
    let CheckedCopy {
        bytes,
        charges,
        attempts,
        newest_attempt,
    } = copy;
    let newest = newest_attempt.map(rfc3339);
    let text = format!(
        "{word}  {}\n{bytes} bytes, {charges} charges, {attempts} attempts, the newest of {}\nchecked: pages, references and books agree",
        file.display(),
        newest.as_deref().unwrap_or("never")
    );
    let row = json!({
        word: file, "bytes": bytes, "charges": charges, "attempts": attempts, "newest_attempt": newest,
    });
    output.print(&row, &text)
}

pub(super) async fn payments(command: PaymentsCommand, output: Output) -> Result<(), Failure> {
    let PaymentsCommand::Close(args) = command;
    let since = args.since.as_deref().map(read_time).transpose()?;
    let (config, store) = open(args.settings).await?;
    let since = rfc3339(close(&store, &config, since).await?);
    store.close().await;
    let text = format!("payments are closed until `cardform reconcile` has run (since {since})");
    output.print(&json!({ "closed": true, "since": since }), &text)
}

/// Closes payments. Returns the time since which the database may lack payments.
async fn close(store: &Store, config: &Config, since: Option<i64>) -> Result<i64, Failure> {
    let (newest, _) = store.attempt_times().await?;
    let since = since.unwrap_or_else(|| newest.map_or(0, |newest| newest - BEFORE_NEWEST_MS));
    let actor = current_actor(config, &Clock::system());
    store.close_payments(since, &actor).await?;
    Ok(since)
}

fn read_time(text: &str) -> Result<i64, Failure> {
    text.parse::<Timestamp>()
        .map(Timestamp::as_millisecond)
        .map_err(|_| "--since must be a time like 2026-11-22T03:00:00Z".into())
}

pub(super) async fn reconcile(args: ReconcileArgs, output: Output) -> Result<(), Failure> {
    let since = args.since.as_deref().map(read_time).transpose()?;
    let (config, store) = open(args.settings).await?;
    let closure = store.payment_closure().await?;
    let noted = closure.map(|closure| closure.since);
    let since = match (since, noted) {
        (Some(since), Some(noted)) => since.min(noted),
        (Some(since), None) | (None, Some(since)) => since,
        (None, None) => {
            return Err(
                "payments are open; to look for lost payments nevertheless, name a time with --since".into(),
            );
        }
    };
    let provider = provider_of(&config)?;
    let clock = Clock::system();
    let recovery = recover(&store, &provider, &clock, since).await?;
    let actor = current_actor(&config, &clock);
    let detail = json!({
        "since": recovery.since, "payments": recovery.payments, "outcomes": recovery.outcomes,
        "attempts": recovery.attempts, "charges": recovery.charges, "refund": recovery.refund.len(),
        "no_merchant": recovery.no_merchant.len(),
    });
    let opened = store.open_payments(&detail, &actor).await?;
    store.close().await;
    output.print(
        &json!({ "reconciled": recovery, "opened": opened }),
        &text(&recovery, opened),
    )
}

fn text(recovery: &Recovery, opened: bool) -> String {
    let mut lines = vec![
        format!(
            "{} payments of the provider since {}",
            recovery.payments, recovery.since
        ),
        format!(
            "{} attempts brought back, with {} charges",
            recovery.attempts, recovery.charges
        ),
        format!(
            "{} outcomes of known attempts recorded, {} still open",
            recovery.outcomes, recovery.open
        ),
    ];
    let list = |what: &str, payment: &PaymentToCheck| {
        format!(
            "{what}  {} {} {}  {}  {}",
            payment.charge_id,
            payment.amount_value,
            payment.amount_currency,
            payment.provider_key,
            payment.reference.as_deref().unwrap_or_default()
        )
    };
    lines.extend(
        recovery
            .refund
            .iter()
            .map(|payment| list("REFUND (paid twice, or ended)", payment)),
    );
    lines.extend(
        recovery
            .no_merchant
            .iter()
            .map(|payment| list("CHECK (merchant not known)", payment)),
    );
    if opened {
        lines.push("payments are open".to_owned());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests;
