//! The pauses between the tries to send an event, and the pauses of a receiver that does not answer.

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// How long an event is retried. It is longer than a long weekend.
pub const RETRY_FOR_MS: i64 = 72 * HOUR_MS;

/// How long an event waits for earlier events of its charge that wait for a retry. A call may take ten seconds more,
/// and another node takes an event over after five seconds more: a minute in all.
pub const WAIT_FOR_EARLIER_MS: i64 = 45 * SECOND_MS;

/// The pauses after the first, second, … failed try. Later tries use the last pause.
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

/// An event's pause is up to a tenth longer, so that events that failed together are not retried together.
const PAUSE_SPREAD: i64 = 10;

/// While a receiver does not answer, an event's pauses grow only up to this try's, so that the event is sent soon after the
/// receiver is back. The pause is longer than the receiver's own, so that an event that the receiver never answers leaves
/// calls to others.
pub const UNANSWERED_TRIES_MAX: i64 = 4;

/// The longest pause of a receiver that does not answer at all.
const RECEIVER_PAUSE_MAX_MS: i64 = 5 * MINUTE_MS;

/// The time of the next try after `tries` failed tries, the last at `now_ms`; `None` to give up. The last try is at
/// `give_up_at`.
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

/// The end of a receiver's pause after this many unanswered calls in a row.
pub fn paused_until(silent_calls: i64, now_ms: i64) -> i64 {
    let doublings = u32::try_from(silent_calls - 1).unwrap_or_default().min(16);
    now_ms + (SECOND_MS << doublings).min(RECEIVER_PAUSE_MAX_MS)
}

#[cfg(test)]
mod tests;
