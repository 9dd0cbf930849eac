//! Amounts of money: decimal strings checked against what the currency can express
//! (docs/merchant-api.md#create-a-charge).

use std::sync::atomic::{AtomicU8, Ordering};

use iso_currency::Currency;

/// The most digits before the decimal point. No card can pay ten thousand billions.
pub const AMOUNT_INTEGER_DIGITS_MAX: usize = 13;

/// An amount above zero that its currency can express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// The amount in the currency's minor unit: cents for USD, yen for JPY, fils for KWD.
    pub minor_units: u64,
    /// How many digits the minor unit takes: 2 for USD, 0 for JPY, 3 for KWD.
    pub exponent: u16,
}

/// Why an amount is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmountError {
    /// The currency is not an ISO 4217 code in capitals, or not one that can be paid in.
    Currency,
    /// The value is not a plain decimal above zero, or finer than the currency's minor unit.
    Value,
}

/// Reads `value` ("12.50", "12.5", "12") in `currency` ("USD"). A sign, an exponent, spaces, a leading zero before
/// another digit, and more fraction digits than the currency has are refused.
pub fn parse(value: &str, currency: &str) -> Result<Amount, AmountError> {
    let exponent = exponent_of(currency).ok_or(AmountError::Currency)?;
    let (integer, fraction) = match value.split_once('.') {
        Some((_, "")) => return Err(AmountError::Value),
        Some(parts) => parts,
        None => (value, ""),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let well_formed = !integer.is_empty()
        && integer.len() <= AMOUNT_INTEGER_DIGITS_MAX
        && (integer.len() == 1 || !integer.starts_with('0'))
        && digits(integer)
        && digits(fraction)
        && fraction.len() <= usize::from(exponent);
    if !well_formed {
        return Err(AmountError::Value);
    }
    let padding = usize::from(exponent) - fraction.len();
    let written = integer.bytes().chain(fraction.bytes()).map(|digit| digit - b'0');
    let minor_units = written
        .chain(std::iter::repeat_n(0, padding))
        .try_fold(0_u64, |units, digit| {
            units.checked_mul(10)?.checked_add(digit.into())
        })
        .ok_or(AmountError::Value)?;
    if minor_units == 0 {
        Err(AmountError::Value)
    } else {
        Ok(Amount {
            minor_units,
            exponent,
        })
    }
}

/// How many letters there are, and a code's length.
const LETTERS: usize = 26;
const CODE_LETTERS: usize = 3;
/// How many codes there can be.
const CODES: usize = LETTERS * LETTERS * LETTERS;

/// How many digits the minor unit of this ISO 4217 code takes; `None` if nobody can pay in it. `iso_currency` compares a
/// code with all others, one after the other, so the answer for each code is kept.
fn exponent_of(currency: &str) -> Option<u16> {
    const UNKNOWN: u8 = 0;
    const NONE: u8 = 1;
    const FIRST: u8 = 2;
    static KEPT: [AtomicU8; CODES] = [const { AtomicU8::new(UNKNOWN) }; CODES];
    if currency.len() != CODE_LETTERS || !currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let place = currency
        .bytes()
        .fold(0, |place, byte| place * LETTERS + usize::from(byte - b'A'));
    let kept = KEPT[place].load(Ordering::Relaxed);
    if kept != UNKNOWN {
        return kept.checked_sub(FIRST).map(u16::from);
    }
    let exponent = Currency::from_code(currency)
        .and_then(Currency::exponent)
        .and_then(|exponent| u8::try_from(exponent).ok());
    let answer = exponent.map_or(NONE, |exponent| exponent.saturating_add(FIRST));
    KEPT[place].store(answer, Ordering::Relaxed);
    exponent.map(u16::from)
}

/// A sum of amounts of `currency`, as a database writes numbers ("12.5", "1e3"), with as many digits after the point as
/// the currency has. A text that is not a number is shown unchanged.
pub fn sum_text(sum: &str, currency: &str) -> String {
    let exponent = exponent_of(currency).map_or(2, usize::from);
    let (integer, fraction) = sum.split_once('.').unwrap_or((sum, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(integer) || !are_digits(fraction) || fraction.len() > exponent {
        // It has a power of ten, or comes from a database that adds in binary: round it to the minor unit.
        return sum
            .parse::<f64>()
            .map_or_else(|_| sum.to_owned(), |sum| format!("{sum:.exponent$}"));
    }
    let point = if exponent == 0 { "" } else { "." };
    format!("{integer}{point}{fraction:0<exponent$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_written_to_the_currencys_minor_unit() {
        for (sum, currency, text) in [
            ("12.5", "USD", "12.50"),
            ("12.50", "USD", "12.50"),
            ("1200", "USD", "1200.00"),
            ("0.30000000000000004", "USD", "0.30"),
            ("500.0", "JPY", "500"),
            ("500", "JPY", "500"),
            ("1.234", "KWD", "1.234"),
            ("1.0e+15", "USD", "1000000000000000.00"),
            ("12345678901234567.89", "EUR", "12345678901234567.89"),
        ] {
            assert_eq!(sum_text(sum, currency), text, "{sum} {currency}");
        }
    }

    #[test]
    fn amounts_are_read_in_the_currencys_minor_units() {
        let minor = |value, currency| parse(value, currency).map(|a| a.minor_units);
        assert_eq!(minor("12.50", "USD"), Ok(1250));
        assert_eq!(minor("12.5", "USD"), Ok(1250));
        assert_eq!(minor("12", "USD"), Ok(1200));
        assert_eq!(minor("0.01", "USD"), Ok(1));
        assert_eq!(minor("500", "JPY"), Ok(500));
        assert_eq!(minor("1.234", "KWD"), Ok(1234));
    }

    #[test]
    fn amounts_that_the_currency_cannot_express_are_refused() {
        for value in [
            "",
            "0",
            "0.00",
            "-1",
            "+1",
            "1e3",
            " 1",
            "1.",
            ".5",
            "01",
            "1,5",
            "1.005",
            "1.2.3",
            "١٢",
            "12345678901234",
        ] {
            assert_eq!(parse(value, "USD"), Err(AmountError::Value), "{value}");
        }
        assert_eq!(parse("1.5", "JPY"), Err(AmountError::Value));
        for currency in ["", "usd", "USX", "US", "XXX"] {
            assert_eq!(parse("1", currency), Err(AmountError::Currency), "{currency}");
            // The same when the answer is kept.
            assert_eq!(parse("1", currency), Err(AmountError::Currency), "{currency}");
        }
    }
}
