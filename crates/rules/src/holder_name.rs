//! The cardholder's name: 2 to 26 letters and punctuation of names (docs/rules.md#cardholder-name).

use crate::letters::is_letter;
use crate::limits::{HOLDER_NAME_LENGTH_MAX, HOLDER_NAME_LENGTH_MIN};
use crate::{ErrorId, Verdict};

/// The characters that a name may have besides letters: apostrophe, comma, period, space and hyphen.
pub const PUNCTUATION: &str = "',. -";

/// Checks a cardholder's name. Spaces around it are ignored.
pub fn verdict(text: &str) -> Verdict {
    let name = text.trim();
    let length = name.chars().count();
    if length == 0 {
        Verdict::Empty(ErrorId::CardHolderNameEmpty)
    } else if !name.chars().all(|c| is_letter(c) || PUNCTUATION.contains(c)) {
        Verdict::Wrong(ErrorId::CardHolderNameNonSymbolAndNumber)
    } else if length > HOLDER_NAME_LENGTH_MAX {
        Verdict::Wrong(ErrorId::CardHolderNameInvalid)
    } else if length < HOLDER_NAME_LENGTH_MIN || name.chars().all(|c| matches!(c, ' ' | '-')) {
        // The rule of the card-validation library: a name must have more than spaces and dashes.
        Verdict::Incomplete(ErrorId::CardHolderNameInvalid)
    } else {
        Verdict::Valid
    }
}
