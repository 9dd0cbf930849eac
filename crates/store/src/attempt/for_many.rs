//! The usual begin and the usual end of attempts on PostgreSQL: one statement for all that wait at the same time, which
//! is one round trip and one commit. What is unusual changes nothing, and is left to the transactions of
//! [`super::moves`], an attempt at a time.

use std::collections::HashSet;
use std::sync::LazyLock;

use model::charge_state::{ChargeEvent, transitions};
use tokio_postgres::error::SqlState;

use super::super::attempt_count::{COUNTED, CountRow, NONE_PASSED};
use super::super::report_change::noted_table;
use super::super::sql::postgres::PostgresPool;
use super::super::sql::postgres::shared::ForMany;
use super::super::sql::{Query, SqlError, query};
use super::moves::AttemptEnd;
use super::{Attempt, AttemptOutcome, AttemptState, NOT_ENDED, NewAttempt};

/// A merchant with an endpoint gets an event of each step, which needs the charge's values.
const WITHOUT_EVENTS: &str =
    "NOT EXISTS (SELECT 1 FROM webhook_endpoints w WHERE w.partner_id = c.partner_id)";
/// The charges stay locked until the statement ends. One that somebody else holds is left out, because all others would
/// wait for it. In a subquery for each charge, because PostgreSQL would otherwise take an index of all unpaid charges
/// when its statistics know of few.
const LOCKED: &str = "FOR NO KEY UPDATE OF c SKIP LOCKED";

/// Begins attempts of charges that wait for a card and are what the shopper was shown, if no limit is reached and no
/// event is to be written. The answer is whether the attempt began; otherwise nothing of it was written.
pub(crate) enum BeginMany {}

/// If a limit is exceeded, dividing by zero undoes the statement.
static BEGIN: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH held AS (SELECT a.*, c.created_at FROM UNNEST($3::TEXT[], $4::TEXT[], $5::TEXT[], $6::TEXT[], \
         $7::BIGINT[], $8::BIGINT[], $9::TEXT[], $10::TEXT[], $11::TEXT[], $12::TEXT[], $13::TEXT[], $14::TEXT[], \
         $15::BIGINT[], $16::BIGINT[]) AS a(attempt, charge, press_key, provider_key, now, owner_until, card_brand, \
         card_last_four, item_code, item_name, amount_value, amount_currency, counted_from, most) \
         CROSS JOIN LATERAL (SELECT created_at FROM charges c WHERE c.id = a.charge AND c.status IN ({}) \
         AND c.item_code = a.item_code AND c.item_name = a.item_name AND c.amount_value = a.amount_value \
         AND c.amount_currency = a.amount_currency AND {WITHOUT_EVENTS} {LOCKED}) c \
         WHERE (SELECT COUNT(*) FROM attempts t WHERE t.charge_id = a.charge AND t.created_at >= a.counted_from) \
         < a.most), \
         moved AS (UPDATE charges c SET status = $1, decline_code = NULL, updated_at = h.now FROM held h \
         WHERE c.id = h.charge), {}, \
         began AS (INSERT INTO attempts (id, charge_id, press_key, provider_key, state, created_at, owner_until, \
         card_brand, card_last_four) SELECT attempt, charge, press_key, provider_key, $2, now, owner_until, \
         card_brand, card_last_four FROM held), \
         counts AS (SELECT v.* FROM UNNEST($17::TEXT[], $18::TEXT[], $19::BIGINT[], $20::BIGINT[], $21::BIGINT[], \
         $22::BIGINT[]) WITH ORDINALITY AS v(attempt, subject, window_start, part, window_end, most, place)), \
         {} SELECT attempt FROM held WHERE 1 / {NONE_PASSED} = 1",
        from(ChargeEvent::Pressed),
        noted_table("began-"),
        *COUNTED,
    )
});

impl ForMany for BeginMany {
    type Wish = NewAttempt;
    type Answer = bool;

    async fn run(pool: &PostgresPool, wishes: &[NewAttempt]) -> Result<Vec<bool>, SqlError> {
        // Two attempts of a charge at the same time are unusual.
        let mut charges = HashSet::new();
        let news: Vec<&NewAttempt> = wishes
            .iter()
            .filter(|new| charges.insert(new.charge_id.as_str()))
            .collect();
        let mut statement = query(BEGIN.as_str())
            .bind(to(ChargeEvent::Pressed))
            .bind(AttemptState::InFlight.as_str());
        let text = |value: fn(&NewAttempt) -> &str| news.iter().map(|new| value(new)).collect::<Vec<_>>();
        let number = |value: fn(&NewAttempt) -> i64| news.iter().map(|new| value(new)).collect::<Vec<_>>();
        statement = statement
            .bind(text(|new| &new.id))
            .bind(text(|new| &new.charge_id))
            .bind(text(|new| &new.press_key))
            .bind(text(|new| &new.provider_key))
            .bind(number(|new| new.now_ms))
            .bind(number(|new| new.owner_until))
            .bind(text(|new| &new.card.brand))
            .bind(text(|new| &new.card.last_four))
            .bind(text(|new| &new.terms.item_code))
            .bind(text(|new| &new.terms.item_name))
            .bind(text(|new| &new.terms.amount_value))
            .bind(text(|new| &new.terms.amount_currency))
            .bind(number(|new| {
                new.charge_limit.map_or(0, |limit| limit.window(new.now_ms).0)
            }))
            .bind(number(|new| {
                new.charge_limit.map_or(i64::MAX, |limit| limit.attempts.into())
            }));
        let counts = counts(&news);
        let number =
            |value: fn(&CountRow) -> i64| counts.iter().map(|(_, row)| value(row)).collect::<Vec<_>>();
        statement = statement
            .bind(counts.iter().map(|(attempt, _)| *attempt).collect::<Vec<_>>())
            .bind(
                counts
                    .iter()
                    .map(|(_, row)| row.subject.as_str())
                    .collect::<Vec<_>>(),
            )
            .bind(number(|row| row.start))
            .bind(number(|row| row.part))
            .bind(number(|row| row.end))
            .bind(number(|row| row.limit.into()));
        let began = usual(statement, pool).await?;
        Ok(wishes.iter().map(|new| began.contains(&new.id)).collect())
    }
}

/// What the attempts count towards, in an order that is the same for all statements, so that no two wait for each other.
fn counts<'a>(news: &[&'a NewAttempt]) -> Vec<(&'a str, CountRow)> {
    let Some(first) = news.first() else {
        return Vec::new();
    };
    // Whichever row of a busy subject counts them: the same one for all.
    let mut counts: Vec<_> = news
        .iter()
        .flat_map(|new| {
            let rows = CountRow::all_of(&new.counts, &first.id, new.now_ms);
            rows.into_iter().map(|row| (new.id.as_str(), row))
        })
        .collect();
    counts.sort_by(|(_, one), (_, other)| one.key().cmp(&other.key()));
    counts
}

/// The end of an attempt.
pub(crate) struct EndWish {
    attempt_id: String,
    charge_id: String,
    outcome: AttemptOutcome,
    /// Lines of steps.
    steps: String,
    now_ms: i64,
}

/// Records the outcomes of unfinished attempts, if no event is to be written. The answer is whether it is recorded;
/// otherwise nothing of it was written.
pub(crate) enum EndMany {}

/// If a charge moves and its attempt does not, dividing by zero undoes the statement.
static END: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH held AS (SELECT a.*, c.created_at FROM UNNEST($1::TEXT[], $2::TEXT[], $3::TEXT[], $4::TEXT[], \
         $5::TEXT[], $6::TEXT[], $7::TEXT[], $8::BIGINT[]) \
         AS a(attempt, charge, moved_to, new_state, new_decline_code, reference, new_steps, now) \
         CROSS JOIN LATERAL (SELECT created_at FROM charges c WHERE c.id = a.charge \
         AND (a.moved_to = '{approved}' AND c.status IN ({from_approved}) \
         OR a.moved_to = '{declined}' AND c.status IN ({from_declined})) AND {WITHOUT_EVENTS} {LOCKED}) c), \
         moved AS (UPDATE charges c SET status = h.moved_to, decline_code = h.new_decline_code, updated_at = h.now \
         FROM held h WHERE c.id = h.charge), {noted}, \
         ended AS (UPDATE attempts t SET state = h.new_state, decline_code = h.new_decline_code, \
         provider_reference = COALESCE(h.reference, t.provider_reference), finished_at = h.now, \
         steps = t.steps || h.new_steps FROM held h WHERE t.id = h.attempt AND {NOT_ENDED} RETURNING t.id) \
         SELECT attempt FROM held \
         WHERE 1 / CAST((SELECT COUNT(*) FROM ended) = (SELECT COUNT(*) FROM held) AS INT) = 1",
        approved = to(ChargeEvent::Approved),
        from_approved = from(ChargeEvent::Approved),
        declined = to(ChargeEvent::Declined),
        from_declined = from(ChargeEvent::Declined),
        noted = noted_table("ended-"),
    )
});

impl ForMany for EndMany {
    type Wish = EndWish;
    type Answer = bool;

    async fn run(pool: &PostgresPool, wishes: &[EndWish]) -> Result<Vec<bool>, SqlError> {
        let text = |value: fn(&EndWish) -> Option<&str>| wishes.iter().map(value).collect::<Vec<_>>();
        let statement = query(END.as_str())
            .bind(text(|end| Some(&end.attempt_id)))
            .bind(text(|end| Some(&end.charge_id)))
            .bind(text(|end| Some(to(end.event()))))
            .bind(text(|end| Some(end.state().as_str())))
            .bind(text(|end| end.outcome.decline_code()))
            .bind(text(EndWish::reference))
            .bind(text(|end| Some(&end.steps)))
            .bind(wishes.iter().map(|end| end.now_ms).collect::<Vec<_>>());
        let ended = usual(statement, pool).await?;
        Ok(wishes.iter().map(|end| ended.contains(&end.attempt_id)).collect())
    }
}

impl EndWish {
    pub(super) fn new(attempt: &Attempt, end: &AttemptEnd<'_>) -> Self {
        Self {
            attempt_id: attempt.id.clone(),
            charge_id: attempt.charge_id.clone(),
            outcome: end.outcome.clone(),
            steps: end.steps.to_owned(),
            now_ms: end.now_ms,
        }
    }

    fn event(&self) -> ChargeEvent {
        match self.outcome {
            AttemptOutcome::Succeeded(_) => ChargeEvent::Approved,
            AttemptOutcome::Declined(_) => ChargeEvent::Declined,
        }
    }

    fn state(&self) -> AttemptState {
        match self.outcome {
            AttemptOutcome::Succeeded(_) => AttemptState::Succeeded,
            AttemptOutcome::Declined(_) => AttemptState::Declined,
        }
    }

    fn reference(&self) -> Option<&str> {
        match &self.outcome {
            AttemptOutcome::Succeeded(reference) => Some(reference),
            AttemptOutcome::Declined(_) => None,
        }
    }
}

/// The attempts for which the statement did it. None if it undid itself, or if another transaction was in the way.
async fn usual(statement: Query<'_>, pool: &PostgresPool) -> Result<HashSet<String>, SqlError> {
    match statement.fetch_all(pool).await {
        Ok(attempts) => Ok(attempts.into_iter().collect()),
        Err(error)
            if error.has_code(&[
                SqlState::DIVISION_BY_ZERO,
                SqlState::UNIQUE_VIOLATION,
                SqlState::LOCK_NOT_AVAILABLE,
                SqlState::T_R_DEADLOCK_DETECTED,
            ]) =>
        {
            Ok(HashSet::new())
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
