//! Which part of a report's range is counted already, and which must be counted now.

use std::collections::BTreeSet;

use super::super::report_change::{CountedKind, MINUTE_MS, span_begin};
use super::super::sql::{query, read_from_row};
use super::super::{Store, StoreError};

/// The lengths of spans, the longest first; each is a multiple of the next one, and all begin at multiples of their
/// length. The buckets of a report are a few of them.
pub(super) const SPANS_MS: [i64; 7] = [
    7 * 86_400_000,
    86_400_000,
    12 * 3_600_000,
    3 * 3_600_000,
    1_800_000,
    300_000,
    MINUTE_MS,
];
/// A minute is counted when it ended so long ago. The difference to the age at which changes are noted is longer than any
/// transaction takes, and than the difference between the nodes' clocks.
pub(super) const COUNTED_AFTER_MS: i64 = 150_000;

/// The time that is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CountedTime {
    pub(super) from: i64,
    pub(super) until: i64,
    /// The begins of minutes that must be counted again.
    pub(super) changed: BTreeSet<i64>,
}

/// Counted spans of one length, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountedSpans {
    pub(super) from: i64,
    pub(super) until: i64,
    pub(super) span: i64,
    /// Whether their counts are taken away, because they are in a longer span and not in the time that is asked for.
    pub(super) is_taken: bool,
}

/// A time, as spans that are counted and as ranges that are not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cover {
    pub(super) counted: Vec<CountedSpans>,
    /// Parts of counted minutes.
    pub(super) parts: Vec<(i64, i64)>,
    pub(super) uncounted: Vec<(i64, i64)>,
}

impl CountedTime {
    /// Covers the time with as few spans as possible, and adds them.
    pub(super) fn cover(&self, from: i64, until: i64, cover: &mut Cover) {
        let mut at = from;
        let mut is_adjacent = false;
        while at < until {
            if let Some(span) = SPANS_MS.into_iter().find(|span| self.has(at, *span, until)) {
                match cover.counted.last_mut().filter(|_| is_adjacent) {
                    Some(last) if last.span == span && last.until == at => last.until += span,
                    _ => cover.counted.push(CountedSpans {
                        from: at,
                        until: at + span,
                        span,
                        is_taken: false,
                    }),
                }
                at += span;
            } else {
                let minute = span_begin(at, MINUTE_MS);
                let end = if at >= self.until {
                    until
                } else if at < self.from {
                    self.from.min(until)
                } else {
                    (minute + MINUTE_MS).min(until)
                };
                if self.has(minute, MINUTE_MS, minute + MINUTE_MS) {
                    cover.parts.push((at, end));
                    at = end;
                    continue;
                }
                match cover.uncounted.last_mut().filter(|_| is_adjacent) {
                    Some(last) if last.1 == at => last.1 = end,
                    _ => cover.uncounted.push((at, end)),
                }
                at = end;
            }
            is_adjacent = true;
        }
    }

    pub(super) fn has(&self, at: i64, span: i64, until: i64) -> bool {
        at % span == 0
            && at + span <= until
            && self.from <= at
            && at + span <= self.until
            && self.changed.range(at..at + span).next().is_none()
    }
}

/// What is counted of a report's time; a report asks for it once.
#[derive(Debug, Clone, Default)]
pub struct CountedTimes {
    charges: CountedTime,
    visits: CountedTime,
}

impl CountedTimes {
    pub(super) fn of(&self, kind: CountedKind) -> &CountedTime {
        match kind {
            CountedKind::Charges => &self.charges,
            CountedKind::Visits => &self.visits,
        }
    }

    fn of_named(&mut self, name: &str) -> Option<&mut CountedTime> {
        [
            (CountedKind::Charges, &mut self.charges),
            (CountedKind::Visits, &mut self.visits),
        ]
        .into_iter()
        .find_map(|(kind, time)| (kind.as_str() == name).then_some(time))
    }
}

struct StoredSpans {
    kind: String,
    counted_from: i64,
    counted_until: i64,
}

read_from_row!(StoredSpans {
    kind,
    counted_from,
    counted_until,
});

struct NotedMinute {
    kind: String,
    at: i64,
}

read_from_row!(NotedMinute { kind, at });

impl Store {
    /// What is counted, with the minutes between `from` and `until` that must be counted again.
    pub async fn counted_times(&self, from: i64, until: i64) -> Result<CountedTimes, StoreError> {
        let stored: Vec<StoredSpans> = query("SELECT kind, counted_from, counted_until FROM report_progress")
            .fetch_all(&self.readers)
            .await?;
        let noted: Vec<NotedMinute> = query(
            "SELECT DISTINCT kind, at FROM report_notes WHERE kind IN ('charges', 'visits') AND at >= $1 AND at < $2",
        )
        .bind(span_begin(from, MINUTE_MS))
        .bind(until)
        .fetch_all(&self.readers)
        .await?;
        let mut times = CountedTimes::default();
        for spans in stored {
            if let Some(time) = times.of_named(&spans.kind) {
                (time.from, time.until) = (spans.counted_from, spans.counted_until);
            }
        }
        for minute in noted {
            if let Some(time) = times.of_named(&minute.kind) {
                time.changed.insert(minute.at);
            }
        }
        Ok(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = SPANS_MS[1];
    const HALF_DAY: i64 = SPANS_MS[2];
    const HOURS: i64 = SPANS_MS[3];
    const HALF_HOUR: i64 = SPANS_MS[4];
    const FIVE: i64 = SPANS_MS[5];
    const MINUTE: i64 = SPANS_MS[6];

    fn covered(counted: &CountedTime, from: i64, until: i64) -> Cover {
        let mut cover = Cover::default();
        counted.cover(from, until, &mut cover);
        // Nothing is left out, and nothing is in it twice.
        let spans = cover.counted.iter().map(|spans| (spans.from, spans.until));
        let rest = cover.parts.iter().chain(&cover.uncounted).copied();
        let mut all: Vec<_> = spans.chain(rest).collect();
        all.sort_unstable();
        assert_eq!(all.first().map(|first| first.0), Some(from));
        assert_eq!(all.last().map(|last| last.1), Some(until));
        assert!(all.windows(2).all(|two| two[0].1 == two[1].0), "{all:?}");
        cover
    }

    #[test]
    fn a_range_is_covered_by_the_longest_counted_spans() {
        let counted = CountedTime {
            from: 0,
            until: 9 * DAY + HOURS + MINUTE,
            changed: BTreeSet::new(),
        };
        let begin = 2 * DAY - HALF_DAY - HOURS - HALF_HOUR - FIVE - MINUTE;
        let end = 9 * DAY + HOURS + MINUTE;
        let cover = covered(&counted, begin - 7, end + 2 * MINUTE + 5);
        let mut at = begin;
        let mut spans = |span, until| {
            let from = std::mem::replace(&mut at, until);
            CountedSpans {
                from,
                until,
                span,
                is_taken: false,
            }
        };
        assert_eq!(
            cover.counted,
            [
                spans(MINUTE, begin + MINUTE),
                spans(FIVE, begin + MINUTE + FIVE),
                spans(HALF_HOUR, 2 * DAY - HALF_DAY - HOURS),
                spans(HOURS, 2 * DAY - HALF_DAY),
                spans(HALF_DAY, 2 * DAY),
                spans(DAY, 9 * DAY),
                spans(HOURS, 9 * DAY + HOURS),
                spans(MINUTE, end),
            ]
        );
        assert_eq!(cover.parts, [(begin - 7, begin)]);
        assert_eq!(cover.uncounted, [(end, end + 2 * MINUTE + 5)]);
    }

    #[test]
    fn a_changed_minute_is_counted_now() {
        let counted = CountedTime {
            from: 0,
            until: 9 * DAY,
            changed: BTreeSet::from([DAY + HALF_HOUR]),
        };
        let cover = covered(&counted, DAY, 2 * DAY);
        assert_eq!(cover.uncounted, [(DAY + HALF_HOUR, DAY + HALF_HOUR + MINUTE)]);
        // The half hour before it, and what is left of each longer span after it.
        assert_eq!(cover.counted.len(), 6);
    }

    #[test]
    fn what_was_never_counted_is_one_range() {
        assert_eq!(
            covered(&CountedTime::default(), 5, 400 * DAY).uncounted,
            [(5, 400 * DAY)]
        );
        let late = CountedTime {
            from: 30 * DAY,
            until: 31 * DAY,
            changed: BTreeSet::new(),
        };
        assert_eq!(covered(&late, 5, 31 * DAY).uncounted, [(5, 30 * DAY)]);
    }

    #[test]
    fn two_buckets_that_meet_are_covered_apart() {
        let counted = CountedTime {
            from: 0,
            until: 9 * DAY,
            changed: BTreeSet::new(),
        };
        let mut cover = Cover::default();
        counted.cover(0, DAY, &mut cover);
        counted.cover(DAY, 2 * DAY, &mut cover);
        assert_eq!(cover.counted.len(), 2);
    }
}
