//! The security code: its length depends on the brand, if the experiment is on (docs/rules.md#security-code).

use crate::limits::{SECURITY_CODE_DIGITS_MAX, SECURITY_CODE_LENGTH_MAX, SECURITY_CODE_LENGTH_MIN};
use crate::{Brand, ErrorId, Verdict};

/// Checks a security code. `limit_length` is the experiment `card-form-card-security-length-limit-validation`. With the
/// experiment, the code has the brand's length, or 3 to 4 digits while the brand is unknown. Without it, any digits are
/// valid, up to ten.
pub fn verdict(text: &str, brand: Option<Brand>, limit_length: bool) -> Verdict {
    if text.is_empty() {
        return Verdict::Empty(ErrorId::CardSecurityCodeEmpty);
    }
    if !text.chars().all(|c| c.is_ascii_digit()) {
        return Verdict::Wrong(ErrorId::CardSecurityCodeContainsNonNumber);
    }
    let (shortest, longest) = match brand {
        _ if !limit_length => (1, SECURITY_CODE_DIGITS_MAX),
        Some(brand) => (brand.row().security_code_length, brand.row().security_code_length),
        None => (SECURITY_CODE_LENGTH_MIN, SECURITY_CODE_LENGTH_MAX),
    };
    if text.len() < shortest {
        Verdict::Incomplete(ErrorId::CardSecurityCodeIncomplete)
    } else if text.len() > longest {
        Verdict::Wrong(ErrorId::CardSecurityCodeIncomplete)
    } else {
        Verdict::Valid
    }
}
