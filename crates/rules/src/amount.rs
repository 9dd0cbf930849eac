//! Amounts of money: decimal strings that the currency can express (docs/merchant-api.md#create-a-charge).

use iso_currency::Currency;

/// The most digits before the decimal point. No card can pay ten thousand billions.
pub const AMOUNT_INTEGER_DIGITS_MAX: usize = 13;

/// An amount above zero that its currency can express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// The amount in the currency's minor unit: cents for USD, yen for JPY, fils for KWD.
    pub minor_units: u64,
    /// How many digits the minor unit has: 2 for USD, 0 for JPY, 3 for KWD.
    pub exponent: u16,
}

/// Why an amount is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmountError {
    /// The currency is not an ISO 4217 code in capitals, or no payment can be in it.
    Currency,
    /// The value is not a plain decimal above zero, or has more fraction digits than the currency.
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

/// The amount of a charge that saves a card without a payment (docs/saving-cards.md#save-a-card-without-a-payment).
pub const SETUP_AMOUNT: &str = "0";

/// As [`parse`], and [`SETUP_AMOUNT`] is an amount, too.
pub fn parse_of_charge(value: &str, currency: &str) -> Result<Amount, AmountError> {
    if value != SETUP_AMOUNT {
        return parse(value, currency);
    }
    let exponent = exponent_of(currency).ok_or(AmountError::Currency)?;
    Ok(Amount {
        minor_units: 0,
        exponent,
    })
}

/// How many digits the minor unit of an ISO 4217 code has; `None` if the code is not one, or no payment can be in it.
fn exponent_of(currency: &str) -> Option<u16> {
    Currency::from_code(currency)?.exponent()
}

/// How many minor units an amount or a sum of amounts has; `None` if it is no amount of the currency. Zero is one.
pub fn minor_units(value: &str, currency: &str) -> Option<u64> {
    if value.bytes().all(|byte| matches!(byte, b'0' | b'.')) {
        return exponent_of(currency).map(|_| 0);
    }
    Some(parse(value, currency).ok()?.minor_units)
}

/// Minor units as a decimal number with all fraction digits of the currency: 1250 of USD is "12.50".
pub fn minor_units_text(units: u64, currency: &str) -> String {
    let exponent = exponent_of(currency).map_or(2, usize::from);
    let mut digits = format!("{units:0>width$}", width = exponent + 1);
    if exponent > 0 {
        digits.insert(digits.len() - exponent, '.');
    }
    digits
}

/// `sum`, a decimal number of units of `currency` ("12.5"), with all fraction digits of the currency ("12.50").
pub fn sum_text(sum: &str, currency: &str) -> String {
    let exponent = exponent_of(currency).map_or(2, usize::from);
    let (integer, fraction) = sum.split_once('.').unwrap_or((sum, ""));
    let point = if exponent == 0 { "" } else { "." };
    format!("{integer}{point}{fraction:0<exponent$}")
}

#[cfg(test)]
mod tests;
