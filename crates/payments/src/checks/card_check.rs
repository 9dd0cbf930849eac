//! Checks a card against the rules (docs/rules.md), and reads it for the provider.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use protocol::{Card, Sensitive};
use providers::ProviderCard;
use rules::{Brand, CardRefusal, ErrorId, Field, Month, NewCard, RuleExperiments};
use vault::{Pan, SecurityCode};

use web::api_error::ApiError;

/// A card is valid to the end of its month, wherever its shopper is. The last place on earth where a month ends is
/// this far behind UTC.
const WESTERNMOST_UTC_OFFSET: SignedDuration = SignedDuration::from_hours(12);

const NUMBER: &str = Field::CardNumber.names().request[0];
const MONTH: &str = Field::Expiry.names().request[0];
const YEAR: &str = Field::Expiry.names().request[1];
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
        security_code: SecurityCode::parse(security_code)
            .map_err(|_| ApiError::invalid_card(SECURITY_CODE, ErrorId::CardSecurityCodeIncomplete))?,
        expiration_month: month
            .parse()
            .map_err(wrong(MONTH, ErrorId::CardExpiryWrongMmDdFormat))?,
        expiration_year: year
            .parse()
            .map_err(wrong(YEAR, ErrorId::CardExpiryWrongMmDdFormat))?,
        holder_name: holder_name.to_owned(),
    })
}

/// When a saved card expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expiry {
    /// 1 to 12.
    pub month: u8,
    /// Four digits.
    pub year: u16,
}

/// Whether a card with this expiry has expired.
pub fn has_expired(Expiry { month, year }: Expiry, now_ms: i64) -> bool {
    Month { year, month } < this_month(now_ms)
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

fn this_month(now_ms: i64) -> Month {
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
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const ALL: RuleExperiments = RuleExperiments {
        luhn: true,
        security_code_length: true,
        expiry_limit: true,
    };

    fn check(changed: &Value, at: &str) -> Result<ProviderCard, ApiError> {
        check_in(ALL, changed, at)
    }

    fn check_in(experiments: RuleExperiments, changed: &Value, at: &str) -> Result<ProviderCard, ApiError> {
        let mut card = json!({
            "country_code": "US", "number": "4242424242424242", "holder_name": "",
            "expiration_month": "12", "expiration_year": "2030", "security_code": "123",
        });
        let fields = changed.as_object().cloned().unwrap_or_default();
        card.as_object_mut().unwrap().extend(fields);
        let now: Timestamp = at.parse().unwrap();
        let card = serde_json::from_value(card).unwrap();
        check_card(&card, now.as_millisecond(), experiments)
    }

    fn refused(changed: &Value) -> String {
        let error = check(changed, "2026-07-15T12:00:00Z").unwrap_err();
        let body = serde_json::to_value(error.detail()).unwrap();
        format!(
            "{} {}",
            body["field"].as_str().unwrap(),
            body["reason"].as_str().unwrap()
        )
        .replace("payment_method.card.", "")
    }

    #[test]
    fn a_valid_card_is_read_for_the_provider() {
        let card = check(&json!({ "holder_name": " Ana " }), "2026-07-15T12:00:00Z").unwrap();
        assert_eq!(card.number.expose(), "4242424242424242");
        assert_eq!(card.security_code.expose(), "123");
        assert_eq!((card.expiration_month, card.expiration_year), (12, 2030));
        assert_eq!(card.holder_name, "Ana");
    }

    #[test]
    fn a_refusal_names_the_field_of_the_request_and_the_rule() {
        let cases = [
            (json!({"number": null}), "number CardNumber_Empty"),
            (json!({"number": "4242424242424241"}), "number CardNumber_Invalid"),
            (json!({"number": "424242"}), "number CardNumber_Invalid_Length"),
            (
                json!({"number": "4242 4242 4242 4242"}),
                "number CardNumber_ContainsNonNumber",
            ),
            (
                json!({"expiration_month": "13"}),
                "expiration_month CardExpiry_MonthOutOfRange",
            ),
            (
                json!({"expiration_month": "00"}),
                "expiration_month CardExpiry_MonthOutOfRange",
            ),
            (
                json!({"expiration_month": null, "expiration_year": null}),
                "expiration_month CardExpiry_Empty",
            ),
            (
                json!({"expiration_month": null}),
                "expiration_month CardExpiry_WrongMmDdFormat",
            ),
            (
                json!({"expiration_year": "30"}),
                "expiration_year CardExpiry_WrongMmDdFormat",
            ),
            (
                json!({"expiration_year": "2025"}),
                "expiration_year CardExpiry_Expired",
            ),
            (
                json!({"expiration_year": "2047"}),
                "expiration_year CardExpiry_ExpirationDateExceedsMaxValue",
            ),
            (
                json!({"security_code": ""}),
                "security_code CardSecurityCode_EmptySecurityCode",
            ),
            (
                json!({"security_code": "12"}),
                "security_code CardSecurityCode_IncompleteSecurityCode",
            ),
            (
                json!({"security_code": "12x"}),
                "security_code CardSecurityCode_ContainsNonNumber",
            ),
            (json!({"holder_name": "A"}), "holder_name CardHolderName_Invalid"),
        ];
        for (changed, expected) in cases {
            assert_eq!(refused(&changed), expected, "{changed}");
        }
    }

    #[test]
    fn an_experiment_that_is_off_does_not_apply_its_rule() {
        let cases = [
            (
                RuleExperiments { luhn: false, ..ALL },
                json!({"number": "4242424242424241"}),
            ),
            (
                RuleExperiments {
                    security_code_length: false,
                    ..ALL
                },
                json!({"security_code": "12"}),
            ),
            (
                RuleExperiments {
                    expiry_limit: false,
                    ..ALL
                },
                json!({"expiration_year": "2047"}),
            ),
        ];
        let now = "2026-07-15T12:00:00Z";
        for (experiments, changed) in cases {
            assert!(check_in(ALL, &changed, now).is_err(), "{changed}");
            assert!(check_in(experiments, &changed, now).is_ok(), "{changed}");
        }
    }

    #[test]
    fn a_card_is_valid_to_the_end_of_its_month_in_every_time_zone() {
        let july = json!({ "expiration_month": "07", "expiration_year": "2026" });
        assert!(check(&july, "2026-07-31T23:59:59Z").is_ok());
        assert!(check(&july, "2026-08-01T11:59:59Z").is_ok());
        assert!(check(&july, "2026-08-01T12:00:00Z").is_err());
    }
}
