//! The card number in memory: it cannot be printed, serialized or copied by accident, and is overwritten after use.

use zeroize::Zeroizing;

/// The shortest card number of any brand (maestro's) (docs/rules.md#brands).
pub const PAN_DIGITS_MIN: usize = 12;
/// The longest card number of any brand (docs/rules.md#brands).
pub const PAN_DIGITS_MAX: usize = 19;

/// A card number: 12 to 19 digits. It has no `Serialize`, no `Display` and no `Clone`; its `Debug` shows the last four
/// digits; its memory is zeroed when it is dropped (SECURITY.md#what-must-always-hold). The `rules` crate decides
/// whether it is a *valid* number.
pub struct Pan(Zeroizing<String>);

/// Why a text is not a card number. Neither variant contains the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanError {
    /// It has something else than ASCII digits.
    NotDigits,
    /// It has fewer than [`PAN_DIGITS_MIN`] or more than [`PAN_DIGITS_MAX`] digits.
    Length,
}

impl Pan {
    /// Reads a number that has only digits; the page removes the spaces before sending (docs/rules.md#card-number).
    pub fn parse(text: &str) -> Result<Self, PanError> {
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(PanError::NotDigits);
        }
        if !(PAN_DIGITS_MIN..=PAN_DIGITS_MAX).contains(&text.len()) {
            return Err(PanError::Length);
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// The first six digits: they identify the issuer and may be shown.
    pub fn first_six(&self) -> &str {
        &self.0[..6]
    }

    /// The first eight digits, which identify the card's networks. They are only compared, and never stored.
    pub fn first_eight(&self) -> &str {
        &self.0[..8]
    }

    /// How many digits it has.
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// The last four digits: a shopper recognizes the card by them, and they may be shown.
    pub fn last_four(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }

    /// The whole number, only for the provider's connector and for sealing.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Pan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pan(…{})", self.last_four())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_number_is_twelve_to_nineteen_digits() {
        assert!(Pan::parse("424242424242").is_ok());
        assert!(Pan::parse("4242424242424242424").is_ok());
        let error = |text| Pan::parse(text).map(|_| ()).unwrap_err();
        assert_eq!(error("42424242424"), PanError::Length);
        assert_eq!(error("42424242424242424242"), PanError::Length);
        assert_eq!(error(""), PanError::Length);
        assert_eq!(error("4242 4242 4242 4242"), PanError::NotDigits);
        assert_eq!(error("٤٢٤٢٤٢٤٢٤٢٤٢"), PanError::NotDigits);
    }

    #[test]
    fn the_first_six_and_last_four_digits_may_be_shown() {
        let pan = Pan::parse("378282246310005").unwrap();
        assert_eq!((pan.first_six(), pan.last_four()), ("378282", "0005"));
        assert_eq!((pan.first_eight(), pan.length()), ("37828224", 15));
    }

    #[test]
    fn debug_output_shows_only_the_last_four_digits() {
        let pan = Pan::parse("4242424242421234").unwrap();
        assert_eq!(format!("{pan:?}"), "Pan(…1234)");
    }
}
