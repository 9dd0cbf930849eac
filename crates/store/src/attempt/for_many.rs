//! The usual begin and the usual end of attempts on PostgreSQL: one statement for all that wait at the same time. What is
//! unusual changes nothing, and is left to the transactions of [`super::moves`], an attempt at a time.
//!
//! A statement alone is one round trip and one commit. If a merchant gets an event of the move, the statement is the
//! first of a transaction, which then writes the events of all.

pub(crate) mod begin;
pub(crate) mod end;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use model::charge_state::{ChargeEvent, transitions};
use tokio_postgres::error::SqlState;

use super::super::charge::{COLUMNS, Charge, WrittenEvent};
use super::super::sql::postgres::PostgresPool;
use super::super::sql::{FromRow, Query, SqlError, SqlRow};
use super::super::webhook_endpoint::endpoints_for;
use super::super::webhook_event::{self, NewEvent};

/// The form of a statement that moves charges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventForm {
    /// It is a transaction, and leaves out charges of which an event is to be written.
    Without,
    /// It is the first of a transaction, and gives the charges, of which events are written next.
    With,
}

/// A statement in both forms.
struct BothForms {
    without: String,
    with: String,
}

impl BothForms {
    fn of(sql: fn(EventForm) -> String) -> Self {
        Self {
            without: sql(EventForm::Without),
            with: sql(EventForm::With),
        }
    }

    fn in_form(&self, form: EventForm) -> &str {
        match form {
            EventForm::Without => &self.without,
            EventForm::With => &self.with,
        }
    }
}

impl EventForm {
    /// Which columns of which table the statement gives.
    fn result(self) -> String {
        match self {
            Self::Without => "SELECT attempt FROM held".to_owned(),
            Self::With => format!("SELECT attempt, endpoints, {COLUMNS} FROM moved"),
        }
    }
}

/// Joins the attempts `a` with the charges `c` that can be moved to this status.
///
/// The charges stay locked until the transaction ends. One that somebody else holds is left out, because all others
/// would wait for it. In a subquery for each charge, because PostgreSQL would otherwise take an index of all unpaid
/// charges when its statistics know of few.
fn held_charge(form: EventForm, moved_to: &str, can_move: &str) -> String {
    let without_events = match form {
        EventForm::Without => format!("AND {} = 0", endpoints_for("c", moved_to)),
        EventForm::With => String::new(),
    };
    format!(
        "CROSS JOIN LATERAL (SELECT created_at FROM charges c WHERE c.id = a.charge AND {can_move} {without_events} \
         FOR NO KEY UPDATE OF c SKIP LOCKED) c"
    )
}

/// The table `moved`, which changes the charges of the table `held`.
fn moved_table(form: EventForm) -> String {
    let returning = match form {
        EventForm::Without => String::new(),
        EventForm::With => format!(
            " RETURNING h.attempt, {} AS endpoints, c.*",
            endpoints_for("c", "c.status")
        ),
    };
    format!(
        "moved AS (UPDATE charges c SET status = h.moved_to, decline_code = h.new_decline_code, updated_at = h.now \
         FROM held h WHERE c.id = h.charge{returning})"
    )
}

/// A charge after the statement.
struct MovedCharge {
    attempt: String,
    has_endpoint: bool,
    charge: Charge,
}

impl FromRow for MovedCharge {
    fn from_row(row: &mut SqlRow) -> Result<Self, SqlError> {
        Ok(Self {
            attempt: row.get("attempt")?,
            has_endpoint: row.get::<i64>("endpoints")? > 0,
            charge: Charge::from_row(row)?,
        })
    }
}

/// Whether the last statement wrote events: then the next one is likely to. It is the form without events that leaves
/// out what it cannot do.
#[derive(Default)]
struct EventsLately(AtomicBool);

impl EventsLately {
    /// Moves the charges of these attempts and writes the events of it. Returns the attempts for which it is done.
    async fn move_all<'a, W: Sync>(
        &self,
        pool: &PostgresPool,
        mut attempts: Vec<&'a W>,
        id: fn(&W) -> &str,
        statement: fn(EventForm, &[&'a W]) -> Query<'a>,
    ) -> Result<HashMap<String, WrittenEvent>, SqlError> {
        let mut done = HashMap::new();
        if !self.0.load(Ordering::Relaxed) {
            let moved = statement(EventForm::Without, &attempts).fetch_all(pool).await;
            let Some(moved) = unless_undone::<Vec<String>>(moved)? else {
                return Ok(done);
            };
            done.extend(moved.into_iter().map(|attempt| (attempt, WrittenEvent::No)));
            attempts.retain(|attempt| !done.contains_key(id(attempt)));
            if attempts.is_empty() {
                return Ok(done);
            }
        }
        let moved = match with_events(pool, statement(EventForm::With, &attempts)).await {
            // The others learn of the error in transactions of their own.
            Err(_) if !done.is_empty() => return Ok(done),
            moved => unless_undone(moved)?.unwrap_or_default(),
        };
        let has_written = moved.iter().any(|(_, written)| *written == WrittenEvent::Yes);
        self.0.store(has_written, Ordering::Relaxed);
        done.extend(moved);
        Ok(done)
    }
}

/// Runs the statement and writes the events, in a transaction.
async fn with_events(
    pool: &PostgresPool,
    statement: Query<'_>,
) -> Result<Vec<(String, WrittenEvent)>, SqlError> {
    let mut tx = pool.begin().await?;
    let moved: Vec<MovedCharge> = statement.fetch_all(&mut tx).await?;
    let mut events = Vec::new();
    let mut done = Vec::with_capacity(moved.len());
    for one in moved {
        let mut written = WrittenEvent::No;
        if one.has_endpoint {
            let (partner_id, now_ms) = (one.charge.partner_id.clone(), one.charge.updated_at);
            let Ok(event) = NewEvent::of(partner_id, one.charge.into(), now_ms) else {
                return Ok(Vec::new());
            };
            events.push(event);
            written = WrittenEvent::Yes;
        }
        done.push((one.attempt, written));
    }
    if !events.is_empty() {
        webhook_event::write_many(&mut tx, &events).await?;
    }
    tx.commit().await?;
    Ok(done)
}

/// What the statement gave; `None` if it undid itself, or if another transaction was in the way.
fn unless_undone<T>(ran: Result<T, SqlError>) -> Result<Option<T>, SqlError> {
    match ran {
        Ok(moved) => Ok(Some(moved)),
        Err(error)
            if error.has_code(&[
                SqlState::DIVISION_BY_ZERO,
                SqlState::UNIQUE_VIOLATION,
                SqlState::LOCK_NOT_AVAILABLE,
                SqlState::T_R_DEADLOCK_DETECTED,
            ]) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The states in which the event can happen, as a list in SQL.
fn from(event: ChargeEvent) -> String {
    let states: Vec<String> = transitions(event)
        .map(|moved| format!("'{}'", moved.from().as_str()))
        .collect();
    states.join(", ")
}

/// The state to which the event leads.
fn to(event: ChargeEvent) -> &'static str {
    transitions(event).next().map_or("", |moved| moved.to().as_str())
}

#[cfg(test)]
mod tests;
