//! Checks a whole card, as the server receives it, with the same rules as in the form.

use crate::{Brand, ErrorId, Field, Month, RuleExperiments, expiry, number, security_code};

/// A new card as the request carries it. It has no `Debug`, so that it cannot be printed.
#[derive(Clone, Copy)]
pub struct NewCard<'a> {
    /// Digits; spaces were removed before sending (docs/rules.md#card-number).
    pub number: &'a str,
    /// Two digits.
    pub expiration_month: &'a str,
    /// Four digits.
    pub expiration_year: &'a str,
    /// Digits.
    pub security_code: &'a str,
}

/// Which field of a card is refused, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardRefusal {
    /// The first field at fault, in the order of the form.
    pub field: Field,
    /// The rule it breaks.
    pub error_id: ErrorId,
}

/// Checks a new card in the month `today`. Returns its brand, or `None` for a number of no known brand.
pub fn check_card(
    card: NewCard<'_>,
    today: Month,
    experiments: RuleExperiments,
) -> Result<Option<Brand>, CardRefusal> {
    let refuse = |field| move |error_id| CardRefusal { field, error_id };
    check_number(card.number, experiments.luhn).map_err(refuse(Field::CardNumber))?;
    expiry::check(
        card.expiration_month,
        card.expiration_year,
        today,
        experiments.expiry_limit,
    )
    .map_err(refuse(Field::Expiry))?;
    let brand = Brand::detect(card.number);
    security_code::verdict(card.security_code, brand, experiments.security_code_length)
        .into_result()
        .map_err(refuse(Field::SecurityCode))?;
    Ok(brand)
}

fn check_number(number: &str, luhn: bool) -> Result<(), ErrorId> {
    // A typed number may have spaces; a sent one may not, because it goes to the provider unchanged.
    if number.chars().all(|c| c.is_ascii_digit()) {
        number::verdict(number, luhn).into_result()
    } else {
        Err(ErrorId::CardNumberContainsNonNumber)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Month = Month { year: 2026, month: 7 };
    const ALL: RuleExperiments = RuleExperiments {
        luhn: true,
        security_code_length: true,
        expiry_limit: true,
    };
    const NONE: RuleExperiments = RuleExperiments {
        luhn: false,
        security_code_length: false,
        expiry_limit: false,
    };
    const GOOD: NewCard<'_> = NewCard {
        number: "4242424242424242",
        expiration_month: "12",
        expiration_year: "2030",
        security_code: "123",
    };

    #[test]
    fn a_valid_card_returns_its_brand() {
        assert_eq!(check_card(GOOD, TODAY, ALL), Ok(Some(Brand::Visa)));
        let amex = NewCard {
            number: "378282246310005",
            security_code: "1234",
            ..GOOD
        };
        assert_eq!(check_card(amex, TODAY, ALL), Ok(Some(Brand::AmericanExpress)));
        let unknown = NewCard {
            number: "9999999999999995",
            ..GOOD
        };
        assert_eq!(check_card(unknown, TODAY, ALL), Ok(None));
    }

    #[test]
    fn the_first_field_at_fault_is_named() {
        let refused =
            |card| check_card(card, TODAY, ALL).map_err(|refusal| (refusal.field, refusal.error_id));
        let bad = NewCard {
            number: "4242424242424241",
            expiration_month: "13",
            security_code: "12",
            ..GOOD
        };
        assert_eq!(refused(bad), Err((Field::CardNumber, ErrorId::CardNumberInvalid)));
        let bad = NewCard {
            number: GOOD.number,
            ..bad
        };
        assert_eq!(
            refused(bad),
            Err((Field::Expiry, ErrorId::CardExpiryMonthOutOfRange))
        );
        let bad = NewCard {
            expiration_month: "12",
            ..bad
        };
        assert_eq!(
            refused(bad),
            Err((Field::SecurityCode, ErrorId::CardSecurityCodeIncomplete))
        );
    }

    #[test]
    fn a_sent_card_number_with_spaces_is_refused() {
        for number in [
            "4242 4242 4242 4242",
            "4242424242424242 ",
            "４２４２４２４２４２４２４２４２",
        ] {
            let refusal = check_card(NewCard { number, ..GOOD }, TODAY, ALL);
            let error_id = ErrorId::CardNumberContainsNonNumber;
            assert_eq!(
                refusal,
                Err(CardRefusal {
                    field: Field::CardNumber,
                    error_id
                })
            );
        }
    }

    #[test]
    fn a_rule_whose_experiment_is_off_is_not_checked() {
        let card = NewCard {
            number: "4242424242424241",
            expiration_year: "2099",
            security_code: "12345",
            ..GOOD
        };
        assert_eq!(check_card(card, TODAY, NONE), Ok(Some(Brand::Visa)));
        assert!(check_card(card, TODAY, ALL).is_err());
    }
}
