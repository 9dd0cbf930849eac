//! Finds card numbers where none may be: in events before they are stored, in texts before they are printed, and in
//! requests whose connection must then be closed (docs/events.md#what-is-never-in-an-event).
//!
//! It reads runs of 12 to 19 digits with up to eight other bytes between two digits, but no letter. Digits of a run count
//! as a card number if the form would accept their beginning and their count, and the last one is the check digit.

use std::iter;
use std::ops::Range;

use crate::brand::{self, Brand};
use crate::number::is_luhn;

/// The fewest digits of a card number (Maestro's).
const DIGITS_MIN: usize = 12;
/// How many bytes that are neither letters nor digits may stand between two digits of a number. The widest separators
/// of Unicode have four bytes.
const SEPARATORS_MAX: usize = 8;
/// A space in an address. It counts as one separator.
const ENCODED_SPACE: &[u8] = b"%20";

/// Whether the bytes of a body or a text contain a card number.
pub fn has_card_number(bytes: &[u8]) -> bool {
    runs(bytes).any(|run| cards(bytes, &run).next().is_some())
}

/// The text with nines instead of the digits of everything that looks like a card number; `None` if nothing does.
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

/// The runs that are long enough, each as the places of its digits.
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
        let is_space = bytes[*at..].starts_with(ENCODED_SPACE);
        *at += if is_space { ENCODED_SPACE.len() } else { 1 };
        if byte.is_ascii_alphabetic() || separators > SEPARATORS_MAX {
            break;
        }
    }
    run
}

/// The digits of a run that look like a card number, as ranges of the run.
fn cards(bytes: &[u8], run: &[usize]) -> impl Iterator<Item = Range<usize>> {
    candidates(bytes, run).filter(move |card| {
        let digits = run[card.clone()].iter().rev();
        is_in_one_piece(run, card) && is_luhn(digits.map(|place| u32::from(bytes[*place] - b'0')))
    })
}

/// The digits whose beginning and count fit a card number: a few ranges for each digit of the run.
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

/// How many digits a card number with this beginning may have. No issuer's numbers begin with 0 or 7, and those that
/// begin with 1 are a known brand's.
fn lengths(prefix: u16) -> &'static [usize] {
    match (Brand::of_prefix(prefix), prefix / 1_000) {
        (None, 0 | 1 | 7) => &[],
        (brand, _) => brand::lengths(brand),
    }
}

/// Whether the digits are within one group, or consist of whole groups, or are grouped as on a card, even if other digits
/// stand directly before or after them. Other digits are only part of something else, such as an IP address.
fn is_in_one_piece(run: &[usize], card: &Range<usize>) -> bool {
    let is_group = |places: &[usize]| places.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let is_within_group = |at: usize| (1..run.len()).contains(&at) && is_group(&run[at - 1..=at]);
    is_group(&run[card.clone()])
        || !is_within_group(card.start) && !is_within_group(card.end)
        || is_grouped_as_on_a_card(&run[card.clone()])
}

/// Groups of four of which the last may be shorter, or 4-6-4 and 4-6-5 as on cards of 14 and 15 digits.
fn is_grouped_as_on_a_card(places: &[usize]) -> bool {
    let groups = places.chunk_by(|place, next| place + 1 == *next);
    let groups: Vec<usize> = groups.map(<[usize]>::len).collect();
    match groups.as_slice() {
        [4, 6, 4 | 5] => true,
        [all @ .., last] => *last <= 4 && all.iter().all(|group| *group == 4),
        [] => false,
    }
}

#[cfg(test)]
mod tests;
