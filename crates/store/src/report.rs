//! The figures of the operator's report. An hour that is over is tallied: how many of its charges and visits there are of
//! each word. A report adds up whole hours that are tallied, and counts the rows of the rest of its time.
//!
//! Nothing that writes a charge or a visit knows of the tallies. Instead an hour is tallied again until nothing in it can
//! change any more.

mod tallying;

#[cfg(test)]
mod tests;

use serde::Deserialize;

use super::sql::{Query, query};
use super::{Store, StoreError};

pub(super) use tallying::tally_again;

pub(super) const HOUR_MS: i64 = 3_600_000;
/// How many parts of a currency's unit are counted: no currency has more than four digits after the point.
const PARTS_OF_UNIT: i64 = 10_000;

/// The rows that are tallied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum TallyKind {
    Charges,
    Visits,
}

impl TallyKind {
    fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The meaning of a word of visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum VisitTopic {
    /// Nothing; the word is empty, and all visits have it.
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
    /// The number of a variation, a space, and the experiment.
    Experiment,
}

impl VisitTopic {
    fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Charges or visits of one word in a piece of time. A report adds up several tallies of a word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "TallyRow")]
pub struct Tally {
    /// The begin of the piece, in unix milliseconds.
    pub at: i64,
    /// Of charges the status, of visits a [`VisitTopic`].
    pub topic: String,
    /// Of paid charges the currency, of declined ones the reason, of visits what the topic says. It can be empty.
    pub word: String,
    /// How many visits came as far as each step or further. Of charges only the first one is not 0.
    pub counts: [i64; 5],
    /// The sum of paid charges, in ten-thousandths of the currency's unit.
    pub amount: i128,
}

impl Tally {
    /// Whether its visits are counted by this topic.
    pub fn is_of(&self, topic: VisitTopic) -> bool {
        self.topic == topic.as_str()
    }
}

/// The begin of the piece, the topic, the word, the counts, the amount's units and their parts.
type TallyRow = (i64, String, String, i64, i64, i64, i64, i64, i64, i64);

impl From<TallyRow> for Tally {
    fn from((at, topic, word, count, started, ready, submitted, paid, units, parts): TallyRow) -> Self {
        Self {
            at,
            topic,
            word,
            counts: [count, started, ready, submitted, paid],
            amount: i128::from(units) * i128::from(PARTS_OF_UNIT) + i128::from(parts),
        }
    }
}

/// The columns of a tally's counts.
const COUNTS: [&str; 5] = ["count", "started", "ready", "submitted", "paid"];

/// An amount in ten-thousandths of a unit, as a decimal number of units.
pub fn amount_text(amount: i128) -> String {
    let unit = i128::from(PARTS_OF_UNIT);
    let text = format!("{}.{:04}", amount / unit, amount % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The time range of a report, and its locale if it is limited to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportRange<'a> {
    /// Where it begins, in unix milliseconds.
    pub from: i64,
    /// Where it ends; not a part of it.
    pub to: i64,
    /// Only visits in this locale.
    pub locale: Option<&'a str>,
}

/// The time that is tallied, of charges and of visits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TalliedTime {
    charges: TalliedHours,
    visits: TalliedHours,
}

/// Hours that are tallied without a gap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
struct TalliedHours {
    tallied_from: i64,
    tallied_until: i64,
    version: i64,
}

impl TalliedHours {
    /// The whole hours of this time that are tallied, and the time before and after them.
    fn cover(self, from: i64, to: i64) -> ((i64, i64), Vec<(i64, i64)>) {
        let first = hour_of(from + HOUR_MS - 1).max(self.tallied_from);
        let end = hour_of(to).min(self.tallied_until);
        if first >= end {
            return ((from, from), vec![(from, to)]);
        }
        let rest = [(from, first), (end, to)]
            .into_iter()
            .filter(|(from, to)| from < to);
        ((first, end), rest.collect())
    }
}

/// The begin of the hour that has this time in it.
fn hour_of(at: i64) -> i64 {
    at - at.rem_euclid(HOUR_MS)
}

impl Store {
    /// The time that is tallied now.
    pub async fn tallied_time(&self) -> Result<TalliedTime, StoreError> {
        let sql = "SELECT tallied_from, tallied_until, version FROM report_tallied ORDER BY kind";
        let hours: Vec<TalliedHours> = query(sql).fetch_all(&self.readers).await?;
        match hours[..] {
            [charges, visits] => Ok(TalliedTime { charges, visits }),
            _ => Err(StoreError::Unusable("time that is tallied")),
        }
    }

    /// The charges that were made in this time, in pieces of `piece_ms`; in one piece if it is `None`.
    pub async fn charge_tallies(
        &self,
        time: &TalliedTime,
        (from, to): (i64, i64),
        piece_ms: Option<i64>,
    ) -> Result<Vec<Tally>, StoreError> {
        let is_of_hours = piece_ms.is_none_or(|piece| piece % HOUR_MS == 0);
        let hours = if is_of_hours {
            time.charges
        } else {
            TalliedHours::default()
        };
        let (hours, rest) = hours.cover(from, to);
        let mut all = self
            .stored_tallies(TallyKind::Charges, hours, piece_ms, "")
            .await?;
        for time in rest {
            all.extend(self.counted_charges(time, piece_ms).await?);
        }
        Ok(all)
    }

    /// The visits that first came in this range. Without `words`, those of [`VisitTopic::All`] are enough.
    pub async fn visit_tallies(
        &self,
        time: &TalliedTime,
        range: ReportRange<'_>,
        words: bool,
    ) -> Result<Vec<Tally>, StoreError> {
        // Visits of one locale are not tallied apart from the others.
        let hours = range.locale.map_or(time.visits, |_| TalliedHours::default());
        let (hours, rest) = hours.cover(range.from, range.to);
        let topics = if words { "" } else { "AND topic = 'all'" };
        let mut all = self
            .stored_tallies(TallyKind::Visits, hours, None, topics)
            .await?;
        for time in rest {
            all.extend(self.counted_visits(time, range.locale).await?);
            if words {
                all.extend(self.counted_variations(time, range.locale).await?);
            }
        }
        Ok(all)
    }

    /// The tallies of whole hours.
    async fn stored_tallies(
        &self,
        kind: TallyKind,
        (from, to): (i64, i64),
        piece_ms: Option<i64>,
        topics: &'static str,
    ) -> Result<Vec<Tally>, StoreError> {
        if from == to {
            return Ok(Vec::new());
        }
        let sums = COUNTS.map(|count| format!("CAST(SUM({count}) AS BIGINT) AS {count}"));
        Ok(query(format!(
            "SELECT hour - hour % $1 AS at, topic, word, {}, CAST(SUM(amount / {PARTS_OF_UNIT}) AS BIGINT) AS units, \
             CAST(SUM(amount % {PARTS_OF_UNIT}) AS BIGINT) AS parts FROM report_tally \
             WHERE kind = $2 AND hour >= $3 AND hour < $4 {topics} GROUP BY 1, topic, word",
            sums.join(", ")
        ))
        .bind(piece_ms.unwrap_or(ONE_PIECE_MS))
        .bind(kind.as_str())
        .bind(from)
        .bind(to)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Tallies of any time, from the charges and from the counts of removed charges.
    async fn counted_charges(
        &self,
        (from, to): (i64, i64),
        piece_ms: Option<i64>,
    ) -> Result<Vec<Tally>, StoreError> {
        Ok(query(CHARGES)
            .bind(piece_ms.unwrap_or(ONE_PIECE_MS))
            .bind(from)
            .bind(to)
            .fetch_all(&self.readers)
            .await?)
    }

    /// Tallies of any time, from the visits.
    async fn counted_visits(
        &self,
        (from, to): (i64, i64),
        locale: Option<&str>,
    ) -> Result<Vec<Tally>, StoreError> {
        let sql = format!(
            "SELECT locale, field, error, decline, brand, method, {FUNNEL} FROM visits WHERE {} \
             GROUP BY locale, field, error, decline, brand, method",
            within((from, to), locale)
        );
        let alike: Vec<AlikeVisits> = bind_range(query(sql), (from, to), locale)
            .fetch_all(&self.readers)
            .await?;
        Ok(alike.into_iter().flat_map(tallies_of).collect())
    }

    /// Tallies of any time, by the variations that the visits saw.
    async fn counted_variations(
        &self,
        (from, to): (i64, i64),
        locale: Option<&str>,
    ) -> Result<Vec<Tally>, StoreError> {
        let sql = format!(
            "SELECT CAST(0 AS BIGINT) AS at, 'experiment' AS topic, CAST(variation_id AS TEXT) || ' ' || experiment_id AS word, \
             {FUNNEL}, CAST(0 AS BIGINT) AS units, CAST(0 AS BIGINT) AS parts FROM visit_experiments WHERE {} \
             GROUP BY experiment_id, variation_id",
            within((from, to), locale)
        );
        Ok(bind_range(query(sql), (from, to), locale)
            .fetch_all(&self.readers)
            .await?)
    }

    /// Since when the oldest webhook waits, in unix milliseconds.
    pub async fn webhooks_waiting_since(&self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MIN(created_at) FROM webhook_events WHERE state IN ('due', 'queued')";
        Ok(query(sql).fetch_one(&self.readers).await?)
    }
}

/// Longer than all time, in milliseconds.
const ONE_PIECE_MS: i64 = HOUR_MS << 40;

/// The tallies of charges. The counts of removed charges have paid ones twice: by status, and by currency.
const CHARGES: &str = "SELECT at, topic, word, CAST(SUM(cases) AS BIGINT) AS count, CAST(0 AS BIGINT) AS started, \
     CAST(0 AS BIGINT) AS ready, CAST(0 AS BIGINT) AS submitted, CAST(0 AS BIGINT) AS paid, \
     CAST(SUM(amount / 10000) AS BIGINT) AS units, CAST(SUM(amount % 10000) AS BIGINT) AS parts FROM (\
     SELECT created_at - created_at % $1 AS at, status AS topic, 1 AS cases, \
     CASE status WHEN 'succeeded' THEN amount_currency WHEN 'failed' THEN COALESCE(decline_code, '') ELSE '' END AS word, \
     CASE status WHEN 'succeeded' THEN CAST(ROUND(CAST(COALESCE(amount_captured, amount_value) AS NUMERIC) * 10000) AS BIGINT) \
     ELSE 0 END AS amount \
     FROM charges WHERE created_at >= $2 AND created_at < $3 UNION ALL \
     SELECT at - at % $1, CASE topic WHEN 'paid' THEN 'succeeded' ELSE name END, counted, \
     CASE topic WHEN 'paid' THEN name ELSE '' END, CAST(ROUND(CAST(amount AS NUMERIC) * 10000) AS BIGINT) \
     FROM removed_charges WHERE topic IN ('status', 'paid') AND at >= $2 AND at < $3 \
     AND NOT (topic = 'status' AND name = 'succeeded')) AS made GROUP BY at, topic, word";

/// How many visits came as far as each step or further.
const FUNNEL: &str = "COUNT(*) AS count, CAST(SUM(CASE WHEN step > 1 THEN 1 ELSE 0 END) AS BIGINT) AS started, \
     CAST(SUM(CASE WHEN step > 2 THEN 1 ELSE 0 END) AS BIGINT) AS ready, \
     CAST(SUM(CASE WHEN step > 3 THEN 1 ELSE 0 END) AS BIGINT) AS submitted, \
     CAST(SUM(CASE WHEN step > 4 THEN 1 ELSE 0 END) AS BIGINT) AS paid";

/// A range that is longer has so many visits of other locales that those of one are found by their locale.
const LONG_RANGE_MS: i64 = 24 * HOUR_MS;

/// The condition that a visit is of this range, whose values are the first ones. An expression around a column keeps the
/// database from using an index that begins with it.
fn within((from, to): (i64, i64), locale: Option<&str>) -> &'static str {
    match locale {
        None => "first_at >= $1 AND first_at < $2",
        Some(_) if to - from > LONG_RANGE_MS => "+first_at >= $1 AND +first_at < $2 AND locale = $3",
        Some(_) => "first_at >= $1 AND first_at < $2 AND (locale || '') = $3",
    }
}

fn bind_range<'a>(statement: Query<'a>, (from, to): (i64, i64), locale: Option<&'a str>) -> Query<'a> {
    let statement = statement.bind(from).bind(to);
    locale.into_iter().fold(statement, Query::bind)
}

/// How many visits have the same locale, field, error, decline, brand and method, and came as far as each step.
type AlikeVisits = (
    String,
    String,
    String,
    String,
    String,
    String,
    i64,
    i64,
    i64,
    i64,
    i64,
);

/// A tally for each of their words.
fn tallies_of(alike: AlikeVisits) -> impl Iterator<Item = Tally> {
    let (locale, field, error, decline, brand, method, count, started, ready, submitted, paid) = alike;
    let words = [
        (VisitTopic::All, String::new()),
        (VisitTopic::Locale, locale),
        (VisitTopic::Field, field),
        (VisitTopic::Error, error),
        (VisitTopic::Decline, decline),
        (VisitTopic::Brand, brand),
        (VisitTopic::Method, method),
    ];
    words.into_iter().map(move |(topic, word)| Tally {
        at: 0,
        topic: topic.as_str().to_owned(),
        word,
        counts: [count, started, ready, submitted, paid],
        amount: 0,
    })
}
