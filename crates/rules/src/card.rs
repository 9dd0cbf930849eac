//! A whole card as the server receives it, judged by the same rules as in the form.

use crate::{Brand, ErrorId, Experiments, Field, Month, expiry, number, security_code};

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
pub struct Refusal {
    /// The first field at fault, in the order of the form.
    pub field: Field,
    /// The rule it breaks.
    pub error_id: ErrorId,
}

/// Judges a new card in the month `today`. Answers the brand that its number tells, `None` where it tells none.
pub fn check_card(
    card: NewCard<'_>,
    today: Month,
    experiments: Experiments,
) -> Result<Option<Brand>, Refusal> {
    let refuse = |field| move |error_id| Refusal { field, error_id };
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
    // What is typed may have spaces; what is sent may not, since it goes to the provider as it is.
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
    const ALL: Experiments = Experiments {
        luhn: true,
        security_code_length: true,
        expiry_limit: true,
    };
    const NONE: Experiments = Experiments {
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
    fn a_good_card_tells_its_brand() {
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
    fn what_is_sent_has_no_spaces() {
        for number in [
            "4242 4242 4242 4242",
            "4242424242424242 ",
            "４２４２４２４２４２４２４２４２",
        ] {
            let refusal = check_card(NewCard { number, ..GOOD }, TODAY, ALL);
            let error_id = ErrorId::CardNumberContainsNonNumber;
            assert_eq!(
                refusal,
                Err(Refusal {
                    field: Field::CardNumber,
                    error_id
                })
            );
        }
    }

    #[test]
    fn experiments_that_are_off_ask_for_less() {
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
