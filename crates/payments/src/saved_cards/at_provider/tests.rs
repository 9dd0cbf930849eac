use super::*;

#[test]
fn the_pause_between_retries_grows_to_an_hour() {
    assert_eq!([0, 1, 2].map(pause_ms), [10_000, 20_000, 40_000]);
    assert_eq!([9, 99, i64::MAX].map(pause_ms), [3_600_000; 3]);
}
