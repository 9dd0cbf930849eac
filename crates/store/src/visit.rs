//! Visits: the furthest step of each page load. Events only add to a visit's row, so they may arrive in any order, twice,
//! and at any node.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use protocol::VisitStep;
use uuid::Uuid;

use super::report::HOUR_MS;
use super::sql::{Query, query};
use super::write::retried;
use super::{Store, StoreError};

/// How many visits one transaction writes. It is limited, because charges write to the same database and wait
/// meanwhile.
pub const VISITS_AT_ONCE: usize = 200;
/// How many rows one transaction deletes.
const DELETED_AT_ONCE: i64 = 500;
/// A visit, or a part of its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// When it first came, in unix milliseconds of this service's clock.
    pub first_at: i64,
    /// The furthest step.
    pub step: VisitStep,
    /// The page's locale.
    pub locale: LatestWord,
    /// The card's brand.
    pub brand: LatestWord,
    /// The field that the shopper was in.
    pub field: LatestWord,
    /// The error that the shopper saw.
    pub error: LatestWord,
    /// Why the card was declined.
    pub decline: LatestWord,
    /// New card or saved card.
    pub method: LatestWord,
    /// The variation of each experiment that was seen.
    pub variations: BTreeMap<String, i64>,
}

/// The latest word for a column. Words come from our own lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LatestWord {
    /// When, in milliseconds of the browser's clock; 0 if there is none.
    pub at: i64,
    /// The word; empty if there is none.
    pub word: &'static str,
}

impl LatestWord {
    /// Keeps the later one of the two; with equal times, the greater word.
    pub fn merge(&mut self, other: Self) {
        *self = (*self).max(other);
    }
}

impl Visit {
    /// A new visit at `now`, in unix milliseconds, without other data.
    pub fn new(now: i64) -> Self {
        Self {
            first_at: now,
            step: VisitStep::Viewed,
            locale: LatestWord::default(),
            brand: LatestWord::default(),
            field: LatestWord::default(),
            error: LatestWord::default(),
            decline: LatestWord::default(),
            method: LatestWord::default(),
            variations: BTreeMap::new(),
        }
    }

    /// Adds other data of the same visit.
    pub fn merge(&mut self, other: &Self) {
        self.first_at = self.first_at.min(other.first_at);
        self.step = self.step.max(other.step);
        for (own, others) in [
            (&mut self.locale, other.locale),
            (&mut self.brand, other.brand),
            (&mut self.field, other.field),
            (&mut self.error, other.error),
            (&mut self.decline, other.decline),
            (&mut self.method, other.method),
        ] {
            own.merge(others);
        }
        for (experiment, variation) in &other.variations {
            let lowest = self.variations.entry(experiment.clone()).or_insert(*variation);
            *lowest = (*lowest).min(*variation);
        }
    }
}

/// A step as the number in its column; numbers follow the order of the steps.
pub(super) fn number(step: VisitStep) -> i64 {
    match step {
        VisitStep::Viewed => 1,
        VisitStep::Started => 2,
        VisitStep::Ready => 3,
        VisitStep::Submitted => 4,
        VisitStep::Paid => 5,
    }
}

impl Store {
    /// Adds the data of these visits to what is stored. They should be in the order of their ids, so that nodes that
    /// write the same visits do not deadlock, and no more than [`VISITS_AT_ONCE`].
    pub async fn put_visits(&self, visits: &[(Uuid, Visit)]) -> Result<(), StoreError> {
        if visits.is_empty() {
            return Ok(());
        }
        let visits: Vec<(String, &Visit)> =
            visits.iter().map(|(id, visit)| (id.to_string(), visit)).collect();
        let mut queries: Vec<Query<'_>> = visits.iter().map(|(id, visit)| put_visit(id, visit)).collect();
        for (id, visit) in &visits {
            for (experiment, variation) in &visit.variations {
                queries.push(query(PUT_VARIATION).bind(id).bind(experiment).bind(*variation));
            }
        }
        // Visits whose variations are stored already may send no variation now.
        queries.extend(visits.iter().map(|(id, _)| query(COPY_VISIT).bind(id)));
        retried(|| async {
            let mut tx = self.write().await?;
            tx.execute_all(&queries).await?;
            tx.commit().await
        })
        .await
    }

    /// Deletes visits that first came before `before`, in unix milliseconds. Returns how many.
    pub async fn delete_visits(&self, before: i64) -> Result<u64, StoreError> {
        let deleted = self.delete_visits_until_none(before).await?;
        self.delete_visit_tallies(before).await?;
        Ok(deleted)
    }

    /// Deletes the visits before the newest tallied hours that together have more than `max`. Returns how many. Tallies stay.
    pub async fn delete_surplus_visits(&self, max: i64) -> Result<u64, StoreError> {
        let hours: Vec<(i64, i64)> = query(
            "SELECT hour, CAST(SUM(count) AS BIGINT) FROM report_tally WHERE kind = 'visits' AND topic = 'all' \
             GROUP BY hour ORDER BY hour DESC",
        )
        .fetch_all(&self.readers)
        .await?;
        let mut visits = 0;
        for (hour, count) in hours {
            visits += count;
            if visits > max {
                self.close_visit_hours(hour + HOUR_MS).await?;
                return self.delete_visits_until_none(hour + HOUR_MS).await;
            }
        }
        Ok(0)
    }

    async fn delete_visits_until_none(&self, before: i64) -> Result<u64, StoreError> {
        let mut deleted = 0;
        loop {
            match retried(|| self.delete_some_visits(before)).await? {
                0 => return Ok(deleted),
                visits => deleted += visits,
            }
        }
    }

    async fn delete_some_visits(&self, before: i64) -> Result<u64, StoreError> {
        const OLDEST: &str = "SELECT id FROM visits WHERE first_at < $1 ORDER BY first_at, id LIMIT $2";
        let mut tx = self.write().await?;
        let variations = format!("DELETE FROM visit_experiments WHERE visit_id IN ({OLDEST})");
        query(variations)
            .bind(before)
            .bind(DELETED_AT_ONCE)
            .execute(&mut tx)
            .await?;
        let visits = format!("DELETE FROM visits WHERE id IN ({OLDEST})");
        let gone = query(visits)
            .bind(before)
            .bind(DELETED_AT_ONCE)
            .execute(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(gone)
    }
}

/// Adds a visit to what is stored.
static PUT_VISIT: LazyLock<String> = LazyLock::new(|| {
    // If two words have the same time, the databases may order them differently from us; either one is correct.
    let later = |word: &str| {
        format!(
            "{word} = CASE WHEN (excluded.{word}_at, excluded.{word}) > (visits.{word}_at, visits.{word}) \
             THEN excluded.{word} ELSE visits.{word} END, \
             {word}_at = CASE WHEN excluded.{word}_at > visits.{word}_at \
             THEN excluded.{word}_at ELSE visits.{word}_at END"
        )
    };
    let words = ["locale", "brand", "field", "error", "decline", "method"].map(later);
    format!(
        "INSERT INTO visits (id, first_at, step, locale, locale_at, brand, brand_at, field, field_at, error, error_at, \
         decline, decline_at, method, method_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (id) DO UPDATE SET \
         first_at = CASE WHEN excluded.first_at < visits.first_at THEN excluded.first_at ELSE visits.first_at END, \
         step = CASE WHEN excluded.step > visits.step THEN excluded.step ELSE visits.step END, {}",
        words.join(", ")
    )
});

const PUT_VARIATION: &str = "INSERT INTO visit_experiments (visit_id, experiment_id, variation_id, step, locale, first_at) \
     VALUES ($1, $2, $3, 0, '', 0) \
     ON CONFLICT (visit_id, experiment_id) DO UPDATE SET variation_id = excluded.variation_id \
     WHERE excluded.variation_id < visit_experiments.variation_id";

/// Updates the columns of a visit's variations that are copied from the visit.
const COPY_VISIT: &str = "UPDATE visit_experiments SET step = v.step, locale = v.locale, first_at = v.first_at FROM visits v \
     WHERE v.id = visit_experiments.visit_id AND visit_experiments.visit_id = $1 \
     AND (visit_experiments.step <> v.step OR visit_experiments.locale <> v.locale \
     OR visit_experiments.first_at <> v.first_at)";

fn put_visit<'a>(id: &'a str, visit: &'a Visit) -> Query<'a> {
    let words = [
        visit.locale,
        visit.brand,
        visit.field,
        visit.error,
        visit.decline,
        visit.method,
    ];
    let put = query(PUT_VISIT.as_str())
        .bind(id)
        .bind(visit.first_at)
        .bind(number(visit.step));
    words
        .into_iter()
        .fold(put, |put, latest| put.bind(latest.word).bind(latest.at))
}
