//! The cardholder's name: 2 to 26 letters and punctuation of names (docs/rules.md#cardholder-name).

use unicode_normalization::UnicodeNormalization;

use crate::letters::is_letter;
use crate::limits::{HOLDER_NAME_LENGTH_MAX, HOLDER_NAME_LENGTH_MIN};
use crate::{ErrorId, Verdict};

/// The characters that a name may have besides letters: apostrophe, comma, period, space and hyphen.
pub const PUNCTUATION: &str = "',. -";

/// Checks a cardholder's name. Spaces around it are ignored, and a letter with its marks is one character.
pub fn verdict(text: &str) -> Verdict {
    let name: String = text.trim().nfc().collect();
    let length = name.chars().count();
    if length == 0 {
        Verdict::Empty(ErrorId::CardHolderNameEmpty)
    } else if !name.chars().all(|c| is_letter(c) || PUNCTUATION.contains(c)) {
        Verdict::Wrong(ErrorId::CardHolderNameNonSymbolAndNumber)
    } else if length > HOLDER_NAME_LENGTH_MAX {
        Verdict::Wrong(ErrorId::CardHolderNameInvalid)
    } else if length < HOLDER_NAME_LENGTH_MIN || name.chars().all(|c| matches!(c, ' ' | '-')) {
        // A rule of the card-validator library: a name must have more than spaces and hyphens.
        Verdict::Incomplete(ErrorId::CardHolderNameInvalid)
    } else {
        Verdict::Valid
    }
}
