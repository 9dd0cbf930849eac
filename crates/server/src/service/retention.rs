//! Removes charges that are older than the limit in the settings. Exports them before, if the settings name a folder
//! (docs/operator.md#how-long-charges-are-kept).

use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use protocol::ChargeStatus;
use protocol::clock::rfc3339;
use serde_json::json;
use store::{Actor, AuditAction, ChargeRecord, RemovedCharges, RetentionCursor, StoreError};
use thiserror::Error;
use tokio::sync::watch;

use super::app::App;
use payments::charges::settings::RetentionSettings;

const DAY_MS: i64 = 86_400_000;
/// A paid charge stays at least so long: some disputes come 540 days after a payment.
const PAID_KEPT_MS: i64 = 540 * DAY_MS;
/// How many charges are read in one step. One transaction removes them; it must be short, because payments may wait for it.
const CHARGES_AT_ONCE: i64 = 100;
/// The pause between two steps.
const PAUSE: Duration = Duration::from_millis(50);
/// How many removed charges one line of the audit log reports.
const CHARGES_PER_LINE: u64 = 10_000;
/// The final states of a charge, without and with a payment.
const ENDED: [&[ChargeStatus]; 2] = [
    &[ChargeStatus::Expired, ChargeStatus::Canceled],
    &[ChargeStatus::Succeeded],
];

/// Why charges could not be removed. Those that were not exported are still there.
#[derive(Debug, Error)]
pub enum RetentionError {
    /// The export cannot be written.
    #[error("{0}: {1}")]
    Export(PathBuf, io::Error),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where the search continues. Each process begins a new search, because a charge that had to stay may be removable later.
#[derive(Debug, Default)]
pub struct RetentionProgress([RetentionCursor; ENDED.len()]);

/// Removes old charges step by step, until none is left or `stop` is true.
pub async fn remove_old_charges(
    app: &App,
    progress: &mut RetentionProgress,
    stop: &watch::Receiver<bool>,
) -> Result<RemovedCharges, RetentionError> {
    let mut all = RemovedCharges::default();
    let Some(settings) = &app.config.retention else {
        return Ok(all);
    };
    let mut noted = RemovedCharges::default();
    let mut failed = None;
    for (statuses, cursor) in ENDED.into_iter().zip(&mut progress.0) {
        while failed.is_none() && !*stop.borrow() && !app.charges.expiry.gate.is_closed() {
            match step(app, settings, statuses, cursor).await {
                Ok(Some(removed)) => {
                    add(&mut all, removed);
                    add(&mut noted, removed);
                }
                Ok(None) => break,
                Err(cause) => failed = Some(cause),
            }
            if noted.charges >= CHARGES_PER_LINE {
                note(app, settings, std::mem::take(&mut noted)).await?;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    // Also when a later step failed: these charges are gone.
    if noted.charges > 0 {
        note(app, settings, noted).await?;
    }
    failed.map_or(Ok(all), Err)
}

/// Removes the next charges in these states. `None` if there are no more.
async fn step(
    app: &App,
    settings: &RetentionSettings,
    statuses: &[ChargeStatus],
    cursor: &mut RetentionCursor,
) -> Result<Option<RemovedCharges>, RetentionError> {
    let now = app.clock.now_ms();
    let kept = if statuses.contains(&ChargeStatus::Succeeded) {
        settings.kept_ms.max(PAID_KEPT_MS)
    } else {
        settings.kept_ms
    };
    let found = app
        .store
        .old_charges(statuses, *cursor, now - kept, CHARGES_AT_ONCE)
        .await?;
    let Some((ids, next)) = found else {
        *cursor = cursor.next_round();
        return Ok(None);
    };
    let records = app.store.removable_charges(&ids, now).await?;
    if let Some(folder) = &settings.export {
        export(folder, now, &records)?;
    }
    let leaving: Vec<String> = records.into_iter().map(|record| record.id).collect();
    let removed = app.store.remove_charges(&leaving, now).await?;
    *cursor = next;
    Ok(Some(removed))
}

fn add(sum: &mut RemovedCharges, removed: RemovedCharges) {
    sum.charges += removed.charges;
    sum.attempts += removed.attempts;
    sum.webhook_events += removed.webhook_events;
}

/// Appends a line for each charge to the day's file, and forces it to the disk. After a crash in between a charge can
/// have two lines, and one of them can be cut off.
fn export(folder: &Path, now_ms: i64, records: &[ChargeRecord]) -> Result<(), RetentionError> {
    if records.is_empty() {
        return Ok(());
    }
    let day = rfc3339(now_ms);
    let file = folder.join(format!("charges-{}.jsonl", day.get(..10).unwrap_or_default()));
    let failed = |cause| RetentionError::Export(file.clone(), cause);
    let mut lines = Vec::new();
    for record in records {
        serde_json::to_writer(&mut lines, &record.columns).map_err(|cause| failed(cause.into()))?;
        lines.push(b'\n');
    }
    append(&file, lines).map_err(failed)
}

/// Appends whole lines. After a line that was cut off, they begin on a new one.
fn append(file: &Path, mut lines: Vec<u8>) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut open = options
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .open(file)?;
    let mut last = [b'\n'];
    if open.seek(SeekFrom::End(-1)).is_ok() {
        open.read_exact(&mut last)?;
    }
    if last != [b'\n'] {
        lines.insert(0, b'\n');
    }
    open.write_all(&lines)?;
    open.sync_all()
}

async fn note(app: &App, settings: &RetentionSettings, removed: RemovedCharges) -> Result<(), StoreError> {
    let detail = json!({
        "charges": removed.charges, "attempts": removed.attempts, "webhook_events": removed.webhook_events,
        "kept_days": settings.kept_ms / DAY_MS, "exported": settings.export.is_some(),
    });
    tracing::info!(
        charges = removed.charges,
        attempts = removed.attempts,
        "old charges were removed"
    );
    app.store
        .record_action(
            &Actor::service(app.clock.now_ms()),
            AuditAction::ChargesRemoved,
            "charges",
            &detail,
        )
        .await
}
