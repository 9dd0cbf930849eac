//! Where the counts of a span of time stand in `report_sums`, and the cases of a minute in `report_cases`: one number, so that
//! the spans of one length that follow each other stand side by side.
//!
//! In decimal digits it is what is counted, then five for the length and ten for the begin, both in minutes:
//! `2 00030 0030000000` has the visits of the half hour that begins 30,000,000 minutes after 1970.

use super::super::report_change::{CountedKind, MINUTE_MS};

const LENGTHS: i64 = 10_000_000_000;
const KINDS: i64 = 100_000 * LENGTHS;

/// The place of a span with this length and this begin, both in milliseconds and whole minutes.
pub(super) fn place_of(kind: CountedKind, span: i64, begin: i64) -> i64 {
    let kind = match kind {
        CountedKind::Charges => 1,
        CountedKind::Visits => 2,
    };
    kind * KINDS + span / MINUTE_MS * LENGTHS + begin / MINUTE_MS
}

/// The begin of the span at this place, in unix milliseconds.
pub(super) fn begin_at(place: i64) -> i64 {
    place % LENGTHS * MINUTE_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_what_is_counted_and_the_length_before_the_begin() {
        let begin = 30_000_000 * MINUTE_MS;
        let place = place_of(CountedKind::Visits, 30 * MINUTE_MS, begin);
        assert_eq!(place.to_string(), "2000300030000000");
        assert_eq!(begin_at(place), begin);
        let next = place_of(CountedKind::Visits, 30 * MINUTE_MS, begin + MINUTE_MS);
        assert_eq!(next, place + 1);
        let first = place_of(CountedKind::Charges, MINUTE_MS, 0);
        assert_eq!(first.to_string(), "1000010000000000");
    }
}
