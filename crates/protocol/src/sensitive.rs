//! Texts that must not be printed: card numbers, security codes and client secrets in requests. Ours and not
//! `secrecy`, whose types have no schema and no TypeScript: what is described here is what comes over the wire.

use serde::{Deserialize, Deserializer};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A secret text that was received. It cannot be serialized or displayed, its `Debug` says nothing of its
/// contents, and its memory is overwritten when it is dropped (SECURITY.md#what-must-always-hold).
#[derive(Clone, Default, Zeroize, ZeroizeOnDrop)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
#[schemars(inline)]
#[cfg_attr(feature = "typescript", ts(as = "String"))]
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

impl std::fmt::Debug for Sensitive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sensitive(…)")
    }
}

impl<'de> Deserialize<'de> for Sensitive {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_does_not_show_the_secret() {
        let secret: Sensitive = serde_json::from_str("\"4242424242424242\"").unwrap();
        assert_eq!(secret.expose(), "4242424242424242");
        assert!(!format!("{secret:?}").contains('4'));
    }
}
