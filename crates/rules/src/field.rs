//! The five fields of the form by name, and the rule of each.

use crate::{Brand, Month, Verdict, expiry, holder_email, holder_name, number, security_code};

/// A field of the card form (docs/rules.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The card number.
    CardNumber,
    /// The expiry.
    Expiry,
    /// The security code.
    SecurityCode,
    /// The cardholder's name.
    HolderName,
    /// The cardholder's email.
    HolderEmail,
}

impl Field {
    /// Every field, the card's own first.
    pub const ALL: [Self; 5] = [
        Self::CardNumber,
        Self::Expiry,
        Self::SecurityCode,
        Self::HolderName,
        Self::HolderEmail,
    ];

    /// Its name in the form's state.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CardNumber => "cardNumber",
            Self::Expiry => "expiry",
            Self::SecurityCode => "security",
            Self::HolderName => "cardHolderName",
            Self::HolderEmail => "cardHolderEmail",
        }
    }

    /// The id of its input, which is also its name in messages and events (docs/form.md#element-ids).
    pub const fn id(self) -> &'static str {
        match self {
            Self::CardNumber => "card-number",
            Self::Expiry => "card-expiry",
            Self::SecurityCode => "card-security-code",
            Self::HolderName => "card-holder-name",
            Self::HolderEmail => "card-holder-email",
        }
    }
}

/// The experiments that change what is valid (docs/experiments.md#the-eight).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleExperiments {
    /// `card-form-card-number-luhn-alg-validation`.
    pub luhn: bool,
    /// `card-form-card-security-length-limit-validation`.
    pub security_code_length: bool,
    /// `card-form-card-expiry-date-limit-validation`.
    pub expiry_limit: bool,
}

/// What a rule needs besides the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// Which experiments are on.
    pub experiments: RuleExperiments,
    /// The current month.
    pub today: Month,
    /// The brand of the card number or of the saved card; the rule of the security code needs it.
    pub brand: Option<Brand>,
}

/// Checks `text` with the rule of `field`, while it is typed.
pub fn judge(field: Field, text: &str, context: Context) -> Verdict {
    let Context {
        experiments,
        today,
        brand,
    } = context;
    match field {
        Field::CardNumber => number::verdict(text, experiments.luhn),
        Field::Expiry => expiry::verdict(text, today, experiments.expiry_limit),
        Field::SecurityCode => security_code::verdict(text, brand, experiments.security_code_length),
        Field::HolderName => holder_name::verdict(text),
        Field::HolderEmail => holder_email::verdict(text),
    }
}
