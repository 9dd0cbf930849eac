//! The table of declines: why a provider did not accept a card, and what each reason means for the shopper.
//!
//! The codes are named as card schemes and large providers name them. The page's part of the table is generated from
//! this one.

use rules::{ErrorId, Field};
use strum::VariantArray;

use crate::{ChargeStatus, DeclineBody};

/// What a shopper can do about a decline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum NextStep {
    /// Correct the card number.
    CheckCardNumber,
    /// Correct the expiry date.
    CheckExpiry,
    /// Use another card, because this one has expired.
    ExpiredCard,
    /// Correct the security code.
    CheckSecurityCode,
    /// Correct the postal code, or use another card, because not every form asks for it.
    CheckPostalCode,
    /// Use another card.
    UseAnotherCard,
    /// Ask the bank that issued the card, or use another one.
    AskYourBank,
    /// Try the same card again later.
    TryAgainLater,
    /// Ask the store, because the same payment may have been made already.
    MayHavePaid,
    /// Put money on the account, or use another card.
    InsufficientFunds,
    /// Try again soon, because the bank did not refuse the card.
    ProcessingError,
    /// Press again, because the shopper canceled the verification.
    ChallengeCanceled,
    /// Use another card, because the bank could not confirm the shopper.
    ChallengeFailed,
    /// Press again, because the verification took too long.
    ChallengeTimedOut,
}

impl NextStep {
    /// Every step, in the order in which the page's types name them.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The key of its text in `locales/`.
    pub fn message_key(self) -> &'static str {
        self.into()
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decline {
    /// What the shopper can do.
    pub next_step: NextStep,
    /// Whether the same card may be tried again, as it is or with `field` corrected.
    pub retryable: bool,
    /// The field to correct, and the error that it shows.
    pub field: Option<(Field, ErrorId)>,
    /// The shopper sees a [`DeclineCode::GenericDecline`] instead, because a person with a stolen card must not learn
    /// that the bank knows of the theft.
    pub is_hidden: bool,
    /// For the developer, in English; the page shows its own text.
    pub message: &'static str,
}

macro_rules! catalogue {
    ($($(#[$doc:meta])* $code:ident = $row:expr;)*) => {
        /// Why a card was declined.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::EnumString)]
        #[strum(serialize_all = "snake_case")]
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
const fn refused(next_step: NextStep, message: &'static str) -> Decline {
    Decline {
        next_step,
        retryable: false,
        field: None,
        is_hidden: false,
        message,
    }
}

/// A reason that may not apply at the next attempt.
const fn passing(next_step: NextStep, message: &'static str) -> Decline {
    Decline {
        retryable: true,
        ..refused(next_step, message)
    }
}

/// A reason that the shopper must not learn.
const fn hidden(message: &'static str) -> Decline {
    Decline {
        is_hidden: true,
        ..refused(NextStep::UseAnotherCard, message)
    }
}

const NUMBER: Decline = Decline {
    field: Some((Field::CardNumber, ErrorId::CardNumberInvalid)),
    ..passing(NextStep::CheckCardNumber, "The card number is incorrect.")
};

const SECURITY_CODE: Decline = Decline {
    field: Some((Field::SecurityCode, ErrorId::CardSecurityCodeIncomplete)),
    ..passing(
        NextStep::CheckSecurityCode,
        "The card's security code is incorrect.",
    )
};

const fn expiry(error: ErrorId, message: &'static str) -> Decline {
    Decline {
        field: Some((Field::Expiry, error)),
        ..passing(NextStep::CheckExpiry, message)
    }
}

catalogue! {
    /// The issuer gives no reason.
    GenericDecline = refused(NextStep::UseAnotherCard, "The card was declined.");
    /// The account has not enough money.
    InsufficientFunds = passing(NextStep::InsufficientFunds, "The card has insufficient funds.");
    /// The card has expired.
    ExpiredCard = Decline {
        next_step: NextStep::ExpiredCard,
        retryable: false,
        ..expiry(ErrorId::CardExpiryExpired, "The card has expired.")
    };
    /// The security code is not the card's.
    IncorrectCvc = SECURITY_CODE;
    /// The text is not a security code.
    InvalidCvc = SECURITY_CODE;
    /// No card has this number.
    IncorrectNumber = NUMBER;
    /// The text is not a card number.
    InvalidNumber = NUMBER;
    /// The month is wrong.
    InvalidExpiryMonth = expiry(ErrorId::CardExpiryMonthOutOfRange, "The card's expiry month is incorrect.");
    /// The year is wrong.
    InvalidExpiryYear = expiry(ErrorId::CardExpiryMonthOutOfRange, "The card's expiry year is incorrect.");
    /// The issuer refuses and says no more.
    DoNotHonor = refused(NextStep::AskYourBank, "The issuer does not honor the card.");
    /// The cardholder must call the issuer.
    CallIssuer = refused(NextStep::AskYourBank, "The issuer wants to be called.");
    /// This card may not make this kind of payment.
    TransactionNotAllowed = refused(NextStep::AskYourBank, "The issuer does not allow this payment.");
    /// This card may not be used for this service.
    ServiceNotAllowed = refused(NextStep::AskYourBank, "The issuer does not allow this service.");
    /// The card was used too often, or for too much money, in its period.
    CardVelocityExceeded = refused(NextStep::AskYourBank, "The card's limit of payments or amount is exceeded.");
    /// The cardholder has stopped payments of this kind.
    RevocationOfAuthorization = refused(NextStep::AskYourBank, "The cardholder has stopped such payments.");
    /// The account is closed, or there is none.
    InvalidAccount = refused(NextStep::UseAnotherCard, "The card's account is closed.");
    /// The provider does not accept this kind of card.
    CardNotSupported = refused(NextStep::UseAnotherCard, "This kind of card is not supported.");
    /// The card does not pay in this currency.
    CurrencyNotSupported = refused(NextStep::UseAnotherCard, "The card does not support the currency.");
    /// The zip code is not the cardholder's.
    IncorrectZip = Decline {
        field: Some((Field::PostalCode, ErrorId::CardPostalCodeInvalid)),
        ..passing(NextStep::CheckPostalCode, "The zip code is incorrect.")
    };
    /// The same payment was just made.
    DuplicateTransaction = refused(NextStep::MayHavePaid, "The same payment was made a moment ago.");
    /// The cardholder has reported the card as lost.
    LostCard = hidden("The card is reported lost.");
    /// The cardholder has reported the card as stolen.
    StolenCard = hidden("The card is reported stolen.");
    /// The issuer asks shops to keep the card.
    PickupCard = hidden("The issuer wants the card to be kept.");
    /// The issuer has restricted the card, often because it is lost or stolen.
    RestrictedCard = hidden("The card is restricted.");
    /// The issuer or the provider suspects fraud.
    Fraudulent = hidden("The payment is suspected to be fraudulent.");
    /// The issuer asks to try again.
    TryAgainLater = passing(NextStep::TryAgainLater, "The issuer asks to try again later.");
    /// The issuer cannot be reached.
    IssuerUnavailable = passing(NextStep::TryAgainLater, "The issuer cannot be reached.");
    /// The card was not refused. Something failed on the way, and no money was taken.
    ProcessingError = passing(
        NextStep::ProcessingError,
        "An error occurred while processing the card. Nothing was taken; try again in a little bit.",
    );
    /// The issuer requires 3-D Secure, and the payment had none.
    AuthenticationRequired = refused(NextStep::AskYourBank, "The issuer wants the shopper to be authenticated.");
    /// The shopper did not pass the challenge.
    AuthenticationFailed = refused(NextStep::ChallengeFailed, "The shopper could not be authenticated.");
    /// The shopper closed the challenge.
    AuthenticationCanceled = passing(NextStep::ChallengeCanceled, "The shopper canceled the authentication.");
    /// The challenge was not finished in time.
    AuthenticationTimedOut = passing(NextStep::ChallengeTimedOut, "The authentication took too long.");
}

impl DeclineCode {
    /// Reads a provider's code; a code that is not in the table becomes [`DeclineCode::GenericDecline`].
    pub fn from_code(code: &str) -> Self {
        code.parse().unwrap_or(Self::GenericDecline)
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

    /// Whether the issuer will never accept the card, so that card networks forbid to try it again without the shopper.
    pub const fn ends_retries(self) -> bool {
        matches!(
            self,
            Self::IncorrectNumber
                | Self::InvalidAccount
                | Self::LostCard
                | Self::PickupCard
                | Self::RevocationOfAuthorization
                | Self::StolenCard
                | Self::TransactionNotAllowed
        )
    }

    /// What a merchant's server can do, in the words of Stripe's advice codes.
    pub const fn advice(self) -> &'static str {
        let row = self.row();
        match row {
            Decline { field: Some(_), .. } => "confirm_card_data",
            Decline { retryable: true, .. } => "try_again_later",
            Decline { .. } => "do_not_try_again",
        }
    }

    /// The body of the 402 answer, for the shopper's page.
    pub fn body(self) -> DeclineBody {
        let shown = self.shown();
        let row = shown.row();
        DeclineBody {
            status_code: ChargeStatus::Failed,
            decline_code: shown.as_str().to_owned(),
            message: row.message.to_owned(),
            retryable: row.retryable,
        }
    }
}

#[cfg(test)]
mod tests;
