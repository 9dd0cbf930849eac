//! `GET /readyz`: whether this node can serve. A task writes to the database every second, so that the answer is immediate,
//! also if the database does not answer, is read-only or full, or was replaced by another file.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::app::App;
use web::Tls;

/// The pause between two checks of the database.
const INTERVAL: Duration = Duration::from_secs(1);
/// The time limit of a check.
const LIMIT: Duration = Duration::from_secs(1);
/// An older verdict is ignored, because the task is stuck.
const STALE: Duration = Duration::from_secs(5);

/// The last verdict.
#[derive(Debug)]
pub struct Readiness {
    // A std mutex, because no await happens while it is held.
    last: Mutex<Option<(Instant, ReadinessVerdict)>>,
    is_stopping: AtomicBool,
    /// The name of this process among the nodes of the database.
    node: String,
}

type ReadinessVerdict = Result<(), &'static str>;

impl Readiness {
    /// Starts without a verdict.
    pub(crate) fn new() -> Self {
        Self {
            last: Mutex::default(),
            is_stopping: AtomicBool::new(false),
            node: uuid::Uuid::new_v4().to_string(),
        }
    }

    /// Makes this node not ready, because it will stop.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Whether this node can serve now.
    pub(crate) fn is_ready(&self) -> bool {
        self.verdict().is_ok()
    }

    fn verdict(&self) -> ReadinessVerdict {
        if self.is_stopping.load(Ordering::Relaxed) {
            return Err("the service stops");
        }
        match *self.last.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((at, verdict)) if at.elapsed() < STALE => verdict,
            _ => Err("the database was not tried"),
        }
    }

    /// Stores the verdict. Returns whether it differs from the one before.
    fn note(&self, verdict: ReadinessVerdict) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.replace((Instant::now(), verdict));
        before.is_none_or(|(_, before)| before != verdict)
    }
}

/// `GET /readyz`: 200, or 503 with the reason in our own words.
pub(crate) async fn readyz(State(app): State<App>) -> Response {
    match app.readiness.verdict() {
        Ok(()) => "ready".into_response(),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason).into_response(),
    }
}

/// Tries the database and counts the queues in every interval, until `stop` is true.
pub async fn run(app: App, tls: Option<Tls>, mut stop: watch::Receiver<bool>) {
    loop {
        check(&app).await;
        if let Some(end) = tls.as_ref().and_then(Tls::certificate_end) {
            app.metrics.health.set_certificate_end(end);
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}

/// Tries the database now. If it answers, counts the queues.
pub async fn check(app: &App) {
    if try_database(app).await {
        // If counting takes too long, the last count stays.
        let _ = timeout(LIMIT, count_queues(app)).await;
    }
}

/// Tries the database now. Returns whether it accepts writes.
pub(crate) async fn try_database(app: &App) -> bool {
    let verdict = database_verdict(app).await;
    let is_changed = app.readiness.note(verdict);
    match verdict {
        Err(reason) if is_changed => tracing::error!(reason, "not ready"),
        Ok(()) if is_changed => tracing::info!("ready"),
        _ => {}
    }
    verdict.is_ok()
}

async fn database_verdict(app: &App) -> ReadinessVerdict {
    const GONE: ReadinessVerdict = Err("the database's file was removed or replaced");
    if !app.store.is_same_file() {
        return GONE;
    }
    let now = app.clock.now_ms();
    let began = Instant::now();
    let tried = async {
        app.store.prove_writable(&app.readiness.node, now).await?;
        app.metrics.health.note_database_write(began.elapsed());
        app.charges.expiry.gate.refresh().await
    };
    match timeout(LIMIT, tried).await {
        // The file may have been replaced during the check.
        Ok(Ok(())) if !app.store.is_same_file() => GONE,
        Ok(Ok(())) if app.charges.expiry.gate.is_closed() => {
            Err("payments are closed after a restore: run cardform reconcile")
        }
        Ok(Ok(())) => Ok(()),
        Ok(Err(cause)) => {
            tracing::debug!(%cause, "the database cannot be written");
            Err("the database cannot be written")
        }
        Err(_) => {
            app.metrics.health.note_database_write(began.elapsed());
            Err("the database does not answer in time")
        }
    }
}

async fn count_queues(app: &App) {
    let depths = tokio::try_join!(
        app.store.webhooks_waiting(),
        app.store.webhooks_waiting_since(),
        app.store.open_attempts(),
        app.store.events_waiting(),
        app.store.overdue_work(app.clock.now_ms())
    );
    match depths {
        Ok((webhooks, webhooks_since, attempts, events, (operations, holds))) => {
            app.events.counts.set_waiting(events);
            let open = attempts.iter().map(|open| open.attempts).sum();
            app.metrics.set_queue_lengths([webhooks, open, operations, holds]);
            app.metrics.health.set_waiting_since(&attempts, webhooks_since);
        }
        Err(cause) => tracing::warn!(%cause, "the depths of the queues could not be counted"),
    }
}
