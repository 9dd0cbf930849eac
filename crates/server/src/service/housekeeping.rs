//! Deletes old data: counts of attempts whose window is over, and finished webhooks, events and visits after the time in
//! the settings.

use std::time::Duration;

use store::StoreError;
use tokio::sync::watch;

use super::app::App;
use super::retention::{RetentionProgress, remove_old_charges};
pub use tracking::events::Dropped;

/// How often. Several nodes may do it at the same time.
const INTERVAL: Duration = Duration::from_secs(3_600);

/// Deletes old data now and then every hour, until `stop` is true.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut progress = RetentionProgress::default();
    loop {
        if let Err(cause) = delete_old_data(&app).await {
            tracing::warn!(%cause, "what is over cannot be forgotten now");
        }
        if let Err(cause) = remove_old_charges(&app, &mut progress, &stop).await {
            tracing::error!(%cause, "old charges cannot be removed now");
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}

/// Deletes what is old now. Returns how many rows.
pub async fn delete_old_data(app: &App) -> Result<u64, StoreError> {
    let now = app.clock.now_ms();
    app.pages.csp_reports.remove_idle_clients();
    app.charges.remove_old_entries(now);
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
    Ok(events + counts + forgotten.batches + visits)
}
