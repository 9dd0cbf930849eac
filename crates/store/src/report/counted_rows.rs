//! The rows of counted time that a report adds up.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::report_change::{CountedKind, MINUTE_MS, span_begin};
use super::super::sql::{Query, RowInPlace, query};
use super::super::{Store, StoreError};
use super::cases::each_word_of_part;
use super::counted_time::{CountedSpans, Cover};
use super::fewest_spans::STRETCHES_MAX;
use super::place::{begin_at, place_of};
use super::tallies::{Counts, Tallies, counts_of_first, each_word};

/// How many minutes that are cut one statement reads: a report has two ends, and a time before it.
const CUT_MINUTES_AT_ONCE: usize = 3;
/// How long the text of a word is at most that has no more than its topic's letter: five counts have 19 digits each.
const FIRST_WORD_MAX: usize = 110;

/// Which words of counted spans are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordsRead {
    All,
    /// Only the first, for [`CountedPart::first_counts`].
    First,
}

impl WordsRead {
    fn column(self) -> String {
        match self {
            Self::All => "tallies".to_owned(),
            Self::First => format!("SUBSTR(tallies, 1, {FIRST_WORD_MAX})"),
        }
    }
}

/// A counted span that is asked for, or a part of a minute.
pub(super) struct CountedPart<'a> {
    /// Its begin.
    pub(super) from: i64,
    tallies: &'a str,
    is_taken: bool,
    /// The minute's cases, and which part of the minute is asked for.
    part: Option<(&'a str, Range<i64>)>,
}

impl CountedPart<'_> {
    /// Gives its words in their order.
    pub(super) fn each_word(
        &self,
        mut word: impl FnMut(&str, &Counts) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        match &self.part {
            None if self.is_taken => each_word(self.tallies, |key, counts| {
                word(key, &counts.map(i64::wrapping_neg))
            }),
            None => each_word(self.tallies, word),
            Some((cases, part)) => each_word_of_part(self.tallies, cases, part, word),
        }
    }

    /// Adds its counts.
    pub(super) fn add_to(&self, sum: &mut Tallies) -> Result<(), StoreError> {
        let mut next = 0;
        self.each_word(|key, counts| {
            next = sum.add_key(key, counts, next);
            Ok(())
        })
    }

    /// The counts of its first word, which is the one word of this topic.
    pub(super) fn first_counts(&self, topic: char) -> Result<Counts, StoreError> {
        if self.part.is_none() {
            let counts = counts_of_first(self.tallies, topic)?;
            return Ok(if self.is_taken {
                counts.map(i64::wrapping_neg)
            } else {
                counts
            });
        }
        let mut found = Counts::default();
        self.each_word(|key, counts| {
            if key.strip_prefix(topic) == Some("") {
                found = *counts;
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// The parts of minutes that are asked for, by the minutes' begins, and those whose cases are not known.
#[derive(Default)]
struct MinuteParts {
    asked: BTreeMap<i64, Vec<(i64, i64)>>,
    unknown: Vec<(i64, i64)>,
}

impl Store {
    /// Adds what is counted of the covered time to a sum. Parts of minutes whose cases are not known are uncounted then.
    pub(super) async fn add_counted<T: Send + 'static>(
        &self,
        kind: CountedKind,
        words: WordsRead,
        cover: &mut Cover,
        mut sum: T,
        add: impl Fn(&mut T, CountedPart<'_>) -> Result<(), StoreError> + Copy + Send + 'static,
    ) -> Result<T, StoreError> {
        let mut parts = MinuteParts::default();
        for part in cover.parts.drain(..) {
            let minute = span_begin(part.0, MINUTE_MS);
            parts.asked.entry(minute).or_default().push(part);
        }
        let minutes: Vec<i64> = parts.asked.keys().copied().collect();
        let stretches = joined(&cover.counted);
        let mut minutes = minutes.chunks(CUT_MINUTES_AT_ONCE);
        let mut stretches = stretches.chunks(STRETCHES_MAX);
        loop {
            let (some, minutes) = (stretches.next().unwrap_or_default(), minutes.next());
            if some.is_empty() && minutes.is_none() {
                break;
            }
            let mut sql = counted_sql(words, some.len());
            if let Some(minutes) = minutes {
                sql.push_str(if some.is_empty() { "" } else { " UNION ALL " });
                sql.push_str(&minutes_sql(minutes.len(), 1 + 3 * some.len()));
            }
            let mut statement = bind_spans(kind, query(sql), some);
            for at in minutes.unwrap_or_default() {
                statement = statement.bind(place_of(kind, MINUTE_MS, *at));
            }
            let folded = statement.fold(&self.readers, (sum, parts), move |(sum, parts), row| {
                add_row(row, parts, |part| add(sum, part))
            });
            (sum, parts) = folded.await?;
        }
        cover.uncounted.append(&mut parts.unknown);
        Ok(sum)
    }
}

/// Adds a row, or the parts of it that are asked for.
fn add_row(
    row: &RowInPlace<'_>,
    parts: &mut MinuteParts,
    mut add: impl FnMut(CountedPart<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let (place, tallies) = (row.int(0)?, row.text(1)?);
    let at = begin_at(place.abs());
    let Some(cases) = row.text_or_null(2)? else {
        return add(CountedPart {
            from: at,
            tallies,
            is_taken: place < 0,
            part: None,
        });
    };
    let asked = parts.asked.get(&at).map(Vec::as_slice).unwrap_or_default();
    if cases.is_empty() {
        parts.unknown.extend(asked);
        return Ok(());
    }
    for (from, until) in asked {
        add(CountedPart {
            from: *from,
            tallies,
            is_taken: false,
            part: Some((cases, from - at..until - at)),
        })?;
    }
    Ok(())
}

/// The rows of so many stretches of time; the values are of [`bind_spans`]. Where their counts are taken away, places are
/// negative. A range of the key is read for each: in a join with a table of numbers PostgreSQL would read the whole key.
pub(super) fn counted_sql(words: WordsRead, stretches: usize) -> String {
    let column = words.column();
    let parts: Vec<String> = (0..stretches)
        .map(|stretch| {
            let first = 1 + 3 * stretch;
            format!(
                "SELECT place * ${}, {column}, CAST(NULL AS TEXT) FROM report_sums WHERE place >= ${first} AND place < ${}",
                first + 2,
                first + 1
            )
        })
        .collect();
    parts.join(" UNION ALL ")
}

/// The rows of so many minutes with their cases; the numbers for their places are from this one on. Each is looked for
/// alone: for several PostgreSQL would make a bitmap.
fn minutes_sql(minutes: usize, first: usize) -> String {
    let parts: Vec<String> = (first..first + minutes)
        .map(|number| {
            format!(
                "SELECT s.place, s.tallies, COALESCE(c.cases, '') FROM report_sums s \
                 LEFT JOIN report_cases c ON c.place = s.place WHERE s.place = ${number}"
            )
        })
        .collect();
    parts.join(" UNION ALL ")
}

/// The spans, where those of one length that follow each other are one.
fn joined(spans: &[CountedSpans]) -> Vec<CountedSpans> {
    let mut joined: Vec<CountedSpans> = Vec::new();
    for next in spans {
        match joined.last_mut() {
            Some(last)
                if (last.span, last.until) == (next.span, next.from) && last.is_taken == next.is_taken =>
            {
                last.until = next.until;
            }
            _ => joined.push(*next),
        }
    }
    joined
}

/// For each of the spans its first place, the place after its last one, and the sign of its counts.
pub(super) fn bind_spans<'a>(kind: CountedKind, statement: Query<'a>, spans: &[CountedSpans]) -> Query<'a> {
    spans.iter().fold(statement, |statement, spans| {
        let place = |at| place_of(kind, spans.span, at);
        let sign = if spans.is_taken { -1 } else { 1 };
        let range = statement.bind(place(spans.from)).bind(place(spans.until));
        range.bind(sign)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_first_word_is_read_whole() {
        let mut longest = Tallies::default();
        longest.add('a', "", &[i64::MAX; 5]);
        assert!(longest.text().len() <= FIRST_WORD_MAX);
    }
}
