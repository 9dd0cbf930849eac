//! Attempts that end at the same time.

use std::sync::LazyLock;

use model::charge_state::ChargeEvent;

use super::super::super::charge::WrittenEvent;
use super::super::super::report_change::noted_table;
use super::super::super::sql::postgres::PostgresPool;
use super::super::super::sql::postgres::shared::ForMany;
use super::super::super::sql::{Query, SqlError, query};
use super::super::moves::AttemptEnd;
use super::super::{Attempt, AttemptOutcome, AttemptState, FinishOutcome, NOT_ENDED};
use super::{BothForms, EventForm, EventsLately, from, held_charge, moved_table, to};

/// The end of an attempt.
pub(crate) struct EndWish {
    attempt_id: String,
    charge_id: String,
    outcome: AttemptOutcome,
    /// Lines of steps.
    steps: String,
    now_ms: i64,
}

/// Records the outcomes of unfinished attempts. The answer is how it was recorded; without one, nothing of it was
/// written.
#[derive(Default)]
pub(crate) struct EndMany {
    events: EventsLately,
}

static SQL: LazyLock<BothForms> = LazyLock::new(|| BothForms::of(sql));

/// If a charge moves and its attempt does not, dividing by zero undoes the statement.
fn sql(form: EventForm) -> String {
    let (approved, declined) = (ChargeEvent::Approved, ChargeEvent::Declined);
    let can_move = format!(
        "(a.moved_to = '{}' AND c.status IN ({}) OR a.moved_to = '{}' AND c.status IN ({}))",
        to(approved),
        from(approved),
        to(declined),
        from(declined),
    );
    format!(
        "WITH held AS (SELECT a.*, c.created_at FROM UNNEST($1::TEXT[], $2::TEXT[], $3::TEXT[], $4::TEXT[], \
         $5::TEXT[], $6::TEXT[], $7::TEXT[], $8::BIGINT[]) \
         AS a(attempt, charge, moved_to, new_state, new_decline_code, reference, new_steps, now) {held}), \
         {moved}, {noted}, \
         ended AS (UPDATE attempts t SET state = h.new_state, decline_code = h.new_decline_code, \
         provider_reference = COALESCE(h.reference, t.provider_reference), finished_at = h.now, \
         steps = t.steps || h.new_steps FROM held h WHERE t.id = h.attempt AND {NOT_ENDED} RETURNING t.id) \
         {result} WHERE 1 / CAST((SELECT COUNT(*) FROM ended) = (SELECT COUNT(*) FROM held) AS INT) = 1",
        held = held_charge(form, "a.moved_to", &can_move),
        moved = moved_table(form),
        noted = noted_table("ended-"),
        result = form.result(),
    )
}

impl ForMany for EndMany {
    type Wish = EndWish;
    type Answer = Option<FinishOutcome>;

    async fn run(
        &self,
        pool: &PostgresPool,
        wishes: &[EndWish],
    ) -> Result<Vec<Option<FinishOutcome>>, SqlError> {
        let ends = wishes.iter().collect();
        let ended = self
            .events
            .move_all(pool, ends, |end| &end.attempt_id, statement)
            .await?;
        let recorded = |end: &EndWish| {
            Some(match ended.get(&end.attempt_id)? {
                WrittenEvent::Yes => FinishOutcome::Recorded,
                WrittenEvent::No => FinishOutcome::RecordedUntold,
            })
        };
        Ok(wishes.iter().map(recorded).collect())
    }
}

fn statement<'a>(form: EventForm, ends: &[&'a EndWish]) -> Query<'a> {
    let text = |value: fn(&EndWish) -> Option<&str>| ends.iter().map(|end| value(end)).collect::<Vec<_>>();
    query(SQL.in_form(form))
        .bind(text(|end| Some(&end.attempt_id)))
        .bind(text(|end| Some(&end.charge_id)))
        .bind(text(|end| Some(to(end.event()))))
        .bind(text(|end| Some(end.state().as_str())))
        .bind(text(|end| end.outcome.decline_code()))
        .bind(text(EndWish::reference))
        .bind(text(|end| Some(&end.steps)))
        .bind(ends.iter().map(|end| end.now_ms).collect::<Vec<_>>())
}

impl EndWish {
    pub(in super::super) fn new(attempt: &Attempt, end: &AttemptEnd<'_>) -> Self {
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
