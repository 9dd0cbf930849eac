//! Visits by what is known of them, for the operator's report.

use std::collections::BTreeMap;

use wire::VisitStep;

use super::super::report_change::CountedKind;
use super::super::sql::{Query, RowInPlace, query};
use super::super::visit::step;
use super::super::{Store, StoreError};
use super::cases::AddCase;
use super::counted_rows::WordsRead;
use super::counted_time::{CountedTimes, Cover};
use super::tallies::{Counts, Tallies};
use super::variations::{EXPERIMENT, VariationVisits, is_of};
use super::{ReportRange, bind_ranges, ranges_table};

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
    steps.filter(|(_, visits)| *visits > 0).collect()
}

/// So many visits at one step.
pub(super) fn counts_at(step: VisitStep, visits: i64) -> Counts {
    let mut counts = Counts::default();
    for (count, of_step) in counts.iter_mut().zip(VisitStep::ALL) {
        if of_step == step {
            *count = visits;
        }
    }
    counts
}

/// The visits of `ranges`.
const VISITS: &str = "SELECT r.begins, v.first_at, v.step, v.locale, v.field, v.error, v.decline, v.brand, v.method, \
     CAST(1 AS BIGINT) FROM ranges r CROSS JOIN visits v WHERE v.first_at >= r.begins AND v.first_at < r.ends";

/// Adds a visit, or several that are alike, to what begins where its range does.
fn add_visits<T: AddCase>(sums: &mut BTreeMap<i64, T>, row: &RowInPlace<'_>) -> Result<(), StoreError> {
    let words = [
        (VisitTopic::All, ""),
        (VisitTopic::Locale, row.text(3)?),
        (VisitTopic::Field, row.text(4)?),
        (VisitTopic::Error, row.text(5)?),
        (VisitTopic::Decline, row.text(6)?),
        (VisitTopic::Brand, row.text(7)?),
        (VisitTopic::Method, row.text(8)?),
    ];
    let words = words.map(|(topic, word)| (topic.letter(), word));
    let counts = counts_at(step(row.int(2)?)?, row.int(9)?);
    let sum = sums.entry(row.int(0)?).or_default();
    sum.add_case(row.int_or_null(1)?, &words, &counts);
    Ok(())
}

impl Store {
    /// The range's visits by what is known of them, and by what they saw of this experiment or of all.
    pub async fn visit_counts(
        &self,
        times: &CountedTimes,
        range: ReportRange<'_>,
        experiment: Option<&str>,
    ) -> Result<VisitCounts, StoreError> {
        let mut cover = cover_of_visits(times, range);
        let counted = self.add_counted(
            CountedKind::Visits,
            WordsRead::All,
            &mut cover,
            Tallies::default(),
            |all, part| part.add_to(all),
        );
        let mut all = counted.await?;
        all.drop_zeros();
        if let Some(asked) = experiment {
            all.keep(EXPERIMENT, |word| is_of(word, asked));
        }
        let uncounted = self
            .uncounted_visits::<Tallies>(&cover.uncounted, range.locale, experiment)
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
        let mut cover = cover_of_visits(times, range);
        let counted = self.add_counted(
            CountedKind::Visits,
            WordsRead::First,
            &mut cover,
            Counts::default(),
            |all, part| {
                let counts = part.first_counts(VisitTopic::All.letter())?;
                for (sum, more) in all.iter_mut().zip(counts) {
                    *sum += more;
                }
                Ok(())
            },
        );
        let mut all = steps(&counted.await?);
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
    pub(super) async fn uncounted_visits<T: AddCase>(
        &self,
        ranges: &[(i64, i64)],
        locale: Option<&str>,
        experiment: Option<&str>,
    ) -> Result<BTreeMap<i64, T>, StoreError> {
        if ranges.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (mut counted, long) = match locale {
            None => self.read_ranges(VISITS, ranges, None, add_visits::<T>).await?,
            Some(_) => (BTreeMap::new(), ranges.to_vec()),
        };
        for (from, to) in long {
            let sql = self.grouped_visits_sql(from, to, locale.is_some()).await?;
            let grouped = locale
                .into_iter()
                .fold(query(sql).bind(from).bind(to), Query::bind);
            counted = grouped.fold(&self.readers, counted, add_visits).await?;
        }
        let variations = self.uncounted_variations::<T>(ranges, locale, experiment);
        for (begin, seen) in variations.await? {
            counted.entry(begin).or_default().add_all(seen);
        }
        Ok(counted)
    }

    /// The statement for the visits of a range where those that are alike are one row.
    async fn grouped_visits_sql(&self, from: i64, to: i64, has_locale: bool) -> Result<String, StoreError> {
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
        let of_locale = if has_locale { "AND locale = $3" } else { "" };
        Ok(format!(
            "SELECT CAST($1 AS BIGINT), CAST(NULL AS BIGINT), step, locale, field, error, decline, brand, method, \
             COUNT(*) FROM visits WHERE {sign}first_at >= $1 AND {sign}first_at < $2 {of_locale} \
             GROUP BY locale, step, field, error, decline, brand, method"
        ))
    }
}

/// Only visits of all locales are counted before.
fn cover_of_visits(times: &CountedTimes, range: ReportRange<'_>) -> Cover {
    if range.locale.is_none() {
        let counted = times.of(CountedKind::Visits);
        return counted.cover_with_fewest(range.from, range.to);
    }
    Cover {
        uncounted: vec![(range.from, range.to)],
        ..Cover::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Database;
    use super::super::READ_MAX;
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
        let (read, long) = store
            .read_ranges::<Tallies>(VISITS, &all, None, add_visits)
            .await
            .unwrap();
        assert!(read.is_empty());
        assert_eq!(long, all);
        let halves = [(0, READ_MAX / 2), (READ_MAX / 2, READ_MAX)];
        let counted = async |ranges: &[(i64, i64)]| {
            let mut sum = Tallies::default();
            for tallies in store
                .uncounted_visits::<Tallies>(ranges, None, None)
                .await
                .unwrap()
                .values()
            {
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
