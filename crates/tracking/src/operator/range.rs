//! The time range of a report, and the buckets into which it is divided.

use protocol::{ChargeBucket, ChargeOutcomes};
use serde::Deserialize;

use web::ApiError;

/// An hour, in milliseconds.
const HOUR_MS: i64 = 3_600_000;
/// The range when the request names no beginning, in milliseconds.
const RANGE_MS: i64 = HOUR_MS;
/// The longest range, in milliseconds: 400 days.
const RANGE_MS_MAX: i64 = 400 * 86_400_000;
/// The latest time, in milliseconds since 1970: the latest one of JavaScript.
const TIME_MS_MAX: i64 = 8_640_000_000_000_000;
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
        for (field, time) in [("from", from), ("to", to)] {
            if !(0..=TIME_MS_MAX).contains(&time) {
                return Err(ApiError::invalid(field, "This must be milliseconds since 1970."));
            }
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
        let can_be_id = |id: &String| id.len() <= TEXT_BYTES_MAX && !id.contains(char::is_control);
        if !experiment.as_ref().is_none_or(can_be_id) {
            return Err(ApiError::invalid(
                "experiment",
                "This must have 100 characters at most, and no control characters.",
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
mod tests;
