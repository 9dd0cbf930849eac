//! Checks a whole card for the server, with the same rules as in the form.

use crate::{Brand, ErrorId, Field, Month, RuleExperiments, expiry, number, security_code};

/// A new card from a request. It has no `Debug`, so that it cannot be printed.
#[derive(Clone, Copy)]
pub struct NewCard<'a> {
    /// Digits. The form has removed spaces (docs/rules.md#card-number).
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
    /// The rule that the field breaks.
    pub error_id: ErrorId,
}

/// Checks a new card in the month `today`. Returns its brand, or `None` if the brand is unknown.
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
    // A typed number may have spaces. A number in a request may not, because the provider gets it unchanged.
    if number.chars().all(|c| c.is_ascii_digit()) {
        number::verdict(number, luhn).into_result()
    } else {
        Err(ErrorId::CardNumberContainsNonNumber)
    }
}

#[cfg(test)]
mod tests;
