//! Attempts that begin at the same time.

use std::collections::HashSet;
use std::sync::LazyLock;

use model::charge_state::ChargeEvent;

use super::super::super::attempt_count::{COUNTED, CountRow, NONE_PASSED};
use super::super::super::report_change::noted_table;
use super::super::super::sql::postgres::PostgresPool;
use super::super::super::sql::postgres::shared::ForMany;
use super::super::super::sql::{Query, SqlError, query};
use super::super::{AttemptState, NewAttempt};
use super::{BothForms, EventForm, EventsLately, from, held_charge, moved_table, to};

/// Begins attempts of charges that wait for a card and are what the shopper was shown, if no limit is reached. The
/// answer is whether the attempt began; otherwise nothing of it was written.
#[derive(Default)]
pub(crate) struct BeginMany {
    events: EventsLately,
}

static SQL: LazyLock<BothForms> = LazyLock::new(|| BothForms::of(sql));

/// If a limit is exceeded, dividing by zero undoes the statement.
fn sql(form: EventForm) -> String {
    format!(
        "WITH held AS (SELECT a.*, $1 AS moved_to, CAST(NULL AS TEXT) AS new_decline_code, c.created_at \
         FROM UNNEST($3::TEXT[], $4::TEXT[], $5::TEXT[], $6::TEXT[], \
         $7::BIGINT[], $8::BIGINT[], $9::TEXT[], $10::TEXT[], $11::TEXT[], $12::TEXT[], $13::TEXT[], $14::TEXT[], \
         $15::BIGINT[], $16::BIGINT[]) AS a(attempt, charge, press_key, provider_key, now, owner_until, new_brand, \
         new_last_four, shown_code, shown_name, shown_value, shown_currency, counted_from, most) {held} \
         WHERE (SELECT COUNT(*) FROM attempts t WHERE t.charge_id = a.charge AND t.created_at >= a.counted_from) \
         < a.most), {moved}, {noted}, \
         began AS (INSERT INTO attempts (id, charge_id, press_key, provider_key, state, created_at, owner_until, \
         card_brand, card_last_four) SELECT attempt, charge, press_key, provider_key, $2, now, owner_until, \
         new_brand, new_last_four FROM held), \
         counts AS (SELECT v.* FROM UNNEST($17::TEXT[], $18::TEXT[], $19::BIGINT[], $20::BIGINT[], $21::BIGINT[], \
         $22::BIGINT[]) WITH ORDINALITY AS v(attempt, subject, window_start, part, window_end, most, place)), \
         {counted} {result} WHERE 1 / {NONE_PASSED} = 1",
        held = held_charge(
            form,
            "$1",
            &format!(
                "c.status IN ({}) AND c.item_code = a.shown_code AND c.item_name = a.shown_name \
                 AND c.amount_value = a.shown_value AND c.amount_currency = a.shown_currency",
                from(ChargeEvent::Pressed)
            )
        ),
        moved = moved_table(form),
        noted = noted_table("began-"),
        counted = *COUNTED,
        result = form.result(),
    )
}

impl ForMany for BeginMany {
    type Wish = NewAttempt;
    type Answer = bool;

    async fn run(&self, pool: &PostgresPool, wishes: &[NewAttempt]) -> Result<Vec<bool>, SqlError> {
        // Two attempts of a charge at the same time are unusual.
        let mut charges = HashSet::new();
        let news: Vec<&NewAttempt> = wishes
            .iter()
            .filter(|new| charges.insert(new.charge_id.as_str()))
            .collect();
        let begun = self.events.move_all(pool, news, |new| &new.id, statement).await?;
        Ok(wishes.iter().map(|new| begun.contains_key(&new.id)).collect())
    }
}

fn statement<'a>(form: EventForm, news: &[&'a NewAttempt]) -> Query<'a> {
    let text = |value: fn(&NewAttempt) -> &str| news.iter().map(|new| value(new)).collect::<Vec<_>>();
    let number = |value: fn(&NewAttempt) -> i64| news.iter().map(|new| value(new)).collect::<Vec<_>>();
    let statement = query(SQL.in_form(form))
        .bind(to(ChargeEvent::Pressed))
        .bind(AttemptState::InFlight.as_str())
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
        .bind(number(|new| new.charge_attempts().0))
        .bind(number(|new| new.charge_attempts().1));
    let counts = counts(news);
    let number = |value: fn(&CountRow) -> i64| counts.iter().map(|(_, row)| value(row)).collect::<Vec<_>>();
    let (window_starts, parts) = (number(|row| row.start), number(|row| row.part));
    let (window_ends, limits) = (number(|row| row.end), number(|row| row.limit.into()));
    let (attempts, subjects): (Vec<&str>, Vec<String>) = counts
        .into_iter()
        .map(|(attempt, row)| (attempt, row.subject))
        .unzip();
    statement
        .bind(attempts)
        .bind(subjects)
        .bind(window_starts)
        .bind(parts)
        .bind(window_ends)
        .bind(limits)
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
