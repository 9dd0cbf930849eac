//! Visits: how far each page load came. Events only add to a visit's row, so they may arrive in any order, twice, and
//! at any node.

use std::collections::{BTreeMap, BTreeSet};

use protocol::VisitStep;
use uuid::Uuid;

use super::sql::query;
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// How many visits one transaction writes. It is limited, because charges write to the same database and wait
/// meanwhile.
pub const VISITS_AT_ONCE: usize = 200;
/// How many rows one transaction deletes.
const DELETED_AT_ONCE: i64 = 500;
/// How many values a visit has in the statement.
const PARAMETERS_PER_VISIT: usize = 15;
/// How many values a variation has in the statement.
const PARAMETERS_PER_VARIATION: usize = 3;

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
        retried(|| async {
            let mut tx = self.write().await?;
            put_rows(&mut tx, visits).await?;
            put_variations(&mut tx, visits).await?;
            tx.commit().await
        })
        .await
    }

    /// The experiments that visits have seen.
    pub async fn experiments_told(&self) -> Result<BTreeSet<String>, StoreError> {
        let ids: Vec<String> = query("SELECT id FROM experiments_told")
            .fetch_all(&self.readers)
            .await?;
        Ok(ids.into_iter().collect())
    }

    /// Deletes visits that first came before `before`, in unix milliseconds. Returns how many.
    pub async fn delete_visits(&self, before: i64) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            let visits = retried(|| self.delete_some_visits(before)).await?;
            forgotten += visits;
            if visits == 0 {
                break;
            }
        }
        self.delete_visit_tallies(before).await?;
        query(
            "DELETE FROM experiments_told WHERE NOT EXISTS \
             (SELECT 1 FROM visit_experiments v WHERE v.experiment_id = experiments_told.id)",
        )
        .write(&self.writer)
        .await?;
        Ok(forgotten)
    }

    async fn delete_some_visits(&self, before: i64) -> Result<u64, StoreError> {
        const OLDEST: &str = "SELECT id FROM visits WHERE first_at < $1 ORDER BY first_at, id LIMIT $2";
        let mut tx: Tx = self.write().await?;
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

async fn put_rows(connection: &mut Tx, visits: &[(Uuid, Visit)]) -> Result<(), StoreError> {
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
    let sql = format!(
        "INSERT INTO visits (id, first_at, step, locale, locale_at, brand, brand_at, field, field_at, error, error_at, \
         decline, decline_at, method, method_at) VALUES {} ON CONFLICT (id) DO UPDATE SET \
         first_at = CASE WHEN excluded.first_at < visits.first_at THEN excluded.first_at ELSE visits.first_at END, \
         step = CASE WHEN excluded.step > visits.step THEN excluded.step ELSE visits.step END, {}",
        rows(visits.len(), PARAMETERS_PER_VISIT, ""),
        words.join(", ")
    );
    let mut query = query(sql);
    for (id, visit) in visits {
        query = query
            .bind(id.to_string())
            .bind(visit.first_at)
            .bind(number(visit.step));
        for latest in [
            visit.locale,
            visit.brand,
            visit.field,
            visit.error,
            visit.decline,
            visit.method,
        ] {
            query = query.bind(latest.word).bind(latest.at);
        }
    }
    query.execute(connection).await?;
    Ok(())
}

/// Writes the variations, and updates the copied columns of visits whose variations are stored already.
async fn put_variations(connection: &mut Tx, visits: &[(Uuid, Visit)]) -> Result<(), StoreError> {
    let told: Vec<(&Uuid, &String, &i64)> = visits
        .iter()
        .flat_map(|(id, visit)| {
            let variations = visit.variations.iter();
            variations.map(move |(experiment, variation)| (id, experiment, variation))
        })
        .collect();
    let experiments: BTreeSet<&String> = told.iter().map(|(_, experiment, _)| *experiment).collect();
    if !experiments.is_empty() {
        let sql = format!(
            "INSERT INTO experiments_told (id) VALUES {} ON CONFLICT (id) DO NOTHING",
            rows(experiments.len(), 1, "")
        );
        let mut query = query(sql);
        for experiment in experiments {
            query = query.bind(experiment);
        }
        query.execute(&mut *connection).await?;
    }
    // A visit may have many experiments, so the rows are split to stay below the databases' limit of values.
    for told in told.chunks(VISITS_AT_ONCE) {
        let sql = format!(
            "INSERT INTO visit_experiments (visit_id, experiment_id, variation_id, step, locale, first_at) VALUES {} \
             ON CONFLICT (visit_id, experiment_id) DO UPDATE SET variation_id = excluded.variation_id \
             WHERE excluded.variation_id < visit_experiments.variation_id",
            rows(told.len(), PARAMETERS_PER_VARIATION, ", 0, '', 0")
        );
        let mut query = query(sql);
        for (id, experiment, variation) in told {
            query = query.bind(id.to_string()).bind(*experiment).bind(**variation);
        }
        query.execute(&mut *connection).await?;
    }
    let ids: Vec<String> = (1..=visits.len()).map(|place| format!("${place}")).collect();
    let sql = format!(
        "UPDATE visit_experiments SET step = v.step, locale = v.locale, first_at = v.first_at FROM visits v \
         WHERE v.id = visit_experiments.visit_id AND visit_experiments.visit_id IN ({}) \
         AND (visit_experiments.step <> v.step OR visit_experiments.locale <> v.locale \
         OR visit_experiments.first_at <> v.first_at)",
        ids.join(", ")
    );
    let mut query = query(sql);
    for (id, _) in visits {
        query = query.bind(id.to_string());
    }
    query.execute(connection).await?;
    Ok(())
}

/// `($1, $2), ($3, $4)`: the placeholders of several rows, with `rest` at the end of each row.
fn rows(count: usize, values: usize, rest: &str) -> String {
    let row = |row: usize| {
        let places: Vec<String> = (1..=values)
            .map(|place| format!("${}", row * values + place))
            .collect();
        format!("({}{rest})", places.join(", "))
    };
    (0..count).map(row).collect::<Vec<_>>().join(", ")
}
