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
    assert_eq!(read(None, Some(i64::MAX)), field("from"));
    assert_eq!(read(Some(i64::MIN), Some(i64::MAX)), field("from"));
    assert_eq!(read(None, Some(i64::MIN)), field("from"));
    assert_eq!(read(Some(i64::MAX - 1), Some(i64::MAX)), field("from"));
    assert_eq!(read(Some(TIME_MS_MAX), Some(TIME_MS_MAX + 1)), field("to"));
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
