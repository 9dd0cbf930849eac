use super::*;

#[test]
fn a_clock_that_is_ahead_runs_on_from_where_it_was_moved() {
    let (clock, machine) = (Clock::ahead(60_000), Clock::system());
    clock.clone().advance_ms(5_000);
    assert_eq!((clock.ahead_ms(), machine.ahead_ms()), (65_000, 0));
    let before = machine.now_ms();
    let shown = clock.now_ms() - 65_000;
    assert!((before..=machine.now_ms()).contains(&shown));
}

#[test]
fn a_fixed_clock_and_its_clones_advance_together() {
    let clock = Clock::fixed("2026-01-02T03:04:05Z".parse().unwrap());
    let clone = clock.clone();
    assert_eq!(rfc3339(clock.now_ms()), "2026-01-02T03:04:05Z");
    clock.advance_ms(1_500);
    assert_eq!(rfc3339(clone.now_ms()), "2026-01-02T03:04:06.5Z");
    assert_eq!(clone.now_seconds(), clock.now_ms() / 1000);
}
