//! Visits by what is known of them, for the operator's report.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wire::VisitStep;

use super::super::report_change::CountedKind;
use super::super::sql::{query, read_from_row};
use super::super::visit::step;
use super::super::{Store, StoreError};
use super::counted_time::{CountedSpans, CountedTimes, Cover};
use super::variations::VariationVisits;
use super::{ReportRange, bind_ranges, bind_spans, ranges_table, spans_table};

/// The topic of what visits saw of experiments, beside those of [`VisitTopic`].
pub(super) const EXPERIMENT: &str = "experiment";
/// So many visits are read and counted here; the database would sort them, which takes SQLite three times as long.
const READ_MAX: i64 = 5_000;
/// A range with more visits than this is counted with the index that covers all columns; one with fewer is found by
/// time and sorted.
const SORTED_MAX: i64 = 50_000;

/// What is known of a visit.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr, strum::EnumString,
)]
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

/// The visits of a range.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VisitCounts {
    /// By what is known of them.
    pub words: VisitWords,
    /// By what they saw of one experiment or of all. There can be several of one variation and step.
    pub variations: Vec<VariationVisits>,
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

struct CountedWordRow {
    topic: String,
    name: String,
    variation: i64,
    step: i64,
    visits: i64,
}

read_from_row!(CountedWordRow {
    topic,
    name,
    variation,
    step,
    visits,
});

impl Store {
    /// The range's visits by what is known of them, and by what they saw of this experiment or of all.
    pub async fn visit_counts(
        &self,
        times: &CountedTimes,
        range: ReportRange<'_>,
        experiment: Option<&str>,
    ) -> Result<VisitCounts, StoreError> {
        let cover = cover_of_visits(times, range);
        let mut counts = VisitCounts {
            words: self.uncounted_words(&cover.uncounted, range.locale).await?,
            variations: Vec::new(),
        };
        for (from, to) in &cover.uncounted {
            let part = ReportRange {
                from: *from,
                to: *to,
                ..range
            };
            let seen = self.uncounted_variations(part, experiment).await?;
            counts.variations.extend(seen);
        }
        for row in self.counted_visits(&cover.counted, "").await? {
            if row.topic != EXPERIMENT {
                let word = (topic(&row.topic)?, row.name, step(row.step)?);
                *counts.words.entry(word).or_default() += row.visits;
            } else if experiment.is_none_or(|asked| asked == row.name) {
                counts.variations.push(VariationVisits {
                    experiment_id: row.name,
                    variation_id: row.variation,
                    step: step(row.step)?,
                    visits: row.visits,
                });
            }
        }
        Ok(counts)
    }

    /// How many visits of the range came as far as each step and no further. A step can come several times.
    pub async fn visits_by_step(
        &self,
        times: &CountedTimes,
        range: ReportRange<'_>,
    ) -> Result<Vec<(VisitStep, i64)>, StoreError> {
        let cover = cover_of_visits(times, range);
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
        for row in self.counted_visits(&cover.counted, "AND c.topic = 'all'").await? {
            steps.push((step(row.step)?, row.visits));
        }
        Ok(steps)
    }

    async fn counted_visits(
        &self,
        spans: &[CountedSpans],
        which: &str,
    ) -> Result<Vec<CountedWordRow>, StoreError> {
        if spans.is_empty() {
            return Ok(Vec::new());
        }
        // The column with the most values comes first: SQLite sorts the rows, and looks at the others when it is equal.
        let sql = format!(
            "WITH {} SELECT c.topic AS topic, c.name AS name, c.variation AS variation, c.step AS step, \
             CAST(SUM(c.counted) AS BIGINT) AS visits FROM {COUNTED_VISITS} {which} \
             GROUP BY c.name, c.step, c.topic, c.variation",
            spans_table(spans, 1)
        );
        Ok(bind_spans(query(sql), spans).fetch_all(&self.readers).await?)
    }

    /// The visits of these ranges by what is known of them, from the visits themselves.
    pub(super) async fn uncounted_words(
        &self,
        ranges: &[(i64, i64)],
        locale: Option<&str>,
    ) -> Result<VisitWords, StoreError> {
        let mut words = VisitWords::new();
        let read = match locale {
            None if !ranges.is_empty() => self.read_visits(ranges).await?,
            _ => None,
        };
        if let Some(rows) = read {
            count_rows(&mut words, rows)?;
            return Ok(words);
        }
        for (from, to) in ranges {
            let range = ReportRange {
                from: *from,
                to: *to,
                locale,
            };
            count_rows(&mut words, self.grouped_visits(range).await?)?;
        }
        Ok(words)
    }

    /// The visits of these ranges, or none if they are many.
    async fn read_visits(&self, ranges: &[(i64, i64)]) -> Result<Option<Vec<VisitGroupRow>>, StoreError> {
        let sql = format!(
            "WITH {} SELECT v.step, v.locale, v.field, v.error, v.decline, v.brand, v.method, CAST(1 AS BIGINT) AS visits \
             FROM ranges r CROSS JOIN visits v WHERE v.first_at >= r.begins AND v.first_at < r.ends LIMIT ${}",
            ranges_table(ranges, 1),
            1 + 2 * ranges.len()
        );
        let statement = bind_ranges(query(sql), ranges).bind(READ_MAX + 1);
        let rows: Vec<VisitGroupRow> = statement.fetch_all(&self.readers).await?;
        let are_many = i64::try_from(rows.len()).unwrap_or(i64::MAX) > READ_MAX;
        Ok((!are_many).then_some(rows))
    }

    /// The range's visits, those that are alike as one row.
    async fn grouped_visits(&self, range: ReportRange<'_>) -> Result<Vec<VisitGroupRow>, StoreError> {
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
        Ok(query.fetch_all(&self.readers).await?)
    }
}

/// Only visits of all locales are counted before.
fn cover_of_visits(times: &CountedTimes, range: ReportRange<'_>) -> Cover {
    let mut cover = Cover::default();
    if range.locale.is_some() {
        cover.uncounted.push((range.from, range.to));
    } else {
        times
            .of(CountedKind::Visits)
            .cover(range.from, range.to, &mut cover);
    }
    cover
}

fn topic(word: &str) -> Result<VisitTopic, StoreError> {
    word.parse().map_err(|_| StoreError::Unusable("topic of a visit"))
}

fn count_rows(words: &mut VisitWords, rows: Vec<VisitGroupRow>) -> Result<(), StoreError> {
    // A thousand visits have some dozen words, and finding one again by its hash takes less than by its order.
    let mut counts = FxHashMap::<_, i64>::default();
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
            *counts.entry((topic, word, reached)).or_default() += row.visits;
        }
    }
    for (word, visits) in counts {
        *words.entry(word).or_default() += visits;
    }
    Ok(())
}

/// The counts of each row of the table `spans`, which is read first.
const COUNTED_VISITS: &str = "spans s CROSS JOIN report_counts c WHERE c.kind = 'visits' AND c.span = s.span \
     AND c.at >= s.begins AND c.at < s.ends";

#[cfg(test)]
mod tests {
    use super::super::super::Database;
    use super::*;

    #[tokio::test]
    async fn many_visits_are_counted_like_few() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("cardform.db");
        let store = Store::connect(&Database::Sqlite(file)).await.unwrap();
        let visits = READ_MAX + 1_000;
        let insert = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $1 - 1) \
             INSERT INTO visits (id, first_at, step, locale, locale_at, brand, brand_at, field, field_at, error, error_at, \
             decline, decline_at, method, method_at) \
             SELECT 'visit_' || i, i, 1 + i % 4, 'en', i, substr('visa', 1 + i % 3), i, 'card-number', i, '', i, '', i, \
             'new_card', i FROM n";
        query(insert).bind(visits).write(&store.writer).await.unwrap();
        let all = [(0, visits)];
        assert!(store.read_visits(&all).await.unwrap().is_none());
        let halves = [(0, READ_MAX / 2), (READ_MAX / 2, READ_MAX)];
        let (many, few, rest) = (
            store.uncounted_words(&all, None).await.unwrap(),
            store.uncounted_words(&halves, None).await.unwrap(),
            store.uncounted_words(&[(READ_MAX, visits)], None).await.unwrap(),
        );
        // Six topics with one word and brands with three, each with four steps.
        assert_eq!(many.len(), 36);
        for (word, counted) in &many {
            assert_eq!(*counted, few[word] + rest[word], "{word:?}");
        }
        let every: i64 = many
            .iter()
            .filter(|((topic, _, _), _)| *topic == VisitTopic::All)
            .map(|(_, counted)| counted)
            .sum();
        assert_eq!(every, visits);
    }
}
