//! The expiry: MM/YY, from the current month to 20 years ahead (docs/rules.md#expiry).

use crate::limits::{EXPIRY_LENGTH, EXPIRY_YEARS_AHEAD_MAX};
use crate::{ErrorId, Verdict};

/// The first two digits of a card's year. A year that is typed with two digits is sent with these before it
/// (docs/rules.md#expiry).
const CENTURY: u16 = 2000;
const CENTURY_DIGITS: &str = "20";

/// A month of a year: the current one, or one in which a card expires. Later months compare greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    /// Four digits.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
}

/// Checks an expiry while the shopper types. Spaces are ignored, and a year of four digits is shortened to two. `limit`
/// is the experiment `card-form-card-expiry-date-limit-validation`. An error in a text shorter than MM/YY is
/// "incomplete", not "wrong".
pub fn verdict(text: &str, today: Month, limit: bool) -> Verdict {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if compact.is_empty() {
        return Verdict::Empty(ErrorId::CardExpiryEmpty);
    }
    match judge(&compact, today, limit) {
        Ok(()) => Verdict::Valid,
        Err(id) if compact.chars().count() < EXPIRY_LENGTH => Verdict::Incomplete(id),
        Err(id) => Verdict::Wrong(id),
    }
}

/// Checks an expiry in a request: a month of two digits, a year of four (docs/rules.md#expiry).
pub fn check(month: &str, year: &str, today: Month, limit: bool) -> Result<(), ErrorId> {
    if month.is_empty() && year.is_empty() {
        return Err(ErrorId::CardExpiryEmpty);
    }
    if !(all_digits(month) && all_digits(year)) {
        return Err(ErrorId::CardExpiryContainsNonNumber);
    }
    let short_year = year
        .strip_prefix(CENTURY_DIGITS)
        .ok_or(ErrorId::CardExpiryWrongMmDdFormat)?;
    in_time(read(month, short_year)?, today, limit)
}

fn judge(compact: &str, today: Month, limit: bool) -> Result<(), ErrorId> {
    if !compact.chars().all(|c| c.is_ascii_digit() || c == '/') {
        return Err(ErrorId::CardExpiryContainsNonNumber);
    }
    let (month, year) = match compact.split_once('/') {
        Some(parts) => parts,
        // The text is ASCII, so each byte is a character.
        None => compact.split_at(compact.len().min(2)),
    };
    let year = match year.strip_prefix(CENTURY_DIGITS) {
        Some(short) if short.len() == 2 => short,
        _ => year,
    };
    in_time(read(month, year)?, today, limit)
}

/// Reads a month of two digits and a year of two digits.
fn read(month: &str, year: &str) -> Result<Month, ErrorId> {
    let two_digits = |text: &str| {
        let number = text.parse().ok().filter(|_| text.len() == 2 && all_digits(text));
        number.ok_or(ErrorId::CardExpiryWrongMmDdFormat)
    };
    let (month, year) = (two_digits(month)?, two_digits(year)?);
    if !(1..=12).contains(&month) {
        return Err(ErrorId::CardExpiryMonthOutOfRange);
    }
    Ok(Month {
        year: CENTURY + u16::from(year),
        month,
    })
}

fn in_time(expiry: Month, today: Month, limit: bool) -> Result<(), ErrorId> {
    if expiry < today {
        Err(ErrorId::CardExpiryExpired)
    } else if limit && expiry.year - today.year > EXPIRY_YEARS_AHEAD_MAX {
        Err(ErrorId::CardExpiryExceedsMaxValue)
    } else {
        Ok(())
    }
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests;
