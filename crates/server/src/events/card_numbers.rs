//! Nothing stores a card number: digits of an event that look like one are replaced before anybody keeps it.

use std::borrow::Cow;

use serde_json::Value;

/// How many digits a card number has. (Maestro's twelve are left out: too much else has twelve.)
const DIGITS: std::ops::RangeInclusive<usize> = 13..=19;
/// Digits are written without their escapes by everybody but those who hide them.
const ESCAPED_DIGIT: &str = "\\u003";

/// The JSON `text` with nines for the digits of whatever looks like a card number; `None` when nothing does. JSON stays
/// JSON with nines in it, inside a text or out of it, and so many nines pass no checksum.
pub(super) fn masked(text: &str) -> Option<String> {
    let plain = if text.contains(ESCAPED_DIGIT) {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        Cow::Owned(value.to_string())
    } else {
        Cow::Borrowed(text)
    };
    let mut out: Option<Vec<u8>> = None;
    let bytes = plain.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let run = Run::at(bytes, at);
        if run.looks_like_a_card() {
            let out = out.get_or_insert_with(|| bytes.to_vec());
            for byte in &mut out[at..run.end] {
                if byte.is_ascii_digit() {
                    *byte = b'9';
                }
            }
        }
        at = run.end;
    }
    match out {
        Some(bytes) => String::from_utf8(bytes).ok(),
        None if matches!(plain, Cow::Owned(_)) => Some(plain.into_owned()),
        None => None,
    }
}

/// Digits in a row, or groups of them with one space or one hyphen between.
struct Run {
    digits: Vec<u8>,
    /// The lengths of its groups.
    groups: Vec<usize>,
    is_alone: bool,
    end: usize,
}

impl Run {
    fn at(bytes: &[u8], start: usize) -> Self {
        let mut run = Self {
            digits: Vec::new(),
            groups: vec![0],
            is_alone: true,
            end: start,
        };
        while let Some(byte) = bytes.get(run.end) {
            let is_grouped =
                matches!(byte, b' ' | b'-') && bytes.get(run.end + 1).is_some_and(u8::is_ascii_digit);
            if is_grouped {
                run.groups.push(0);
            } else if byte.is_ascii_digit() {
                run.digits.push(byte - b'0');
                if let Some(group) = run.groups.last_mut() {
                    *group += 1;
                }
            } else {
                break;
            }
            run.end += 1;
        }
        // What goes on in letters is an id, and what follows a point is a fraction.
        let before = start.checked_sub(1).map(|before| bytes[before]);
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        // `\n4242…` is a line's beginning, not a letter before a number.
        let is_escape = start >= 2 && bytes[start - 2] == b'\\' && bytes[start - 1] != b'\\';
        let is_part_before = before.is_some_and(|byte| is_part(byte) || byte == b'.') && !is_escape;
        let is_part_after = bytes.get(run.end).copied().is_some_and(is_part);
        run.is_alone = !is_part_before && !is_part_after;
        run
    }

    fn looks_like_a_card(&self) -> bool {
        let first = self.digits.first().copied().unwrap_or_default();
        let is_issued = match self.digits.len() {
            // Times in milliseconds have thirteen, too, and begin with 1 or 2. Cards of thirteen do not.
            13 => matches!(first, 4..=6),
            // No payment card begins with 0 or 1 (an airline's) or 7 (petrol).
            _ => !matches!(first, 0 | 1 | 7),
        };
        self.is_alone
            && DIGITS.contains(&self.digits.len())
            && is_issued
            && self.is_grouped_as_on_a_card()
            && passes_checksum(&self.digits)
    }

    /// All in one, in fours with the rest at the end, or as on cards of 14 and 15 digits. A UUID of digits is neither.
    fn is_grouped_as_on_a_card(&self) -> bool {
        match self.groups.as_slice() {
            [_] | [4, 6, 4 | 5] => true,
            [all @ .., last] => all.iter().all(|group| *group == 4) && *last <= 4,
            [] => false,
        }
    }
}

/// Luhn's checksum.
fn passes_checksum(digits: &[u8]) -> bool {
    let weighed = digits.iter().rev().enumerate().map(|(place, digit)| {
        let digit = u32::from(*digit);
        if place % 2 == 0 {
            digit
        } else {
            digit * 2 / 10 + digit * 2 % 10
        }
    });
    weighed.sum::<u32>().is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::cards::TEST_CARDS;

    #[test]
    fn every_test_card_is_masked_however_it_is_written() {
        for card in TEST_CARDS {
            let number = card.number;
            let fours: Vec<_> = number
                .as_bytes()
                .chunks(4)
                .map(|four| std::str::from_utf8(four).unwrap())
                .collect();
            let escaped: String = number
                .chars()
                .flat_map(|digit| ["\\u003".to_owned(), digit.to_string()])
                .collect();
            for text in [
                format!("\"{number}\""),
                format!("[{number}]"),
                format!("{{\"a\":\"it is {}.\"}}", fours.join(" ")),
                format!("\"{}\"", fours.join("-")),
                format!("\"?n={number}&a=1\""),
                format!("\"\\n{number}\\n\""),
                format!("{{\"{number}\":1}}"),
                format!("\"{escaped}\""),
            ] {
                let masked = masked(&text).unwrap_or_else(|| panic!("{text} is not masked"));
                assert!(!masked.contains(number) && masked.contains("999"), "{masked}");
                assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{masked}");
            }
        }
        assert_eq!(
            masked(r#"{"pan":"4242 4242 4242 4242","at":1763738400000}"#).as_deref(),
            Some(r#"{"pan":"9999 9999 9999 9999","at":1763738400000}"#)
        );
        assert_eq!(
            masked("\"3782 822463 10005\"").as_deref(),
            Some("\"9999 999999 99999\"")
        );
    }

    #[test]
    fn what_an_event_has_of_digits_otherwise_stays() {
        for text in [
            // Each passes the checksum.
            r#"{"at":1763738400007}"#,
            r#"{"at":2000000000008}"#,
            "\"a4242424242424242\"",
            "0.4242424242424242",
            "\"42424242424242420000000000000000\"",
            "\"42424242-4242-4242-8242-424242424242\"",
            "\"0000 0000 0000 0000\"",
            // And these do not.
            "\"4242424242424241\"",
            "\"GA1.1.1234567890.1763738400\"",
        ] {
            assert_eq!(masked(text), None, "{text}");
        }
    }

    #[test]
    fn what_was_masked_is_not_masked_again() {
        for count in DIGITS {
            assert_eq!(masked(&format!("\"{}\"", "9".repeat(count))), None);
        }
    }
}
