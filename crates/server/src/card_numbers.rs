//! Finds card numbers where none may be: in events before they are stored, and in requests whose connection must then
//! be closed.
//!
//! It checks every run of 12 to 19 digits of any script, with up to eight characters that are neither letters nor
//! digits between two of them. A run counts as a card number if its beginning and its length fit an issuer's numbers
//! and it passes the checksum. docs/events.md lists the exceptions.

mod decimal;
mod reading;
mod uuid;
mod window;

use std::ops::Range;

use reading::{Digit, Escapes, Sequences, quick_check};
use serde::de::IgnoredAny;
use uuid::is_within_uuid;
use window::cards;

/// The JSON `text` with nines instead of the digits of everything that looks like a card number; `None` if nothing
/// does. The result is still JSON, because a nine is valid wherever a digit was, and no card number consists of nines.
pub(crate) fn mask(text: &str) -> Option<String> {
    let found = find_digits(text, true);
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

/// Whether the bytes of a body contain a card number, in JSON or in any other text.
pub(crate) fn has_card_number(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    // Few bodies pass this quick check, so few are parsed.
    quick_check(&text).is_some() && {
        let is_json = serde_json::from_str::<IgnoredAny>(&text).is_ok();
        !find_digits(&text, is_json).is_empty()
    }
}

/// The places of the digits of card numbers, in order.
fn find_digits(text: &str, is_json: bool) -> Vec<Range<usize>> {
    let Some(check) = quick_check(text) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // `%` and `\u` may begin an escape or just precede a number, so the text is read both ways.
    let percents: &[bool] = if check.has_percent {
        &[false, true]
    } else {
        &[false]
    };
    let unicodes: &[bool] = if check.has_unicode {
        &[true, false]
    } else {
        &[true]
    };
    for &percent in percents {
        for &unicode in unicodes {
            for sequence in Sequences::of(text, Escapes { unicode, percent }, is_json) {
                add_card_digits(text, &sequence, &mut found);
            }
        }
    }
    found.sort_unstable_by_key(|range: &Range<usize>| (range.start, range.end));
    found
}

fn add_card_digits(text: &str, sequence: &[Digit], found: &mut Vec<Range<usize>>) {
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
