use super::*;

#[test]
fn pauses_grow_and_the_last_try_is_after_three_days() {
    let mut now = 0;
    let mut pauses = Vec::new();
    for tries in 1.. {
        let Some(next) = next_try(tries, "evt_0", now, RETRY_FOR_MS) else {
            break;
        };
        pauses.push((next - now) / SECOND_MS);
        now = next;
    }
    assert_eq!(now, RETRY_FOR_MS);
    assert_eq!(pauses[..4], [5, 32, 129, 648], "spread by 8 %");
    assert!(pauses[..9].is_sorted(), "{pauses:?}");
    assert_eq!(pauses.len(), 16);
}

#[test]
fn two_events_are_not_retried_at_the_same_time() {
    assert_ne!(
        next_try(3, "evt_0", 0, RETRY_FOR_MS),
        next_try(3, "evt_1", 0, RETRY_FOR_MS)
    );
}

#[test]
fn an_unanswering_receiver_is_paused_five_minutes_at_most() {
    let pauses: Vec<_> = [1, 2, 5, 9, 10, 1_000]
        .map(|calls| paused_until(calls, 0) / SECOND_MS)
        .into();
    assert_eq!(pauses, [1, 2, 16, 256, 300, 300]);
}
