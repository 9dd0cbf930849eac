//! A time as a sum of few counted spans: where a longer span reaches a bit beyond the time, it is added, and what is too much
//! of it is taken away. So the 25 minutes after six o'clock are not five spans of five minutes, but half an hour less one.

use super::super::report_change::span_begin;
use super::counted_time::{CountedSpans, CountedTime, Cover, SPANS_MS};

/// More stretches of counted time are not read at once, and so not of the same moment.
pub(super) const STRETCHES_MAX: usize = 50;

impl CountedTime {
    /// Covers the time with spans that are added and spans that are taken away.
    pub(super) fn cover_with_fewest(&self, from: i64, until: i64) -> Cover {
        let mut cover = Cover::default();
        self.cover(from, until, &mut cover);
        let mut whole: Vec<(i64, i64)> = Vec::new();
        for spans in &cover.counted {
            match whole.last_mut() {
                Some((_, end)) if *end == spans.from => *end = spans.until,
                _ => whole.push((spans.from, spans.until)),
            }
        }
        let fewest: Vec<CountedSpans> = whole
            .into_iter()
            .flat_map(|(from, until)| self.fewest(from, until))
            .collect();
        if fewest.len() <= STRETCHES_MAX {
            cover.counted = fewest;
        }
        cover
    }

    /// The same for whole minutes that are counted and have not changed.
    fn fewest(&self, from: i64, until: i64) -> Vec<CountedSpans> {
        let mut spans = Vec::new();
        let (mut from, mut until) = (from, until);
        let [mut shorter, longer @ ..] = reversed(SPANS_MS);
        for longer in longer {
            // The longer spans begin and end within the time, or outside it where that is nearer and counted.
            let (outside, within) = (span_begin(from, longer), span_begin(from + longer - 1, longer));
            let reaches_out = from - outside < within - from && self.has(outside, longer, outside + longer);
            let begin = if reaches_out { outside } else { within };
            let (within, outside) = (span_begin(until, longer), span_begin(until + longer - 1, longer));
            let reaches_out = outside - until < until - within && self.has(within, longer, outside);
            let end = if reaches_out { outside } else { within };
            let edges = ((from - begin).abs() + (until - end).abs()) / shorter;
            if begin >= end || (until - from) / shorter <= edges + (end - begin) / longer {
                break;
            }
            spans.extend(stretch(from, begin, shorter));
            spans.extend(stretch(end, until, shorter));
            (from, until, shorter) = (begin, end, longer);
        }
        spans.extend(stretch(from, until, shorter));
        spans
    }
}

/// What must be added between these times, or taken away if they are in the other order.
fn stretch(from: i64, until: i64, span: i64) -> Option<CountedSpans> {
    (from != until).then(|| CountedSpans {
        from: from.min(until),
        until: from.max(until),
        span,
        is_taken: until < from,
    })
}

fn reversed<const N: usize>(mut all: [i64; N]) -> [i64; N] {
    all.reverse();
    all
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use harness::random::Random;

    use super::super::super::report_change::MINUTE_MS;
    use super::*;

    const DAY_MS: i64 = 86_400_000;

    /// How often each minute is in the sum.
    fn minutes(spans: &[CountedSpans]) -> BTreeMap<i64, i64> {
        let mut minutes = BTreeMap::new();
        for spans in spans {
            for minute in spans.from / MINUTE_MS..spans.until / MINUTE_MS {
                *minutes.entry(minute).or_default() += if spans.is_taken { -1 } else { 1 };
            }
        }
        minutes.retain(|_, times| *times != 0);
        minutes
    }

    fn rows(cover: &Cover) -> i64 {
        let rows = cover
            .counted
            .iter()
            .map(|spans| (spans.until - spans.from) / spans.span);
        rows.sum()
    }

    #[test]
    fn each_minute_is_in_the_sum_once_whatever_is_counted() {
        let mut random = Random::new(3);
        let mut between = |from: i64, until: i64| {
            let offset = random.between(0, (until - from).unsigned_abs());
            from + i64::try_from(offset).unwrap()
        };
        for _ in 0..400 {
            let counted_from = between(0, 9) / 8 * between(0, 3 * DAY_MS / MINUTE_MS) * MINUTE_MS;
            let counted = CountedTime {
                from: counted_from,
                until: between(counted_from, 70 * DAY_MS) / MINUTE_MS * MINUTE_MS,
                changed: (0..between(0, 4) / 2 * 3)
                    .map(|_| between(0, 30 * DAY_MS) / MINUTE_MS * MINUTE_MS)
                    .collect(),
            };
            let from = between(0, 30 * DAY_MS);
            let length = 10_i64.pow(u32::try_from(between(4, 9)).unwrap());
            let until = between(from, from + length);
            let (mut greedy, fewest) = (Cover::default(), counted.cover_with_fewest(from, until));
            counted.cover(from, until, &mut greedy);
            assert_eq!(
                minutes(&fewest.counted),
                minutes(&greedy.counted),
                "{counted:?} {from} {until}"
            );
            assert_eq!(
                (&fewest.parts, &fewest.uncounted),
                (&greedy.parts, &greedy.uncounted)
            );
            assert!(rows(&fewest) <= rows(&greedy), "{counted:?} {from} {until}");
            for spans in &fewest.counted {
                let all = (spans.from..spans.until).step_by(usize::try_from(spans.span).unwrap());
                for begin in all {
                    let is_known = counted.has(begin, spans.span, begin + spans.span);
                    assert!(is_known, "{counted:?} {from} {until}: {spans:?}");
                }
            }
        }
    }

    #[test]
    fn a_week_that_ends_anywhere_needs_less_than_twenty_spans() {
        let counted = CountedTime {
            from: 0,
            until: 90 * DAY_MS,
            changed: BTreeSet::new(),
        };
        let (mut greedy, mut fewest) = (0, 0);
        for minutes in 0..1_000 {
            let until = 60 * DAY_MS + minutes * 7 * MINUTE_MS;
            let from = until - 7 * DAY_MS;
            let mut cover = Cover::default();
            counted.cover(from, until, &mut cover);
            greedy += rows(&cover);
            fewest += rows(&counted.cover_with_fewest(from, until));
        }
        assert!(
            fewest < 20_000 && fewest * 4 < greedy * 3,
            "{fewest} and {greedy}"
        );
    }
}
