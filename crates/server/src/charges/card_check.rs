//! The card rules as the server guards them ("§5"), and the card as the provider gets it.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rules::ErrorId;
use vault::{Pan, PanError, SecurityCode, SecurityCodeError};
use wire::Card;

use crate::api_error::ApiError;
use crate::providers::ProviderCard;

/// How far ahead an expiry year may be ("§9").
const EXPIRY_YEARS_MAX: i16 = 20;
/// The longest cardholder name ("§9").
const HOLDER_NAME_CHARACTERS_MAX: usize = 255;

/// Checks a new card against the rules; `now_ms` is the clock's time. The first field that breaks a rule is named.
pub fn check_card(card: &Card, now_ms: i64) -> Result<ProviderCard, ApiError> {
    let number = number(card)?;
    let (expiration_month, expiration_year) = expiry(card, now_ms)?;
    let security_code = security_code(card)?;
    let holder_name = card.holder_name.clone().unwrap_or_default();
    if holder_name.chars().count() > HOLDER_NAME_CHARACTERS_MAX {
        return Err(ApiError::invalid_card(
            "payment_method.card.holder_name",
            ErrorId::CardHolderNameInvalid,
        ));
    }
    Ok(ProviderCard {
        number,
        security_code,
        expiration_month,
        expiration_year,
        holder_name,
    })
}

fn number(card: &Card) -> Result<Pan, ApiError> {
    let fault = |reason| ApiError::invalid_card("payment_method.card.number", reason);
    let text = card
        .number
        .as_ref()
        .map(wire::Sensitive::expose)
        .unwrap_or_default();
    if text.is_empty() {
        return Err(fault(ErrorId::CardNumberEmpty));
    }
    let pan = Pan::parse(text).map_err(|error| match error {
        PanError::NotDigits => fault(ErrorId::CardNumberContainsNonNumber),
        PanError::Length => fault(ErrorId::CardNumberInvalidLength),
    })?;
    if luhn(pan.expose()) {
        Ok(pan)
    } else {
        Err(fault(ErrorId::CardNumberInvalid))
    }
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, byte)| match (place % 2, u32::from(byte - b'0')) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

fn expiry(card: &Card, now_ms: i64) -> Result<(u8, u16), ApiError> {
    let month_fault = |reason| ApiError::invalid_card("payment_method.card.expiration_month", reason);
    let year_fault = |reason| ApiError::invalid_card("payment_method.card.expiration_year", reason);
    let month_text = card.expiration_month.as_deref().unwrap_or_default();
    let year_text = card.expiration_year.as_deref().unwrap_or_default();
    let month: u8 = digits(month_text, 2).map_err(month_fault)?;
    let year: u16 = digits(year_text, 4).map_err(year_fault)?;
    if !(1..=12).contains(&month) {
        return Err(month_fault(ErrorId::CardExpiryMonthOutOfRange));
    }
    let today = Timestamp::from_millisecond(now_ms)
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .to_zoned(TimeZone::UTC);
    let years_ahead = i32::from(year) - i32::from(today.year());
    if years_ahead > i32::from(EXPIRY_YEARS_MAX) {
        return Err(year_fault(ErrorId::CardExpiryExceedsMaxValue));
    }
    let this_month = u8::try_from(today.month()).unwrap_or_default();
    if years_ahead < 0 || (years_ahead == 0 && month < this_month) {
        return Err(year_fault(ErrorId::CardExpiryExpired));
    }
    Ok((month, year))
}

fn digits<T: std::str::FromStr>(text: &str, length: usize) -> Result<T, ErrorId> {
    if text.is_empty() {
        return Err(ErrorId::CardExpiryEmpty);
    }
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ErrorId::CardExpiryContainsNonNumber);
    }
    if text.len() != length {
        return Err(ErrorId::CardExpiryWrongMmDdFormat);
    }
    text.parse().map_err(|_| ErrorId::CardExpiryWrongMmDdFormat)
}

fn security_code(card: &Card) -> Result<SecurityCode, ApiError> {
    let fault = |reason| ApiError::invalid_card("payment_method.card.security_code", reason);
    let text = card.security_code.expose();
    if text.is_empty() {
        return Err(fault(ErrorId::CardSecurityCodeEmpty));
    }
    let code = SecurityCode::parse(text).map_err(|error| match error {
        SecurityCodeError::NotDigits => fault(ErrorId::CardSecurityCodeContainsNonNumber),
        SecurityCodeError::Length => fault(ErrorId::CardSecurityCodeIncomplete),
    })?;
    if (3..=4).contains(&text.len()) {
        Ok(code)
    } else {
        Err(fault(ErrorId::CardSecurityCodeIncomplete))
    }
}
