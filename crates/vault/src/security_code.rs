//! The security code in memory: it is sent to the provider and nowhere else.

use zeroize::Zeroizing;

pub use rules::limits::SECURITY_CODE_DIGITS_MAX;

/// A card's security code. It has no `Serialize`, `Display` or `Clone`, its `Debug` shows nothing, its memory is
/// zeroed, and nothing in this crate seals it: a security code is never stored
/// (SECURITY.md#what-must-always-hold).
pub struct SecurityCode(Zeroizing<String>);

/// Why a text is not a security code. Neither variant contains the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecurityCodeError {
    /// It has something else than ASCII digits.
    NotDigits,
    /// It is empty or longer than [`SECURITY_CODE_DIGITS_MAX`].
    Length,
}

impl SecurityCode {
    /// Reads digits.
    pub fn parse(text: &str) -> Result<Self, SecurityCodeError> {
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(SecurityCodeError::NotDigits);
        }
        if text.is_empty() || text.len() > SECURITY_CODE_DIGITS_MAX {
            return Err(SecurityCodeError::Length);
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// The code, only for the provider's connector.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SecurityCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecurityCode(…)")
    }
}

#[cfg(test)]
mod tests;
