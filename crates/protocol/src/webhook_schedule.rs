//! When an event is sent again, and how long a receiver that does not answer is paused.

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// How long an event is retried: longer than a long weekend.
pub const RETRY_FOR_MS: i64 = 72 * HOUR_MS;

/// How long an event waits for earlier ones of its charge that wait for their retry. With the ten seconds that a call may
/// take, and the five after which another node takes it over, that is a minute.
pub const WAIT_FOR_EARLIER_MS: i64 = 45 * SECOND_MS;

/// Pauses after the first, second, … failed try; later tries use the last one.
const PAUSES_MS: [i64; 9] = [
    5 * SECOND_MS,
    30 * SECOND_MS,
    2 * MINUTE_MS,
    10 * MINUTE_MS,
    30 * MINUTE_MS,
    HOUR_MS,
    2 * HOUR_MS,
    4 * HOUR_MS,
    8 * HOUR_MS,
];

/// Each event's pause is up to a tenth longer, so that events that failed together are not retried together.
const PAUSE_SPREAD: i64 = 10;

/// The longest pause of a receiver that does not answer at all.
const RECEIVER_PAUSE_MAX_MS: i64 = 5 * MINUTE_MS;

/// When to try again after `tries` failed ones at `now_ms`, or `None` to give up. The last try is at `give_up_at`.
pub fn next_try(tries: i64, event_id: &str, now_ms: i64, give_up_at: i64) -> Option<i64> {
    if now_ms >= give_up_at {
        return None;
    }
    let last = PAUSES_MS.len() - 1;
    let step = usize::try_from(tries - 1).unwrap_or_default().min(last);
    let pause = PAUSES_MS[step];
    let spread = event_id.bytes().last().map_or(0, i64::from) % PAUSE_SPREAD;
    Some((now_ms + pause + pause * spread / (PAUSE_SPREAD * PAUSE_SPREAD)).min(give_up_at))
}

/// Until when a receiver is paused after this many unanswered calls in a row.
pub fn paused_until(silent_calls: i64, now_ms: i64) -> i64 {
    let doublings = u32::try_from(silent_calls - 1).unwrap_or_default().min(16);
    now_ms + (SECOND_MS << doublings).min(RECEIVER_PAUSE_MAX_MS)
}

#[cfg(test)]
mod tests {
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
}
