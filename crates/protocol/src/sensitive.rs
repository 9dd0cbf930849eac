//! Texts that must not be printed: card numbers, security codes and client secrets in requests. The library `secrecy`
//! is not used, because its types have no JSON Schema and no TypeScript.

use schemars::JsonSchema;
use serde::Deserialize;
use ts_rs::TS;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A secret text from a request. It cannot be serialized or displayed, its `Debug` does not show it, and its memory is
/// overwritten when it is dropped (SECURITY.md#what-must-always-hold).
#[derive(Clone, Default, Deserialize, Zeroize, ZeroizeOnDrop, JsonSchema, TS)]
#[schemars(inline)]
#[ts(as = "String")]
pub struct Sensitive(String);

impl Sensitive {
    /// Takes over `text`; the caller must not keep a copy.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The secret itself, for the code that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// As command lines read it.
impl From<String> for Sensitive {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl std::fmt::Debug for Sensitive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sensitive(…)")
    }
}

#[cfg(test)]
mod tests;
