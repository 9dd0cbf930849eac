//! The ids of input errors (docs/rules.md#error-ids). They are also the keys of the error texts in `locales/`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

macro_rules! error_ids {
    ($($(#[$doc:meta])* $name:ident = $id:literal),* $(,)?) => {
        /// Why a field's value is refused (docs/rules.md#error-ids).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS)]
        pub enum ErrorId {
            $($(#[$doc])* #[serde(rename = $id)] $name),*
        }

        impl ErrorId {
            /// Every id.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The id in `locales/` and in answers.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $id),*
                }
            }
        }
    };
}

/// Other spellings of ids that translation files may use: the alias, then the id (docs/rules.md#error-ids).
pub const ALIASES: &[(&str, &str)] = &[(
    "CardHolderName_NonSymbolAndSNumber",
    "CardHolderName_NonSymbolAndNumber",
)];

error_ids! {
    /// Card expiry is required.
    CardExpiryEmpty = "CardExpiry_Empty",
    /// Not MM/YY.
    CardExpiryWrongMmDdFormat = "CardExpiry_WrongMmDdFormat",
    /// The month is not 1 to 12.
    CardExpiryMonthOutOfRange = "CardExpiry_MonthOutOfRange",
    /// Before the current month.
    CardExpiryExpired = "CardExpiry_Expired",
    /// Over 20 years ahead.
    CardExpiryExceedsMaxValue = "CardExpiry_ExpirationDateExceedsMaxValue",
    /// Has a character that is not a digit.
    CardExpiryContainsNonNumber = "CardExpiry_ContainsNonNumber",
    /// The Luhn digit is wrong.
    CardNumberInvalid = "CardNumber_Invalid",
    /// Card number is required.
    CardNumberEmpty = "CardNumber_Empty",
    /// Not one of the brand's lengths.
    CardNumberInvalidLength = "CardNumber_Invalid_Length",
    /// Has a character that is not a digit.
    CardNumberContainsNonNumber = "CardNumber_ContainsNonNumber",
    /// Too short or too long.
    CardSecurityCodeIncomplete = "CardSecurityCode_IncompleteSecurityCode",
    /// Has a character that is not a digit.
    CardSecurityCodeContainsNonNumber = "CardSecurityCode_ContainsNonNumber",
    /// Security code is required.
    CardSecurityCodeEmpty = "CardSecurityCode_EmptySecurityCode",
    /// Has a character that names do not have. Some translation files spell the id with one more S
    /// (docs/rules.md#error-ids).
    #[serde(alias = "CardHolderName_NonSymbolAndSNumber")]
    CardHolderNameNonSymbolAndNumber = "CardHolderName_NonSymbolAndNumber",
    /// Not 2 to 26 characters.
    CardHolderNameInvalid = "CardHolderName_Invalid",
    /// Cardholder name is required.
    CardHolderNameEmpty = "CardHolderName_Cant_Empty",
    /// Not a postal code of the card's country.
    CardPostalCodeInvalid = "CardPostalCode_Invalid",
    /// Postal code is required.
    CardPostalCodeEmpty = "CardPostalCode_Cant_Empty",
    /// Not an email address.
    CardHolderEmailInvalid = "CardHolderEmail_Invalid",
    /// Email is required.
    CardHolderEmailEmpty = "CardHolderEmail_Cant_Empty",
}

#[cfg(test)]
mod tests;
