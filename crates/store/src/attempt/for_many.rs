//! The usual begin and the usual end of an attempt on PostgreSQL, each as one statement: one round trip, after which
//! the statement's rows are not locked any more. What is unusual changes nothing, and is left to the transactions of
//! [`super::moves`].

use model::charge_state::{ChargeEvent, transitions};
use tokio_postgres::error::SqlState;

use super::super::StoreError;
use super::super::attempt_count::CountRows;
use super::super::report_change::noted_table;
use super::super::sql::postgres::PostgresPool;
use super::super::sql::{Query, SqlError, query};
use super::moves::{AttemptEnd, started};
use super::{Attempt, AttemptOutcome, AttemptState, NewAttempt, UNDER_WAY};

/// A merchant with an endpoint gets an event of each step, which needs the charge's values.
const WITHOUT_EVENTS: &str =
    "NOT EXISTS (SELECT 1 FROM webhook_endpoints w WHERE w.partner_id = charges.partner_id)";

/// Begins the attempt if the charge waits for a card, no limit is reached, and no event is to be written. `None`
/// otherwise; then nothing was written.
pub(super) async fn begin(pool: &PostgresPool, new: &NewAttempt) -> Result<Option<Attempt>, StoreError> {
    let counts = CountRows::of(&new.counts, &new.id, new.now_ms);
    let (counted, limits) = counts.as_tables(15);
    let sql = format!(
        "WITH moved AS (UPDATE charges SET status = $1, decline_code = NULL, updated_at = $2 \
         WHERE id = $3 AND status IN ({}) AND item_code = $11 AND item_name = $12 AND amount_value = $13 \
         AND amount_currency = $14 AND {WITHOUT_EVENTS} RETURNING id, created_at), {}, \
         began AS (INSERT INTO attempts (id, charge_id, press_key, provider_key, state, created_at, owner_until, \
         card_brand, card_last_four) SELECT $4, id, $5, $6, $7, $2, $8, $9, $10 FROM moved RETURNING id){counted} \
         SELECT {limits} FROM began",
        from(ChargeEvent::Pressed),
        noted_table("began-", 4, 2)
    );
    let statement = query(sql)
        .bind(to(ChargeEvent::Pressed))
        .bind(new.now_ms)
        .bind(&new.charge_id)
        .bind(&new.id)
        .bind(&new.press_key)
        .bind(&new.provider_key)
        .bind(AttemptState::InFlight.as_str())
        .bind(new.owner_until)
        .bind(&new.card.brand)
        .bind(&new.card.last_four)
        .bind(&new.terms.item_code)
        .bind(&new.terms.item_name)
        .bind(&new.terms.amount_value)
        .bind(&new.terms.amount_currency);
    Ok(usual(counts.bind_to(statement), pool)
        .await?
        .then(|| started(new)))
}

/// Records the outcome of an unfinished attempt, if no event is to be written. False otherwise; then nothing was
/// written.
pub(super) async fn finish(
    pool: &PostgresPool,
    attempt: &Attempt,
    end: &AttemptEnd<'_>,
) -> Result<bool, StoreError> {
    let (event, state, reference) = match end.outcome {
        AttemptOutcome::Succeeded(reference) => {
            (ChargeEvent::Approved, AttemptState::Succeeded, Some(reference))
        }
        AttemptOutcome::Declined(_) => (ChargeEvent::Declined, AttemptState::Declined, None),
    };
    // If the charge moves and the attempt does not, dividing by zero undoes the statement.
    let sql = format!(
        "WITH moved AS (UPDATE charges SET status = $1, decline_code = $2, updated_at = $3 \
         WHERE id = $4 AND status IN ({}) AND {WITHOUT_EVENTS} RETURNING id, created_at), {}, \
         ended AS (UPDATE attempts SET state = $5, decline_code = $2, \
         provider_reference = COALESCE($6, provider_reference), finished_at = $3, steps = steps || $8 \
         WHERE id = $7 AND {UNDER_WAY} AND EXISTS (SELECT 1 FROM moved) RETURNING id) \
         SELECT CAST(1 / (SELECT COUNT(*) FROM ended) AS BIGINT) FROM moved",
        from(event),
        noted_table("ended-", 7, 3)
    );
    let statement = query(sql)
        .bind(to(event))
        .bind(end.outcome.decline_code())
        .bind(end.now_ms)
        .bind(&attempt.charge_id)
        .bind(state.as_str())
        .bind(reference)
        .bind(&attempt.id)
        .bind(end.steps);
    usual(statement, pool).await
}

/// Whether the statement gave a row. A key that exists already, and a division by zero, by which a statement undoes
/// itself, mean that the case is not the usual one.
async fn usual(statement: Query<'_>, pool: &PostgresPool) -> Result<bool, StoreError> {
    match statement.fetch_optional::<i64>(pool).await {
        Ok(row) => Ok(row.is_some()),
        Err(SqlError::Postgres(error))
            if [SqlState::UNIQUE_VIOLATION, SqlState::DIVISION_BY_ZERO]
                .iter()
                .any(|state| error.code() == Some(state)) =>
        {
            Ok(false)
        }
        Err(error) => Err(error.into()),
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
