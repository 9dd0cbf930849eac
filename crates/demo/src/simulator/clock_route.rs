//! `POST /clock {"advance": "P7D"}` moves the time ahead, so that a test of a month takes a minute
//! (docs/testing.md#a-month-in-a-minute).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use jiff::{Span, SpanRelativeTo, Unit};
use protocol::clock::{Clock, rfc3339};
use serde::{Deserialize, Serialize};
use web::{ApiError, JsonBody};

use super::journal::replace;

/// The file in the data directory with how far the clock is ahead, in milliseconds. Without it, what was recorded after a
/// move would be in the future after a restart.
const CLOCK_FILE: &str = "clock-ahead-ms";
/// How far one request moves the time at most: about a year.
const DAYS_MAX: f64 = 400.0;
const DAY_MS: f64 = 24.0 * 60.0 * 60.0 * 1_000.0;

/// Moves a clock, which stays ahead after a restart.
#[derive(Debug)]
pub struct ClockMover {
    clock: Clock,
    /// Locked while it is written.
    file: Mutex<Option<PathBuf>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    /// ISO 8601: `P7D`, `PT1H30M`. A day has 24 hours.
    advance: String,
}

/// The time after a move.
#[derive(Serialize)]
struct Moved {
    /// RFC 3339.
    now: String,
}

/// The clock of a data directory, as far ahead as it was moved.
pub fn clock_of(data: Option<&Path>) -> Result<Clock, io::Error> {
    let Some(data) = data else {
        return Ok(Clock::ahead(0));
    };
    match std::fs::read_to_string(data.join(CLOCK_FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Clock::ahead(0)),
        text => Ok(Clock::ahead(text?.trim().parse().map_err(io::Error::other)?)),
    }
}

impl ClockMover {
    /// Moves this clock, and notes it in the data directory if there is one.
    pub fn new(clock: Clock, data: Option<&Path>) -> Self {
        Self {
            clock,
            file: Mutex::new(data.map(|data| data.join(CLOCK_FILE))),
        }
    }

    fn advance(&self, by_ms: i64) -> Result<(), io::Error> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &*file {
            replace(file, &(self.clock.ahead_ms() + by_ms).to_string())?;
        }
        self.clock.advance_ms(by_ms);
        Ok(())
    }
}

/// The route that moves this clock.
pub fn clock_route<S: Clone + Send + Sync + 'static>(mover: Arc<ClockMover>) -> Router<S> {
    Router::new().route("/clock", post(advance)).with_state(mover)
}

async fn advance(
    State(mover): State<Arc<ClockMover>>,
    JsonBody(body): JsonBody<Move>,
) -> Result<Json<Moved>, ApiError> {
    let by_ms = milliseconds(&body.advance).ok_or_else(|| {
        ApiError::invalid(
            "advance",
            "This field must be an ISO 8601 duration of up to 400 days, such as P7D or PT90M.",
        )
    })?;
    mover.advance(by_ms).map_err(|cause| ApiError::internal(&cause))?;
    let now = rfc3339(mover.clock.now_ms());
    tracing::info!(now, "the clock was moved");
    Ok(Json(Moved { now }))
}

/// The duration in milliseconds, if it is one and the time only moves ahead.
fn milliseconds(text: &str) -> Option<i64> {
    let span: Span = text.parse().ok()?;
    let days_of_24_hours = SpanRelativeTo::days_are_24_hours();
    let ms = span.total((Unit::Millisecond, days_of_24_hours)).ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "it is between 0 and 400 days")]
    (0.0..=DAYS_MAX * DAY_MS).contains(&ms).then_some(ms as i64)
}

#[cfg(test)]
mod tests;
