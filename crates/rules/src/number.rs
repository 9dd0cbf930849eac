//! The card number: digits, a length of its brand, and the Luhn digit (docs/rules.md#card-number).

use crate::brand;
use crate::{Brand, ErrorId, Verdict};

/// Checks a card number while the shopper types. Spaces are ignored. `luhn` is the experiment
/// `card-form-card-number-luhn-alg-validation`, for every brand, also `UnionPay`.
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
    let digits = text.chars().rev().filter_map(|c| c.to_digit(10));
    // The sum is taken modulo ten at each step, so that no length can overflow.
    let sum = digits.enumerate().fold(0, |sum, (place, digit)| {
        (sum + weighed(digit, place % 2 == 1)) % 10
    });
    sum == 0
}

/// What a digit adds to the Luhn sum: itself, or the digits of its double.
pub(crate) fn weighed(digit: u32, is_doubled: bool) -> u32 {
    let product = if is_doubled { digit * 2 } else { digit };
    product / 10 + product % 10
}
