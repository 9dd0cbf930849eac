//! Checks a card against the rules (docs/rules.md), and reads it for the provider.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use protocol::{Card, ErrorCode, Sensitive};
use providers::ProviderCard;
use rules::{
    Brand, CardRefusal, ErrorId, Field, Month, NewCard, PostalCountry, RuleExperiments, postal_code,
};
use store::Charge;
use vault::{Pan, SecurityCode};

use web::ApiError;

/// A card is valid to the end of its month, wherever its shopper is. The last place on earth where a month ends is
/// this far behind UTC.
const WESTERNMOST_UTC_OFFSET: SignedDuration = SignedDuration::from_hours(12);

const NUMBER: &str = Field::CardNumber.names().request[0];
const MONTH: &str = Field::Expiry.names().request[0];
const YEAR: &str = Field::Expiry.names().request[1];
const POSTAL_CODE: &str = Field::PostalCode.names().request[0];
const SECURITY_CODE: &str = Field::SecurityCode.names().request[0];

/// Checks a new card against the rules at the time `now_ms`, in unix milliseconds. The error is a 422 that names the
/// first field that breaks a rule. `experiments` are the shopper's; they decide which rules apply.
pub fn check_card(card: &Card, now_ms: i64, experiments: RuleExperiments) -> Result<ProviderCard, ApiError> {
    let number = card.number.as_ref().map(Sensitive::expose).unwrap_or_default();
    let security_code = card
        .security_code
        .as_ref()
        .map(Sensitive::expose)
        .unwrap_or_default();
    let month = card.expiration_month.as_deref().unwrap_or_default();
    let year = card.expiration_year.as_deref().unwrap_or_default();
    let holder_name = card.holder_name.as_deref().unwrap_or_default().trim();
    let new_card = NewCard {
        number,
        expiration_month: month,
        expiration_year: year,
        security_code,
    };
    rules::check_card(new_card, this_month(now_ms), experiments)
        .map_err(|refusal| ApiError::invalid_card(path(refusal, month), refusal.error_id))?;
    check_holder_name(holder_name)?;
    // These functions read texts that have passed the rules. A text that one of them cannot read is refused, too.
    let wrong = |field, reason| move |_| ApiError::invalid_card(field, reason);
    Ok(ProviderCard {
        number: Pan::parse(number)
            .map_err(|_| ApiError::invalid_card(NUMBER, ErrorId::CardNumberInvalidLength))?,
        security_code: Some(
            SecurityCode::parse(security_code)
                .map_err(|_| ApiError::invalid_card(SECURITY_CODE, ErrorId::CardSecurityCodeIncomplete))?,
        ),
        expiration_month: month
            .parse()
            .map_err(wrong(MONTH, ErrorId::CardExpiryWrongMmDdFormat))?,
        expiration_year: year
            .parse()
            .map_err(wrong(YEAR, ErrorId::CardExpiryWrongMmDdFormat))?,
        holder_name: holder_name.to_owned(),
        network: card.network,
    })
}

/// Refuses a network that the card's number does not have. The server does not trust the page.
pub fn check_network(chosen: Option<Brand>, networks: &[Brand]) -> Result<(), ApiError> {
    match chosen {
        Some(network) if !networks.contains(&network) => Err(ApiError::new(
            ErrorCode::NetworkUnavailable,
            "The card's number does not have this network. Nothing was charged; leave the field out to pay without a choice.",
        )
        .at("payment_method.card.network")),
        _ => Ok(()),
    }
}

/// Whether a card with this expiry has expired.
pub fn has_expired(expiry: Month, now_ms: i64) -> bool {
    expiry < this_month(now_ms)
}

/// The new date that was typed for a saved card, if there is one.
pub fn check_new_date(
    card: &Card,
    now_ms: i64,
    experiments: RuleExperiments,
) -> Result<Option<Month>, ApiError> {
    if card.expiration_month.is_none() && card.expiration_year.is_none() {
        return Ok(None);
    }
    let month = card.expiration_month.as_deref().unwrap_or_default();
    let year = card.expiration_year.as_deref().unwrap_or_default();
    let refused = |error_id| {
        let refusal = CardRefusal {
            field: Field::Expiry,
            error_id,
        };
        ApiError::invalid_card(path(refusal, month), error_id)
    };
    rules::expiry::check(month, year, this_month(now_ms), experiments.expiry_limit).map_err(refused)?;
    let unreadable = |_| refused(ErrorId::CardExpiryWrongMmDdFormat);
    Ok(Some(Month {
        month: month.parse().map_err(unreadable)?,
        year: year.parse().map_err(unreadable)?,
    }))
}

/// Checks the security code that was typed for a saved card, which itself passed the rules when it was new.
pub fn check_security_code(
    brand: Option<Brand>,
    security_code: &str,
    experiments: RuleExperiments,
) -> Result<SecurityCode, ApiError> {
    rules::security_code::verdict(security_code, brand, experiments.security_code_length)
        .into_result()
        .map_err(|reason| ApiError::invalid_card(SECURITY_CODE, reason))?;
    SecurityCode::parse(security_code)
        .map_err(|_| ApiError::invalid_card(SECURITY_CODE, ErrorId::CardSecurityCodeIncomplete))
}

/// The name is empty when the form does not ask for it.
fn check_holder_name(name: &str) -> Result<(), ApiError> {
    if name.is_empty() {
        return Ok(());
    }
    rules::holder_name::verdict(name)
        .into_result()
        .map_err(|reason| ApiError::invalid_card(Field::HolderName.names().request[0], reason))
}

/// The postal code for the provider: the shopper's, as the card's country writes it, or the merchant's. A code that is not
/// the merchant's was typed by the shopper and must pass the rule.
pub fn check_postal_code(sent: Option<&str>, charge: &Charge) -> Result<Option<String>, ApiError> {
    let merchants = charge.zip_code.as_deref();
    let Some(typed) = sent.filter(|sent| !sent.is_empty() && Some(*sent) != merchants) else {
        return Ok(charge.zip_code.clone());
    };
    let country = PostalCountry::from_code(&charge.payment_method_country_code);
    postal_code::verdict(typed, country)
        .into_result()
        .map_err(|reason| ApiError::invalid_card(POSTAL_CODE, reason))?;
    Ok(Some(postal_code::formatted(typed, country)))
}

pub(crate) fn this_month(now_ms: i64) -> Month {
    let now = Timestamp::from_millisecond(now_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    let date = now
        .saturating_sub(WESTERNMOST_UTC_OFFSET)
        .unwrap_or(now)
        .to_zoned(TimeZone::UTC)
        .date();
    Month {
        year: date.year().unsigned_abs(),
        month: date.month().unsigned_abs(),
    }
}

/// The request's field that a refusal is about. The form has one input for the expiry, the request has two fields.
fn path(refusal: CardRefusal, month: &str) -> &'static str {
    let month_is_unreadable = month.len() != 2 || !month.bytes().all(|b| b.is_ascii_digit());
    match refusal.field {
        Field::Expiry if month_is_unreadable => MONTH,
        Field::Expiry if refusal.error_id == ErrorId::CardExpiryMonthOutOfRange => MONTH,
        Field::Expiry => YEAR,
        field => field.names().request[0],
    }
}

#[cfg(test)]
mod tests;
