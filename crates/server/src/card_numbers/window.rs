//! Which digits of a sequence look like a card number.

use std::ops::Range;

use super::reading::{DIGITS_MIN, Digit};

const DIGITS_MAX: usize = 19;

/// The windows of a sequence that look like a card number.
pub(super) fn cards(sequence: &[Digit]) -> Vec<Range<usize>> {
    let sums = Sums::of(sequence);
    let mut cards = Vec::new();
    for start in 0..sequence.len().saturating_sub(DIGITS_MIN - 1) {
        let longest = DIGITS_MAX.min(sequence.len() - start);
        let prefix = prefix(&sequence[start..]);
        for length in DIGITS_MIN..=longest {
            let window = start..start + length;
            if is_issued(prefix, length) && sums.pass(&window) && is_in_one_piece(sequence, &window) {
                cards.push(window);
            }
        }
    }
    cards
}

/// The first four digits as a number.
fn prefix(digits: &[Digit]) -> u16 {
    digits
        .iter()
        .take(4)
        .fold(0, |number, digit| number * 10 + u16::from(digit.value))
}

/// Whether issuers use numbers with this prefix and this length.
#[expect(
    clippy::match_same_arms,
    reason = "a line for each network, in the order of their numbers"
)]
fn is_issued(prefix: u16, length: usize) -> bool {
    match prefix {
        // Mir; Mastercard.
        2200..=2204 => (16..=19).contains(&length),
        2221..=2720 | 5100..=5599 => length == 16,
        // American Express.
        3400..=3499 | 3700..=3799 => length == 15,
        // JCB.
        3528..=3589 => (16..=19).contains(&length),
        // Diners Club, Hipercard.
        3000..=3099 | 3600..=3699 | 3800..=3999 => (14..=19).contains(&length),
        // Visa; old numbers have 13 digits.
        4000..=4999 => matches!(length, 13 | 16 | 18 | 19),
        // Maestro, and in the same range Discover, UnionPay, Elo, Hiper, RuPay and Verve.
        5000..=5099 | 5600..=6999 => true,
        // UnionPay and RuPay.
        8100..=8299 => (14..=19).contains(&length),
        // mada; Troy.
        9682 | 9792 => length == 16,
        _ => false,
    }
}

/// Whether the window is within one group, or consists of whole groups, or is grouped as on a card, even if digits
/// stand directly before or after it. Any other window is only part of something else, for example of an IP address or
/// a cookie's id.
fn is_in_one_piece(sequence: &[Digit], window: &Range<usize>) -> bool {
    let digits = &sequence[window.clone()];
    let group_at = |place: usize| sequence.get(place).map(|digit| digit.group);
    let (Some(first), Some(last)) = (digits.first(), digits.last()) else {
        return false;
    };
    let begins_a_group = window.start == 0 || group_at(window.start - 1) != Some(first.group);
    let ends_a_group = group_at(window.end) != Some(last.group);
    first.group == last.group || begins_a_group && ends_a_group || is_grouped_as_on_a_card(digits)
}

/// Groups of four of which the last may be shorter, or 4-6-4 and 4-6-5 as on cards of 14 and 15 digits.
fn is_grouped_as_on_a_card(digits: &[Digit]) -> bool {
    let groups: Vec<usize> = digits
        .chunk_by(|one, next| one.group == next.group)
        .map(<[Digit]>::len)
        .collect();
    match groups.as_slice() {
        [4, 6, 4 | 5] => true,
        [all @ .., last] => *last <= 4 && all.iter().all(|group| *group == 4),
        [] => false,
    }
}

/// Running sums of the digits, so that the Luhn checksum of a window needs one subtraction.
struct Sums {
    /// First the sums in which digits at even places are doubled, then those with odd places doubled.
    doubled: [Vec<u32>; 2],
}

impl Sums {
    fn of(sequence: &[Digit]) -> Self {
        let sums = |doubles: usize| {
            let mut sum = 0;
            let mut sums = Vec::with_capacity(sequence.len() + 1);
            sums.push(sum);
            for (place, digit) in sequence.iter().enumerate() {
                let value = u32::from(digit.value);
                sum += if place % 2 == doubles {
                    value * 2 / 10 + value * 2 % 10
                } else {
                    value
                };
                sums.push(sum);
            }
            sums
        };
        Self {
            doubled: [sums(0), sums(1)],
        }
    }

    /// Whether the window passes the Luhn checksum: its last digit counts once, the one before it is doubled, and so
    /// on.
    fn pass(&self, window: &Range<usize>) -> bool {
        let sums = &self.doubled[window.end % 2];
        (sums[window.end] - sums[window.start]).is_multiple_of(10)
    }
}
