//! Deletes old data: counts of attempts after their window, and finished webhooks, events and visits after the time in the
//! settings.

use std::time::Duration;

use store::StoreError;
use tokio::sync::watch;

use super::app::App;
use super::retention::{RetentionProgress, remove_old_charges};
use crate::pages::keep_assets;
pub use tracking::events::Dropped;

/// How often. Several nodes may do it at the same time.
const INTERVAL: Duration = Duration::from_secs(3_600);

/// How many visits are kept; they take about four gigabytes. Any client can send events of invented visits.
const VISITS_MAX: i64 = 10_000_000;

/// After what time one of the nodes stores the files of its build again, in milliseconds: a day. Otherwise those of a build
/// that runs for a month without a restart would be deleted.
const PAGE_FILES_AGAIN_MS: i64 = 24 * 60 * 60 * 1_000;

/// Deletes old data now and then every hour, until `stop` is true.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut progress = RetentionProgress::default();
    loop {
        let deleted = tokio::select! {
            // There may be millions of rows; the next node deletes the rest.
            _ = stop.wait_for(|stop| *stop) => return,
            deleted = delete_old_data(&app) => deleted,
        };
        if let Err(cause) = deleted {
            tracing::warn!(%cause, "old data could not be deleted; trying again in an hour");
        }
        if let Err(cause) = remove_old_charges(&app, &mut progress, &stop).await {
            tracing::error!(%cause, "old charges could not be removed; trying again in an hour");
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}

/// Deletes old data now. Returns the number of rows.
pub async fn delete_old_data(app: &App) -> Result<u64, StoreError> {
    let now = app.clock.now_ms();
    app.pages.csp_reports.remove_idle_clients();
    app.charges.return_limit.remove_old_entries(now);
    app.charges.device_data_limit.remove_old_entries(now);
    app.charges.networks_limit.remove_old_entries(now);
    app.charges.link_limit.remove_old_entries(now);
    app.store.give_up_orphaned_events(now).await?;
    let events = app
        .store
        .delete_finished_events(now - app.config.webhook_retention_ms)
        .await?;
    let counts = app.store.delete_attempt_counts(now).await?;
    let kept = i64::try_from(app.config.events.retention.as_millis()).unwrap_or(i64::MAX);
    let forgotten = app.store.delete_old_events(now.saturating_sub(kept)).await?;
    app.events.counts.dropped(Dropped::TooOld, forgotten.undelivered);
    let visits = app
        .store
        .delete_visits(now.saturating_sub(app.config.visit_retention_ms))
        .await?;
    let surplus = app.store.delete_surplus_visits(VISITS_MAX).await?;
    let vault = app.saved_cards.vault.as_deref();
    keep_assets(&app.store, vault, &app.clock, now - PAGE_FILES_AGAIN_MS).await?;
    Ok(events + counts + forgotten.batches + visits + surplus)
}
