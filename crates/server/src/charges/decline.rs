//! The catalogue of decline codes: what each says to the developer, and whether the same card may be tried again.

use wire::{ChargeStatus, DeclineBody};

/// Why a card was declined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclineCode {
    /// The issuer gives no reason.
    GenericDecline,
    /// The account has not enough money.
    InsufficientFunds,
    /// The card has expired.
    ExpiredCard,
    /// The security code is wrong.
    IncorrectCvc,
    /// Nobody refused the card; something failed on the way and nothing was taken.
    ProcessingError,
}

impl DeclineCode {
    /// Every code.
    pub const ALL: [Self; 5] = [
        Self::GenericDecline,
        Self::InsufficientFunds,
        Self::ExpiredCard,
        Self::IncorrectCvc,
        Self::ProcessingError,
    ];

    /// The code on the wire, in the database and at the provider.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GenericDecline => "generic_decline",
            Self::InsufficientFunds => "insufficient_funds",
            Self::ExpiredCard => "expired_card",
            Self::IncorrectCvc => "incorrect_cvc",
            Self::ProcessingError => "processing_error",
        }
    }

    /// Reads a provider's code; one that is not in the catalogue is a [`DeclineCode::GenericDecline`].
    pub fn from_code(code: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|known| known.as_str() == code)
            .unwrap_or(Self::GenericDecline)
    }

    /// For the developer, in English; the page shows its own text.
    fn message(self) -> &'static str {
        match self {
            Self::GenericDecline => "The card was declined.",
            Self::InsufficientFunds => "The card has insufficient funds.",
            Self::ExpiredCard => "The card has expired.",
            Self::IncorrectCvc => "The card's security code is incorrect.",
            Self::ProcessingError => {
                "An error occurred while processing the card. Nothing was taken; try again in a little bit."
            }
        }
    }

    /// Whether the same card may be tried again as it is, or with its security code corrected.
    fn retryable(self) -> bool {
        match self {
            Self::GenericDecline | Self::ExpiredCard => false,
            Self::InsufficientFunds | Self::IncorrectCvc | Self::ProcessingError => true,
        }
    }

    /// The body of the 402 answer.
    pub fn body(self) -> DeclineBody {
        DeclineBody {
            status_code: ChargeStatus::Failed,
            decline_code: self.as_str().to_owned(),
            message: self.message().to_owned(),
            retryable: self.retryable(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_back_and_unknown_ones_are_generic() {
        for code in DeclineCode::ALL {
            assert_eq!(DeclineCode::from_code(code.as_str()), code);
        }
        assert_eq!(DeclineCode::from_code("pickup_card"), DeclineCode::GenericDecline);
    }

    #[test]
    fn a_processing_error_may_be_tried_again_and_an_expired_card_may_not() {
        assert!(DeclineCode::ProcessingError.body().retryable);
        assert!(!DeclineCode::ExpiredCard.body().retryable);
    }
}
