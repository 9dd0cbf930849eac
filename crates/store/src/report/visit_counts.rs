//! Visits by what is known of them, for the operator's report.

use std::collections::BTreeMap;

use wire::VisitStep;

use super::super::report_change::CountedKind;
use super::super::sql::{query, read_from_row};
use super::super::visit::step;
use super::super::{Store, StoreError};
use super::counted_time::{CountedTimes, Cover};
use super::tallies::{Counts, Tallies, counts_of_first};
use super::variations::{EXPERIMENT, VariationVisits, is_of};
use super::{READ_MAX, ReportRange, bind_ranges, ranges_table};

/// A range with more visits than this is counted with the index that covers all columns; one with fewer is found by
/// time and sorted.
const SORTED_MAX: i64 = 50_000;

/// What is known of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Its letter in a row. That of all visits comes first, so that their counts are found without reading the others.
    fn letter(self) -> char {
        match self {
            Self::All => 'a',
            Self::Locale => 'l',
            Self::Field => 'f',
            Self::Error => 'e',
            Self::Decline => 'd',
            Self::Brand => 'b',
            Self::Method => 'm',
        }
    }
}

/// The visits of a range.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VisitCounts(Tallies);

impl VisitCounts {
    /// The words of a topic in their order, each with how many visits came as far as which step and no further.
    pub fn words(&self, topic: VisitTopic) -> BTreeMap<&str, Vec<(VisitStep, i64)>> {
        let words = self.0.of_topic(topic.letter());
        words.map(|(word, counts)| (word, steps(counts))).collect()
    }

    /// By what they saw of one experiment or of all.
    pub fn variations(&self) -> Result<Vec<VariationVisits>, StoreError> {
        let seen = self.0.of_topic(EXPERIMENT);
        seen.map(|(word, counts)| VariationVisits::of(word, counts))
            .collect()
    }
}

/// How many came as far as which step and no further, without steps that nobody stopped at.
pub(super) fn steps(counts: &Counts) -> Vec<(VisitStep, i64)> {
    let steps = VisitStep::ALL.into_iter().zip(*counts);
    steps.filter(|(_, visits)| *visits != 0).collect()
}

/// So many visits at one step.
fn counts_at(step: VisitStep, visits: i64) -> Counts {
    let mut counts = Counts::default();
    for (count, of_step) in counts.iter_mut().zip(VisitStep::ALL) {
        if of_step == step {
            *count = visits;
        }
    }
    counts
}

struct VisitGroupRow {
    begins: i64,
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
    begins,
    step,
    locale,
    field,
    error,
    decline,
    brand,
    method,
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
        let mut all = Tallies::default();
        for (_, text) in self.counted_rows(CountedKind::Visits, &cover.counted).await? {
            all.add_text(&text)?;
        }
        if let Some(asked) = experiment {
            all.keep(EXPERIMENT, |word| is_of(word, asked));
        }
        let uncounted = self
            .uncounted_visits(&cover.uncounted, range.locale, experiment)
            .await?;
        for tallies in uncounted.values() {
            all.merge(tallies);
        }
        Ok(VisitCounts(all))
    }

    /// How many visits of the range came as far as each step and no further. A step can come several times.
    pub async fn visits_by_step(
        &self,
        times: &CountedTimes,
        range: ReportRange<'_>,
    ) -> Result<Vec<(VisitStep, i64)>, StoreError> {
        let cover = cover_of_visits(times, range);
        let mut all = Vec::new();
        for (_, text) in self.counted_rows(CountedKind::Visits, &cover.counted).await? {
            all.extend(steps(&counts_of_first(&text, VisitTopic::All.letter())?));
        }
        if cover.uncounted.is_empty() {
            return Ok(all);
        }
        let place = 1 + 2 * cover.uncounted.len();
        let of_locale = range
            .locale
            .map_or(String::new(), |_| format!("AND v.locale = ${place}"));
        let sql = format!(
            "WITH {} SELECT v.step, COUNT(*) AS visits FROM ranges r CROSS JOIN visits v \
             WHERE v.first_at >= r.begins AND v.first_at < r.ends {of_locale} GROUP BY v.step",
            ranges_table(&cover.uncounted, 1)
        );
        let mut statement = bind_ranges(query(sql), &cover.uncounted);
        if let Some(locale) = range.locale {
            statement = statement.bind(locale);
        }
        let rows: Vec<(i64, i64)> = statement.fetch_all(&self.readers).await?;
        for (reached, visits) in rows {
            all.push((step(reached)?, visits));
        }
        Ok(all)
    }

    /// The visits of these ranges, from the visits themselves, by the begin of the range.
    pub(super) async fn uncounted_visits(
        &self,
        ranges: &[(i64, i64)],
        locale: Option<&str>,
        experiment: Option<&str>,
    ) -> Result<BTreeMap<i64, Tallies>, StoreError> {
        let mut counted = BTreeMap::<i64, Tallies>::new();
        if ranges.is_empty() {
            return Ok(counted);
        }
        for row in self.visit_rows(ranges, locale).await? {
            let counts = counts_at(step(row.step)?, row.visits);
            let tallies = counted.entry(row.begins).or_default();
            tallies.add(VisitTopic::All.letter(), "", &counts);
            for (topic, word) in [
                (VisitTopic::Locale, &row.locale),
                (VisitTopic::Field, &row.field),
                (VisitTopic::Error, &row.error),
                (VisitTopic::Decline, &row.decline),
                (VisitTopic::Brand, &row.brand),
                (VisitTopic::Method, &row.method),
            ] {
                tallies.add(topic.letter(), word, &counts);
            }
        }
        for row in self.uncounted_variations(ranges, locale, experiment).await? {
            let counts = counts_at(step(row.step)?, row.visits);
            let tallies = counted.entry(row.begins).or_default();
            tallies.add(EXPERIMENT, &row.word(), &counts);
        }
        Ok(counted)
    }

    /// The visits of these ranges, each as a row, or those that are alike as one if they are many or of one locale.
    async fn visit_rows(
        &self,
        ranges: &[(i64, i64)],
        locale: Option<&str>,
    ) -> Result<Vec<VisitGroupRow>, StoreError> {
        if locale.is_none()
            && let Some(rows) = self.read_visits(ranges).await?
        {
            return Ok(rows);
        }
        let mut rows = Vec::new();
        for (from, to) in ranges {
            rows.extend(self.grouped_visits(*from, *to, locale).await?);
        }
        Ok(rows)
    }

    /// The visits of these ranges, or none if they are many.
    async fn read_visits(&self, ranges: &[(i64, i64)]) -> Result<Option<Vec<VisitGroupRow>>, StoreError> {
        let sql = format!(
            "WITH {} SELECT r.begins, v.step, v.locale, v.field, v.error, v.decline, v.brand, v.method, \
             CAST(1 AS BIGINT) AS visits \
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
    async fn grouped_visits(
        &self,
        from: i64,
        to: i64,
        locale: Option<&str>,
    ) -> Result<Vec<VisitGroupRow>, StoreError> {
        let within = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM visits WHERE first_at >= $1 AND first_at < $2 \
             LIMIT $3) AS first_visits";
        let visits: i64 = query(within)
            .bind(from)
            .bind(to)
            .bind(SORTED_MAX + 1)
            .fetch_one(&self.readers)
            .await?;
        // A plus sign before the column keeps the database from using the index by time.
        let sign = if visits > SORTED_MAX { "+" } else { "" };
        let of_locale = locale.map_or("", |_| "AND locale = $3");
        let sql = format!(
            "SELECT CAST($1 AS BIGINT) AS begins, step, locale, field, error, decline, brand, method, \
             COUNT(*) AS visits FROM visits WHERE {sign}first_at >= $1 AND {sign}first_at < $2 {of_locale} \
             GROUP BY locale, step, field, error, decline, brand, method"
        );
        let mut query = query(sql).bind(from).bind(to);
        if let Some(locale) = locale {
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
        let counted = async |ranges: &[(i64, i64)]| {
            let mut sum = Tallies::default();
            for tallies in store.uncounted_visits(ranges, None, None).await.unwrap().values() {
                sum.merge(tallies);
            }
            sum
        };
        let (many, mut few) = (counted(&all).await, counted(&halves).await);
        few.merge(&counted(&[(READ_MAX, visits)]).await);
        assert_eq!(many.text(), few.text());
        // Six topics with one word and brands with three.
        assert_eq!(many.text().matches(';').count(), 9);
        let every = VisitCounts(many).words(VisitTopic::All)[""].clone();
        assert_eq!(every.len(), 4);
        assert_eq!(every.iter().map(|(_, visits)| visits).sum::<i64>(), visits);
    }
}
