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
mod tests;
