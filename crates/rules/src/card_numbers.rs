//! Finds card numbers where none may be: in events before they are stored, in texts before they are printed, and in
//! requests, whose connection is then closed (docs/events.md#what-is-never-in-an-event).
//!
//! A run is at least 12 digits with up to eight other bytes, but no letter, between two of them. Digits of a run count
//! as a card number if the form would accept their prefix and their count, and the last digit is the check digit.

use std::iter;
use std::ops::Range;

use crate::brand::{self, Brand};
use crate::number::weighed;

/// The fewest digits of a card number (Maestro's).
const DIGITS_MIN: usize = 12;
/// How many bytes that are neither letters nor digits may stand between two digits of a number. The widest separators
/// of Unicode have four bytes.
const SEPARATORS_MAX: usize = 8;

/// Whether the bytes of a body or a text contain a card number.
pub fn has_card_number(bytes: &[u8]) -> bool {
    runs(bytes).any(|run| cards(bytes, &run).next().is_some())
}

/// The text with nines instead of the digits of every card number; `None` if it has no card number.
pub fn mask_card_numbers(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut masked = None;
    for run in runs(bytes) {
        for card in cards(bytes, &run) {
            let masked = masked.get_or_insert_with(|| bytes.to_vec());
            for place in &run[card] {
                masked[*place] = b'9';
            }
        }
    }
    String::from_utf8(masked?).ok()
}

/// The runs with enough digits, each as the places of its digits.
fn runs(bytes: &[u8]) -> impl Iterator<Item = Vec<usize>> {
    let mut at = 0;
    iter::from_fn(move || {
        while at < bytes.len() {
            let run = next_run(bytes, &mut at);
            if run.len() >= DIGITS_MIN {
                return Some(run);
            }
        }
        None
    })
}

/// Reads one run and moves `at` behind it.
fn next_run(bytes: &[u8], at: &mut usize) -> Vec<usize> {
    let mut run = Vec::new();
    let mut separators = 0;
    while let Some(byte) = bytes.get(*at) {
        if byte.is_ascii_digit() {
            run.push(*at);
            separators = 0;
        } else {
            separators += 1;
        }
        let escaped = (!run.is_empty()).then(|| escaped_separator(bytes, *at));
        *at += escaped.flatten().unwrap_or(1);
        if byte.is_ascii_alphabetic() || separators > SEPARATORS_MAX {
            break;
        }
    }
    run
}

/// How many bytes the escape of a separator has: `%2D` in an address, `\t` or `\u00a0` in JSON. It counts as one. An escape
/// of other digits alone is none, because its digits may be those of a card.
fn escaped_separator(bytes: &[u8], at: usize) -> Option<usize> {
    let (digits, length) = match &bytes[at..] {
        [b'%', ..] => (bytes.get(at + 1..at + 3)?, 3),
        [b'\\', b'u', ..] => (bytes.get(at + 2..at + 6)?, 6),
        [b'\\', b'b' | b'f' | b'n' | b'r' | b't', ..] => return Some(2),
        _ => return None,
    };
    let code = u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    let is_inside_character = at >= 3 && bytes[at - 3] == b'%' && matches!(digits[0], b'8' | b'9');
    let is_escape = digits.iter().any(u8::is_ascii_alphabetic)
        || matches!(&digits[..2], b"20" | b"00" | b"30")
        || is_inside_character;
    let is_letter_or_digit = u8::try_from(code).is_ok_and(|byte| byte.is_ascii_alphanumeric());
    (is_escape && !is_letter_or_digit).then_some(length)
}

/// The card numbers in a run, as ranges of the run. Each candidate is checked in a few steps, however many overlap.
fn cards(bytes: &[u8], run: &[usize]) -> impl Iterator<Item = Range<usize>> {
    let sums = [0, 1].map(|odd| luhn_sums(bytes, run, odd));
    candidates(bytes, run).filter(move |card| {
        let sums = &sums[(card.end - 1) % 2];
        sums[card.start] == sums[card.end] && is_in_one_piece(run, card)
    })
}

/// The sum, modulo ten, of the digits before each place of the run, if the digits at places that are `odd` count once and
/// the others doubled. Two equal sums have a number with a valid check digit between them.
fn luhn_sums(bytes: &[u8], run: &[usize], odd: usize) -> Vec<u32> {
    let digits = run.iter().map(|place| u32::from(bytes[*place] - b'0'));
    let mut sum = 0;
    let sums = digits.enumerate().map(|(at, digit)| {
        sum = (sum + weighed(digit, at % 2 != odd)) % 10;
        sum
    });
    iter::once(0).chain(sums).collect()
}

/// The ranges of the run whose prefix and length a card number can have.
fn candidates(bytes: &[u8], run: &[usize]) -> impl Iterator<Item = Range<usize>> {
    run.windows(DIGITS_MIN)
        .enumerate()
        .flat_map(move |(start, digits)| {
            let prefix = digits[..4]
                .iter()
                .fold(0, |prefix, place| prefix * 10 + u16::from(bytes[*place] - b'0'));
            let ends = lengths(prefix).iter().map(move |length| start + length);
            ends.filter(|end| *end <= run.len()).map(move |end| start..end)
        })
}

/// How many digits a card number with this prefix may have. No card number begins with 0 or 7, and a card number that
/// begins with 1 has a known brand.
fn lengths(prefix: u16) -> &'static [usize] {
    match (Brand::of_prefix(prefix), prefix / 1_000) {
        (None, 0 | 1 | 7) => &[],
        (brand, _) => brand::lengths(brand),
    }
}

/// Whether the digits are within one group, or are whole groups, or are grouped as on a card, even with other digits
/// directly before or after them. Other digits are a part of something else, such as an IP address.
fn is_in_one_piece(run: &[usize], card: &Range<usize>) -> bool {
    // Places rise, so they follow each other if there are no more bytes from the first to the last than places.
    let is_group = |places: &[usize]| places[places.len() - 1] - places[0] == places.len() - 1;
    let is_within_group = |at: usize| (1..run.len()).contains(&at) && is_group(&run[at - 1..=at]);
    is_group(&run[card.clone()])
        || !is_within_group(card.start) && !is_within_group(card.end)
        || is_grouped_as_on_a_card(&run[card.clone()])
}

/// Whether the digits are in groups of four, of which the last may be shorter, or in 4-6-4 or 4-6-5 as on cards with 14
/// or 15 digits.
fn is_grouped_as_on_a_card(places: &[usize]) -> bool {
    let groups = || {
        let groups = places.chunk_by(|place, next| place + 1 == *next);
        groups.map(<[usize]>::len)
    };
    let mut before = 4;
    let are_fours = groups().all(|group| {
        before == 4 && {
            before = group;
            group <= 4
        }
    });
    are_fours || groups().eq([4, 6, 4]) || groups().eq([4, 6, 5])
}

#[cfg(test)]
mod tests;
