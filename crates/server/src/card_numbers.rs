//! Finds card numbers where none must be: in events before anybody keeps them, and in requests whose connection must
//! then end.
//!
//! Looked at is every window of 12 to 19 digits, in any script's digits, with up to eight signs that are neither letters
//! nor digits between two of them. What begins and is as long as an issuer's numbers are, and passes the checksum, is
//! taken for one. docs/events.md says what is not.

mod decimal;
mod reading;
mod uuid;
mod window;

use std::ops::Range;

use reading::{Digit, Escapes, Sequences, may_hold_one};
use serde::de::IgnoredAny;
use uuid::is_within_uuid;
use window::cards;

/// The JSON `text` with nines for the digits of whatever looks like a card number; `None` when nothing does. JSON stays
/// JSON with nines in it, inside a text or out of it, and so many nines are nobody's number.
pub(crate) fn masked(text: &str) -> Option<String> {
    let found = found(text, true);
    if found.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for digit in found {
        // The digits of two windows overlap.
        if digit.start >= from {
            out.push_str(&text[from..digit.start]);
            out.push('9');
            from = digit.end;
        }
    }
    out.push_str(&text[from..]);
    Some(out)
}

/// Whether the bytes of a body hold a card number, whatever they are written as.
pub(crate) fn holds_one(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    // Nearly nothing is looked at twice.
    may_hold_one(&text).is_some() && {
        let is_json = serde_json::from_str::<IgnoredAny>(&text).is_ok();
        !found(&text, is_json).is_empty()
    }
}

/// Where the digits of card numbers stand, in order.
fn found(text: &str, is_json: bool) -> Vec<Range<usize>> {
    let Some(may) = may_hold_one(text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // A percent sign may begin an escape, or just stand before a number, and so may `\u`.
    let percents: &[bool] = if may.has_percent { &[false, true] } else { &[false] };
    let unicodes: &[bool] = if may.has_unicode { &[true, false] } else { &[true] };
    for &percent in percents {
        for &unicode in unicodes {
            for sequence in Sequences::of(text, Escapes { unicode, percent }, is_json) {
                mark(text, &sequence, &mut found);
            }
        }
    }
    found.sort_unstable_by_key(|range: &Range<usize>| (range.start, range.end));
    found
}

fn mark(text: &str, sequence: &[Digit], found: &mut Vec<Range<usize>>) {
    for card in cards(sequence) {
        let digits = &sequence[card.clone()];
        let is_id = digits
            .first()
            .zip(digits.last())
            .is_some_and(|(first, last)| is_within_uuid(text, first.place.start..last.place.end));
        if is_id {
            continue;
        }
        found.extend(sequence[card].iter().map(|digit| digit.place.clone()));
    }
}

#[cfg(test)]
mod tests;
