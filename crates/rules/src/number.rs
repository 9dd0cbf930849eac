//! The card number: digits, a length of its brand, and the Luhn digit (docs/rules.md#card-number).

use crate::brand;
use crate::{Brand, ErrorId, Verdict};

/// Checks a card number while it is typed. Spaces are ignored. `luhn` is the experiment
/// `card-form-card-number-luhn-alg-validation`; it applies to every brand, also to `UnionPay`.
pub fn verdict(text: &str, luhn: bool) -> Verdict {
    let digits = || text.chars().filter(|c| !c.is_whitespace());
    let length = digits().count();
    let lengths = brand::lengths(Brand::detect(text));
    if length == 0 {
        Verdict::Empty(ErrorId::CardNumberEmpty)
    } else if !digits().all(|c| c.is_ascii_digit()) {
        Verdict::Wrong(ErrorId::CardNumberContainsNonNumber)
    } else if lengths.iter().all(|&allowed| length > allowed) {
        Verdict::Wrong(ErrorId::CardNumberInvalidLength)
    } else if !lengths.contains(&length) {
        Verdict::Incomplete(ErrorId::CardNumberInvalidLength)
    } else if luhn && !luhn_holds(text) {
        Verdict::Wrong(ErrorId::CardNumberInvalid)
    } else {
        Verdict::Valid
    }
}

/// Whether the last digit is the Luhn check digit of the others. Other characters are ignored.
pub fn luhn_holds(text: &str) -> bool {
    is_luhn(text.chars().rev().filter_map(|c| c.to_digit(10)))
}

/// The same for digits from the last to the first.
pub(crate) fn is_luhn(digits: impl Iterator<Item = u32>) -> bool {
    let sum = digits.enumerate().fold(0, |sum, (place, digit)| {
        let weighed = if place % 2 == 0 { digit } else { digit * 2 };
        // A two-digit product counts as the sum of its digits. The sum is taken modulo ten at each step, so that no
        // length can overflow.
        (sum + weighed / 10 + weighed % 10) % 10
    });
    sum == 0
}
