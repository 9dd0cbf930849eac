//! The table of declines: why a provider did not accept a card, and what each reason means for the shopper.
//!
//! The codes are named as card schemes and large providers name them. The page's part of the table is generated from
//! this one.

use rules::{ErrorId, Field};

use crate::{ChargeStatus, DeclineBody};

/// What a shopper can do about a decline; the names are keys of the page's texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NextStep {
    /// Correct the card number.
    CheckCardNumber,
    /// Correct the expiry date.
    CheckExpiry,
    /// Use another card: this one has expired.
    ExpiredCard,
    /// Correct the security code.
    CheckSecurityCode,
    /// Use another card.
    UseAnotherCard,
    /// Ask the bank that issued the card, or use another one.
    AskYourBank,
    /// Try the same card again later.
    TryAgainLater,
    /// Put money on the account, or use another card.
    InsufficientFunds,
    /// Try again in a little bit: nobody refused the card.
    ProcessingError,
    /// Press again: the shopper canceled the confirmation.
    ChallengeCanceled,
    /// Use another card: the bank could not confirm who pays.
    ChallengeFailed,
    /// Press again: the confirmation took too long.
    ChallengeTimedOut,
}

impl NextStep {
    /// Every step, in the order in which the page's types name them.
    pub const ALL: [Self; 12] = [
        Self::CheckCardNumber,
        Self::CheckExpiry,
        Self::ExpiredCard,
        Self::CheckSecurityCode,
        Self::UseAnotherCard,
        Self::AskYourBank,
        Self::TryAgainLater,
        Self::InsufficientFunds,
        Self::ProcessingError,
        Self::ChallengeCanceled,
        Self::ChallengeFailed,
        Self::ChallengeTimedOut,
    ];

    /// The key of its text in `locales/`.
    pub fn message_key(self) -> &'static str {
        match self {
            Self::CheckCardNumber => "check_card_number",
            Self::CheckExpiry => "check_expiry",
            Self::ExpiredCard => "expired_card",
            Self::CheckSecurityCode => "check_security_code",
            Self::UseAnotherCard => "use_another_card",
            Self::AskYourBank => "ask_your_bank",
            Self::TryAgainLater => "try_again_later",
            Self::InsufficientFunds => "insufficient_funds",
            Self::ProcessingError => "processing_error",
            Self::ChallengeCanceled => "challenge_canceled",
            Self::ChallengeFailed => "challenge_failed",
            Self::ChallengeTimedOut => "challenge_timed_out",
        }
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decline {
    /// Its code on the wire, in the database and at the provider.
    pub name: &'static str,
    /// What the shopper can do.
    pub next_step: NextStep,
    /// Whether the same card may be tried again, as it is or with `field` corrected.
    pub retryable: bool,
    /// The field to correct, and the error that it shows.
    pub field: Option<(Field, ErrorId)>,
    /// The shopper sees a [`DeclineCode::GenericDecline`] instead: a person with a stolen card must not learn that it
    /// is known to be stolen.
    pub is_hidden: bool,
    /// For the developer, in English; the page shows its own text.
    pub message: &'static str,
}

macro_rules! catalogue {
    ($($(#[$doc:meta])* $code:ident = $row:expr;)*) => {
        /// Why a card was declined.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum DeclineCode {
            $($(#[$doc])* $code,)*
        }

        impl DeclineCode {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// The code's row of the table.
            pub const fn row(self) -> Decline {
                match self {
                    $(Self::$code => $row,)*
                }
            }
        }
    };
}

/// A reason after which the same card cannot pay.
const fn refused(name: &'static str, next_step: NextStep, message: &'static str) -> Decline {
    Decline {
        name,
        next_step,
        retryable: false,
        field: None,
        is_hidden: false,
        message,
    }
}

/// A reason that may not apply at the next attempt.
const fn passing(name: &'static str, next_step: NextStep, message: &'static str) -> Decline {
    Decline {
        retryable: true,
        ..refused(name, next_step, message)
    }
}

/// A reason that the shopper must not learn.
const fn hidden(name: &'static str, message: &'static str) -> Decline {
    Decline {
        is_hidden: true,
        ..refused(name, NextStep::UseAnotherCard, message)
    }
}

const fn number(name: &'static str) -> Decline {
    Decline {
        field: Some((Field::CardNumber, ErrorId::CardNumberInvalid)),
        ..passing(name, NextStep::CheckCardNumber, "The card number is incorrect.")
    }
}

const fn expiry(name: &'static str, error: ErrorId, message: &'static str) -> Decline {
    Decline {
        field: Some((Field::Expiry, error)),
        ..passing(name, NextStep::CheckExpiry, message)
    }
}

const fn security_code(name: &'static str) -> Decline {
    Decline {
        field: Some((Field::SecurityCode, ErrorId::CardSecurityCodeIncomplete)),
        ..passing(
            name,
            NextStep::CheckSecurityCode,
            "The card's security code is incorrect.",
        )
    }
}

catalogue! {
    /// The issuer gives no reason.
    GenericDecline = refused("generic_decline", NextStep::UseAnotherCard, "The card was declined.");
    /// The account has not enough money.
    InsufficientFunds = passing(
        "insufficient_funds", NextStep::InsufficientFunds, "The card has insufficient funds.",
    );
    /// The card has expired.
    ExpiredCard = Decline {
        next_step: NextStep::ExpiredCard,
        retryable: false,
        ..expiry("expired_card", ErrorId::CardExpiryExpired, "The card has expired.")
    };
    /// The security code is wrong.
    IncorrectCvc = security_code("incorrect_cvc");
    /// The security code cannot be one.
    InvalidCvc = security_code("invalid_cvc");
    /// There is no such card number.
    IncorrectNumber = number("incorrect_number");
    /// The card number cannot be one.
    InvalidNumber = number("invalid_number");
    /// The month is wrong.
    InvalidExpiryMonth = expiry(
        "invalid_expiry_month", ErrorId::CardExpiryMonthOutOfRange, "The card's expiry month is incorrect.",
    );
    /// The year is wrong.
    InvalidExpiryYear = expiry(
        "invalid_expiry_year", ErrorId::CardExpiryMonthOutOfRange, "The card's expiry year is incorrect.",
    );
    /// The issuer refuses and says no more.
    DoNotHonor = refused("do_not_honor", NextStep::AskYourBank, "The issuer does not honor the card.");
    /// The issuer wants to be called.
    CallIssuer = refused("call_issuer", NextStep::AskYourBank, "The issuer wants to be called.");
    /// This card may not make this kind of payment.
    TransactionNotAllowed = refused(
        "transaction_not_allowed", NextStep::AskYourBank, "The issuer does not allow this payment.",
    );
    /// This card may not be used for this service.
    ServiceNotAllowed = refused(
        "service_not_allowed", NextStep::AskYourBank, "The issuer does not allow this service.",
    );
    /// The card was used too often, or for too much, in its period.
    CardVelocityExceeded = refused(
        "card_velocity_exceeded", NextStep::AskYourBank, "The card's limit of payments or amount is exceeded.",
    );
    /// The shopper has stopped payments of this kind.
    RevocationOfAuthorization = refused(
        "revocation_of_authorization", NextStep::AskYourBank, "The cardholder has stopped such payments.",
    );
    /// The account is closed or there is none.
    InvalidAccount = refused("invalid_account", NextStep::UseAnotherCard, "The card's account is closed.");
    /// The provider does not take such cards.
    CardNotSupported = refused(
        "card_not_supported", NextStep::UseAnotherCard, "This kind of card is not supported.",
    );
    /// The card does not pay in this currency.
    CurrencyNotSupported = refused(
        "currency_not_supported", NextStep::UseAnotherCard, "The card does not support the currency.",
    );
    /// The zip code is not the cardholder's.
    IncorrectZip = refused("incorrect_zip", NextStep::UseAnotherCard, "The zip code is incorrect.");
    /// The same payment was just made.
    DuplicateTransaction = refused(
        "duplicate_transaction", NextStep::TryAgainLater, "The same payment was made a moment ago.",
    );
    /// The cardholder has reported the card as lost.
    LostCard = hidden("lost_card", "The card is reported lost.");
    /// The cardholder has reported the card as stolen.
    StolenCard = hidden("stolen_card", "The card is reported stolen.");
    /// The issuer wants the card to be kept.
    PickupCard = hidden("pickup_card", "The issuer wants the card to be kept.");
    /// The issuer has restricted the card, often because it is lost or stolen.
    RestrictedCard = hidden("restricted_card", "The card is restricted.");
    /// The issuer or the provider suspects fraud.
    Fraudulent = hidden("fraudulent", "The payment is suspected to be fraudulent.");
    /// The issuer asks to try again.
    TryAgainLater = passing(
        "try_again_later", NextStep::TryAgainLater, "The issuer asks to try again later.",
    );
    /// The issuer cannot be reached.
    IssuerUnavailable = passing(
        "issuer_unavailable", NextStep::TryAgainLater, "The issuer cannot be reached.",
    );
    /// Nobody refused the card; something failed on the way and nothing was taken.
    ProcessingError = passing(
        "processing_error",
        NextStep::ProcessingError,
        "An error occurred while processing the card. Nothing was taken; try again in a little bit.",
    );
    /// The issuer wants 3-D Secure and the payment came without.
    AuthenticationRequired = refused(
        "authentication_required", NextStep::AskYourBank, "The issuer wants the shopper to be authenticated.",
    );
    /// The shopper did not pass the challenge.
    AuthenticationFailed = refused(
        "authentication_failed", NextStep::ChallengeFailed, "The shopper could not be authenticated.",
    );
    /// The shopper closed the challenge.
    AuthenticationCanceled = passing(
        "authentication_canceled", NextStep::ChallengeCanceled, "The shopper canceled the authentication.",
    );
    /// The challenge was not finished in time.
    AuthenticationTimedOut = passing(
        "authentication_timed_out", NextStep::ChallengeTimedOut, "The authentication took too long.",
    );
}

impl DeclineCode {
    /// The code on the wire, in the database and at the provider.
    pub const fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Reads a provider's code; a code that is not in the table becomes [`DeclineCode::GenericDecline`].
    pub fn from_code(code: &str) -> Self {
        Self::ALL
            .iter()
            .copied()
            .find(|known| known.as_str() == code)
            .unwrap_or(Self::GenericDecline)
    }

    /// The code that the shopper may see. The merchant's server gets the real one.
    #[must_use]
    pub const fn shown(self) -> Self {
        if self.row().is_hidden {
            Self::GenericDecline
        } else {
            self
        }
    }

    /// The body of the 402 answer, for the shopper's page.
    pub fn body(self) -> DeclineBody {
        let row = self.shown().row();
        DeclineBody {
            status_code: ChargeStatus::Failed,
            decline_code: row.name.to_owned(),
            message: row.message.to_owned(),
            retryable: row.retryable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decline_codes_are_unique_and_unknown_ones_are_generic() {
        for code in DeclineCode::ALL {
            assert_eq!(DeclineCode::from_code(code.as_str()), *code);
        }
        assert_eq!(
            DeclineCode::from_code("no_such_code"),
            DeclineCode::GenericDecline
        );
    }

    #[test]
    fn the_shopper_sees_a_generic_decline_for_a_lost_or_stolen_card() {
        let generic = DeclineCode::GenericDecline.body();
        for code in [
            "lost_card",
            "stolen_card",
            "pickup_card",
            "restricted_card",
            "fraudulent",
        ] {
            let code = DeclineCode::from_code(code);
            assert_ne!(code, DeclineCode::GenericDecline);
            assert_eq!(code.body(), generic, "{code:?}");
        }
        assert_eq!(DeclineCode::DoNotHonor.body().decline_code, "do_not_honor");
    }

    #[test]
    fn a_decline_that_can_be_corrected_may_be_tried_again() {
        assert!(!DeclineCode::ExpiredCard.body().retryable);
        for code in DeclineCode::ALL {
            let row = code.row();
            assert!(
                row.field.is_none() || row.retryable || *code == DeclineCode::ExpiredCard,
                "{code:?}"
            );
        }
    }

    #[test]
    fn canceled_failed_and_late_authentications_have_codes_of_their_own() {
        let steps = [
            DeclineCode::AuthenticationCanceled,
            DeclineCode::AuthenticationFailed,
            DeclineCode::AuthenticationTimedOut,
        ]
        .map(|code| (code.body().retryable, code.row().next_step.message_key()));
        assert_eq!(
            steps,
            [
                (true, "challenge_canceled"),
                (false, "challenge_failed"),
                (true, "challenge_timed_out"),
            ]
        );
    }
}
