//! The time range of a report, and the buckets into which it is divided.

use protocol::{ChargeBucket, ChargeOutcomes};
use serde::Deserialize;

use web::api_error::ApiError;

/// An hour, in milliseconds.
const HOUR_MS: i64 = 3_600_000;
/// The range when the request names no beginning, in milliseconds.
const RANGE_MS: i64 = HOUR_MS;
/// The longest range, in milliseconds: 400 days.
const RANGE_MS_MAX: i64 = 400 * 86_400_000;
/// The most buckets of a range: more bars are too narrow on a phone.
const BUCKETS_MAX: i64 = 60;
/// The possible lengths of a bucket, in milliseconds: units of clocks and calendars.
const BUCKETS_MS: [i64; 11] = [
    1_000,
    5_000,
    15_000,
    60_000,
    300_000,
    HOUR_MS,
    3 * 3_600_000,
    6 * 3_600_000,
    12 * 3_600_000,
    86_400_000,
    7 * 86_400_000,
];

/// The longest text in the query, in bytes.
const TEXT_BYTES_MAX: usize = 100;

/// The query of a report.
#[derive(Debug, Default, Deserialize)]
pub struct ReportQuery {
    from: Option<i64>,
    to: Option<i64>,
    locale: Option<String>,
    experiment: Option<String>,
}

/// What a report covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportRequest {
    /// Where the range begins, in unix milliseconds.
    pub from: i64,
    /// Where the range ends, in unix milliseconds; this instant does not belong to it.
    pub to: i64,
    /// Only visits in this locale.
    pub locale: Option<String>,
    /// Only this experiment.
    pub experiment: Option<String>,
}

impl ReportQuery {
    /// Reads the query; `now` is in unix milliseconds. The default range is the last hour.
    pub(super) fn read(self, now: i64) -> Result<ReportRequest, ApiError> {
        // The range ends after this millisecond, so it includes what is recorded in it.
        let to = self.to.unwrap_or(now + 1);
        let from = self.from.unwrap_or_else(|| to.saturating_sub(RANGE_MS));
        if from < 0 {
            return Err(ApiError::invalid("from", "This must be milliseconds since 1970."));
        }
        if !(1..=RANGE_MS_MAX).contains(&to.saturating_sub(from)) {
            return Err(ApiError::invalid(
                "to",
                "The range must end after it begins, and be 400 days long at most.",
            ));
        }
        let locale = match self.locale.filter(|code| !code.is_empty()) {
            None => None,
            Some(code) => Some(
                rules::locale::by_code(&code)
                    .ok_or_else(|| ApiError::invalid("locale", "There is no such locale."))?
                    .code
                    .to_owned(),
            ),
        };
        let experiment = self.experiment.filter(|id| !id.is_empty());
        if experiment.as_ref().is_some_and(|id| id.len() > TEXT_BYTES_MAX) {
            return Err(ApiError::invalid(
                "experiment",
                "This must have 100 characters at most.",
            ));
        }
        let mut asked = ReportRequest {
            from,
            to,
            locale,
            experiment,
        };
        // Whole hours are tallied, so the first bar of a long range begins with one.
        if asked.bucket_ms() >= HOUR_MS {
            asked.from -= asked.from % HOUR_MS;
        }
        Ok(asked)
    }
}

impl ReportRequest {
    /// The length of the range's buckets, in milliseconds.
    pub(super) fn bucket_ms(&self) -> i64 {
        let fits = |bucket: &i64| (self.to - self.from).div_euclid(*bucket) < BUCKETS_MAX + 1;
        BUCKETS_MS.into_iter().find(fits).unwrap_or(BUCKETS_MS[10])
    }

    /// The range's buckets, still empty. Each begins at a multiple of its length, so the first may begin before the
    /// range.
    pub(super) fn buckets(&self) -> Vec<ChargeBucket> {
        let bucket_ms = self.bucket_ms();
        let first = self.from.div_euclid(bucket_ms);
        let last = (self.to - 1).div_euclid(bucket_ms);
        (first..=last)
            .map(|bucket| ChargeBucket {
                at: bucket * bucket_ms,
                outcomes: ChargeOutcomes::default(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_123_456;

    fn last(ms: i64) -> ReportRequest {
        let query = ReportQuery {
            from: Some(NOW - ms),
            to: Some(NOW),
            ..ReportQuery::default()
        };
        query.read(NOW).unwrap()
    }

    #[test]
    fn the_default_range_is_the_last_hour() {
        let asked = ReportQuery::default().read(NOW).unwrap();
        assert_eq!((asked.from, asked.to), (NOW + 1 - 3_600_000, NOW + 1));
    }

    #[test]
    fn a_range_has_at_most_62_aligned_buckets() {
        for (ms, bucket_ms) in [
            (1, 1_000),
            (15 * 60_000, 15_000),
            (3_600_000, 60_000),
            (5 * 3_600_000, 300_000),
            (86_400_000, 3_600_000),
            (7 * 86_400_000, 3 * 3_600_000),
            (30 * 86_400_000, 12 * 3_600_000),
            (400 * 86_400_000, 7 * 86_400_000),
        ] {
            let asked = last(ms);
            assert_eq!(asked.bucket_ms(), bucket_ms, "{ms}");
            let is_of_hours = bucket_ms >= HOUR_MS;
            let begins_earlier = NOW - ms - asked.from;
            assert_eq!(
                begins_earlier,
                if is_of_hours { (NOW - ms) % HOUR_MS } else { 0 },
                "{ms}"
            );
            let buckets = asked.buckets();
            assert!((1..=62).contains(&buckets.len()), "{ms}: {}", buckets.len());
            assert!(buckets[0].at <= asked.from && buckets[0].at + bucket_ms > asked.from);
            let end = buckets.last().unwrap().at;
            assert!(end < asked.to && end + bucket_ms >= asked.to);
            assert!(buckets.iter().all(|bucket| bucket.at % bucket_ms == 0));
        }
    }

    #[test]
    fn an_invalid_range_is_refused() {
        let read = |from, to| {
            let query = ReportQuery {
                from,
                to,
                ..ReportQuery::default()
            };
            query.read(NOW).map_err(|error| error.detail().field.clone())
        };
        let field = |name: &str| Err(Some(name.to_owned()));
        assert_eq!(read(Some(-1), None), field("from"));
        assert_eq!(read(Some(5), Some(5)), field("to"));
        assert_eq!(read(Some(6), Some(5)), field("to"));
        assert_eq!(read(Some(0), Some(i64::MAX)), field("to"));
        assert_eq!(read(Some(i64::MIN), Some(i64::MAX)), field("from"));
        assert_eq!(read(None, Some(i64::MIN)), field("from"));
        assert_eq!(
            read(Some(0), Some(RANGE_MS_MAX)).map(|asked| asked.to),
            Ok(RANGE_MS_MAX)
        );
    }

    #[test]
    fn an_unknown_locale_is_refused() {
        let read = |code: &str| {
            let query = ReportQuery {
                locale: Some(code.to_owned()),
                ..ReportQuery::default()
            };
            query.read(NOW).map(|asked| asked.locale)
        };
        assert_eq!(read("th-TH").unwrap().as_deref(), Some("th-TH"));
        assert_eq!(read("").unwrap(), None);
        assert!(read("xx-XX").is_err());
    }
}
