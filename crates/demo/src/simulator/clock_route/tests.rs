use super::*;

#[test]
fn a_duration_is_read_in_the_iso_format() {
    for (text, expected) in [
        ("P7D", Some(7 * 86_400_000)),
        ("PT90M", Some(5_400_000)),
        ("P1DT0.5S", Some(86_400_500)),
        ("PT0S", Some(0)),
        ("P400D", Some(400 * 86_400_000)),
        ("P401D", None),
        ("-P1D", None),
        ("P1M", None),
        ("7", None),
        ("", None),
        ("P999999999999D", None),
    ] {
        assert_eq!(milliseconds(text), expected, "{text}");
    }
}

#[test]
fn the_clock_is_still_ahead_after_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let mover = ClockMover::new(clock_of(Some(data.path())).unwrap(), Some(data.path()));
    mover.advance(5_000).unwrap();
    mover.advance(7_000).unwrap();
    assert_eq!(clock_of(Some(data.path())).unwrap().ahead_ms(), 12_000);
}
