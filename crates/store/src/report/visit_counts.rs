//! Visits by what is known of them, for the operator's report.

use std::collections::BTreeMap;

use wire::VisitStep;

use super::super::report_change::CountedKind;
use super::super::sql::{query, read_from_row};
use super::super::visit::step;
use super::super::{Store, StoreError};
use super::counted_time::{CountedSpans, Cover};
use super::{ReportRange, bind_spans, spans_table};

/// A range with more visits than this is counted with the index that covers all columns; one with fewer is found by
/// time and sorted.
const SORTED_MAX: i64 = 50_000;
/// A range that is longer than this and not counted, in milliseconds, has too many visits to sort what each one saw.
const LONG_RANGE_MS: i64 = 3 * 3_600_000;

/// What is known of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum VisitTopic {
    /// Only that it was there; its word is empty.
    All,
    /// The page's locale.
    Locale,
    /// The last field.
    Field,
    /// The last error.
    Error,
    /// The last decline.
    Decline,
    /// The last brand.
    Brand,
    /// New card or saved card.
    Method,
}

impl VisitTopic {
    pub(super) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How many visits have which word, and which furthest step.
pub type VisitWords = BTreeMap<(VisitTopic, String, VisitStep), i64>;

/// Visits that saw the same variation and came equally far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariationVisits {
    /// The experiment.
    pub experiment_id: String,
    /// The variation's index.
    pub variation_id: i64,
    /// The furthest step.
    pub step: VisitStep,
    /// How many.
    pub visits: i64,
}

struct VisitGroupRow {
    step: i64,
    locale: String,
    field: String,
    error: String,
    decline: String,
    brand: String,
    method: String,
    visits: i64,
}

read_from_row!(VisitGroupRow {
    step,
    locale,
    field,
    error,
    decline,
    brand,
    method,
    visits,
});

struct VariationRow {
    experiment_id: String,
    variation_id: i64,
    step: i64,
    visits: i64,
}

read_from_row!(VariationRow {
    experiment_id,
    variation_id,
    step,
    visits,
});

struct CountedWordRow {
    topic: String,
    name: String,
    step: i64,
    visits: i64,
}

read_from_row!(CountedWordRow {
    topic,
    name,
    step,
    visits,
});

impl Store {
    /// The range's visits by what is known of them.
    pub async fn visit_words(&self, range: ReportRange<'_>) -> Result<VisitWords, StoreError> {
        let cover = self.cover_of_visits(range).await?;
        let mut words = VisitWords::new();
        for (from, to) in &cover.uncounted {
            let part = ReportRange {
                from: *from,
                to: *to,
                ..range
            };
            add(&mut words, self.uncounted_visits(part).await?);
        }
        if !cover.counted.is_empty() {
            add(
                &mut words,
                self.counted_visits(&cover.counted, "c.topic <> 'experiment'")
                    .await?,
            );
        }
        Ok(words)
    }

    /// How many visits of the range came as far as each step and no further.
    pub async fn visits_by_step(&self, range: ReportRange<'_>) -> Result<Vec<(VisitStep, i64)>, StoreError> {
        let cover = self.cover_of_visits(range).await?;
        let of_locale = range.locale.map_or("", |_| "AND locale = $3");
        let sql = format!(
            "SELECT step, COUNT(*) AS visits FROM visits WHERE first_at >= $1 AND first_at < $2 {of_locale} \
             GROUP BY step"
        );
        let mut steps = Vec::new();
        for (from, to) in &cover.uncounted {
            let mut query = query(sql.clone()).bind(*from).bind(*to);
            if let Some(locale) = range.locale {
                query = query.bind(locale);
            }
            let rows: Vec<(i64, i64)> = query.fetch_all(&self.readers).await?;
            for (reached, visits) in rows {
                steps.push((step(reached)?, visits));
            }
        }
        if !cover.counted.is_empty() {
            let words = self.counted_visits(&cover.counted, "c.topic = 'all'").await?;
            steps.extend(words.into_iter().map(|((_, _, step), visits)| (step, visits)));
        }
        Ok(steps)
    }

    /// The range's visits by variation, of one experiment or of all, and by furthest step.
    pub async fn visits_of_variations(
        &self,
        range: ReportRange<'_>,
        experiment: Option<&str>,
    ) -> Result<Vec<VariationVisits>, StoreError> {
        let cover = self.cover_of_visits(range).await?;
        let mut seen = Vec::new();
        for (from, to) in &cover.uncounted {
            let part = ReportRange {
                from: *from,
                to: *to,
                ..range
            };
            seen.extend(self.uncounted_variations(part, experiment).await?);
        }
        if !cover.counted.is_empty() {
            let sql = format!(
                "WITH {} SELECT c.name AS experiment_id, c.variation AS variation_id, c.step AS step, \
                 CAST(SUM(c.counted) AS BIGINT) AS visits FROM {COUNTED_VISITS} AND c.topic = 'experiment' {} \
                 GROUP BY c.name, c.variation, c.step",
                spans_table(&cover.counted, 1),
                experiment.map_or(String::new(), |_| format!(
                    "AND c.name = ${}",
                    1 + 3 * cover.counted.len()
                ))
            );
            let mut query = bind_spans(query(sql), &cover.counted);
            if let Some(experiment) = experiment {
                query = query.bind(experiment);
            }
            let rows: Vec<VariationRow> = query.fetch_all(&self.readers).await?;
            for row in rows {
                seen.push(VariationVisits::try_from(row)?);
            }
        }
        Ok(seen)
    }

    /// Only visits of all locales are counted before.
    async fn cover_of_visits(&self, range: ReportRange<'_>) -> Result<Cover, StoreError> {
        let mut cover = Cover::default();
        if range.locale.is_some() {
            cover.uncounted.push((range.from, range.to));
        } else {
            let counted = self
                .counted_time(CountedKind::Visits, range.from, range.to)
                .await?;
            counted.cover(range.from, range.to, &mut cover);
        }
        Ok(cover)
    }

    async fn counted_visits(&self, spans: &[CountedSpans], which: &str) -> Result<VisitWords, StoreError> {
        let sql = format!(
            "WITH {} SELECT c.topic AS topic, c.name AS name, c.step AS step, \
             CAST(SUM(c.counted) AS BIGINT) AS visits FROM {COUNTED_VISITS} AND {which} \
             GROUP BY c.topic, c.name, c.step",
            spans_table(spans, 1)
        );
        let rows: Vec<CountedWordRow> = bind_spans(query(sql), spans).fetch_all(&self.readers).await?;
        rows.into_iter()
            .map(|row| {
                let topic = row
                    .topic
                    .parse()
                    .map_err(|_| StoreError::Unusable("topic of a visit"))?;
                Ok(((topic, row.name, step(row.step)?), row.visits))
            })
            .collect()
    }

    /// The range's visits, from the visits themselves.
    pub(super) async fn uncounted_visits(&self, range: ReportRange<'_>) -> Result<VisitWords, StoreError> {
        let within = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM visits WHERE first_at >= $1 AND first_at < $2 \
             LIMIT $3) AS first_visits";
        let visits: i64 = query(within)
            .bind(range.from)
            .bind(range.to)
            .bind(SORTED_MAX + 1)
            .fetch_one(&self.readers)
            .await?;
        // A plus sign before the column keeps the database from using the index by time.
        let sign = if visits > SORTED_MAX { "+" } else { "" };
        let of_locale = range.locale.map_or("", |_| "AND locale = $3");
        let sql = format!(
            "SELECT step, locale, field, error, decline, brand, method, COUNT(*) AS visits FROM visits \
             WHERE {sign}first_at >= $1 AND {sign}first_at < $2 {of_locale} \
             GROUP BY locale, step, field, error, decline, brand, method"
        );
        let mut query = query(sql).bind(range.from).bind(range.to);
        if let Some(locale) = range.locale {
            query = query.bind(locale);
        }
        let rows: Vec<VisitGroupRow> = query.fetch_all(&self.readers).await?;
        let mut words = VisitWords::new();
        for row in rows {
            let reached = step(row.step)?;
            for (topic, word) in [
                (VisitTopic::All, String::new()),
                (VisitTopic::Locale, row.locale),
                (VisitTopic::Field, row.field),
                (VisitTopic::Error, row.error),
                (VisitTopic::Decline, row.decline),
                (VisitTopic::Brand, row.brand),
                (VisitTopic::Method, row.method),
            ] {
                *words.entry((topic, word, reached)).or_default() += row.visits;
            }
        }
        Ok(words)
    }

    pub(super) async fn uncounted_variations(
        &self,
        range: ReportRange<'_>,
        experiment: Option<&str>,
    ) -> Result<Vec<VariationVisits>, StoreError> {
        let sql = variations_sql(range, experiment.is_some());
        let mut query = query(sql).bind(range.from).bind(range.to);
        for text in [range.locale, experiment].into_iter().flatten() {
            query = query.bind(text);
        }
        let rows: Vec<VariationRow> = query.fetch_all(&self.readers).await?;
        rows.into_iter().map(VariationVisits::try_from).collect()
    }
}

/// Counts the variations that the visits of the range saw. A long range is read in the order of what is counted, a short
/// one by time; an expression around a column keeps the database from the other index.
fn variations_sql(range: ReportRange<'_>, has_experiment: bool) -> String {
    let is_long = range.locale.is_some() || range.to - range.from > LONG_RANGE_MS;
    let (sign, id) = if is_long {
        ("+", "e.experiment_id")
    } else {
        ("", "(e.experiment_id || '')")
    };
    let of_locale = range.locale.map_or("", |_| "AND e.locale = $3");
    let of_experiment = if has_experiment {
        let place = if range.locale.is_some() { 4 } else { 3 };
        format!("AND {id} = ${place}")
    } else {
        String::new()
    };
    format!(
        "SELECT e.experiment_id AS experiment_id, e.variation_id AS variation_id, e.step AS step, \
         COUNT(*) AS visits FROM visit_experiments e \
         WHERE {sign}e.first_at >= $1 AND {sign}e.first_at < $2 {of_locale} {of_experiment} \
         GROUP BY e.experiment_id, e.variation_id, e.locale, e.step"
    )
}

impl TryFrom<VariationRow> for VariationVisits {
    type Error = StoreError;

    fn try_from(row: VariationRow) -> Result<Self, StoreError> {
        Ok(Self {
            experiment_id: row.experiment_id,
            variation_id: row.variation_id,
            step: step(row.step)?,
            visits: row.visits,
        })
    }
}

/// The counts of each row of the table `spans`, which is read first.
const COUNTED_VISITS: &str = "spans s CROSS JOIN report_counts c WHERE c.kind = 'visits' AND c.span = s.span \
     AND c.at >= s.begins AND c.at < s.ends";

fn add(words: &mut VisitWords, others: VisitWords) {
    for (word, visits) in others {
        *words.entry(word).or_default() += visits;
    }
}

#[cfg(test)]
mod tests {
    use trial::postgres::{Durability, Postgres};

    use super::super::super::Database;
    use super::super::super::sql::{FromRow, SqlError, SqlRow};
    use super::*;

    /// A step of SQLite's plan.
    struct SqliteStep(String);

    impl FromRow for SqliteStep {
        fn from_row(row: &mut SqlRow) -> Result<Self, SqlError> {
            row.get("detail").map(Self)
        }
    }

    const SHORT: ReportRange<'static> = ReportRange {
        from: 0,
        to: 1_800_000,
        locale: None,
    };

    #[tokio::test]
    async fn sqlite_reads_variations_of_a_short_range_by_time() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("cardform.db");
        let store = Store::connect(&Database::Sqlite(file)).await.unwrap();
        let explained = format!("EXPLAIN QUERY PLAN {}", variations_sql(SHORT, true));
        let steps: Vec<SqliteStep> = query(explained)
            .bind(SHORT.from)
            .bind(SHORT.to)
            .bind("exp_1")
            .fetch_all(&store.readers)
            .await
            .unwrap();
        assert!(steps[0].0.contains("visit_experiments_by_time"), "{}", steps[0].0);
    }

    #[tokio::test]
    async fn postgres_reads_variations_of_a_short_range_by_time() {
        let server = Postgres::start(Durability::None).unwrap();
        let url = server.new_database().unwrap().parse().unwrap();
        let store = Store::connect(&Database::Postgres(url)).await.unwrap();
        for statement in [
            "INSERT INTO visit_experiments (visit_id, experiment_id, variation_id, step, locale, first_at) \
             SELECT 'visit_' || n, 'exp_1', n % 2, 1, 'en', CAST(n AS BIGINT) * 10000 FROM generate_series(1, 20000) n",
            "ANALYZE visit_experiments",
        ] {
            query(statement).write(&store.writer).await.unwrap();
        }
        let explained = format!("EXPLAIN {}", variations_sql(SHORT, true));
        let plan: Vec<String> = query(explained)
            .bind(SHORT.from)
            .bind(SHORT.to)
            .bind("exp_1")
            .fetch_all(&store.readers)
            .await
            .unwrap();
        let plan = plan.join("\n");
        assert!(plan.contains("visit_experiments_by_time"), "{plan}");
    }
}
