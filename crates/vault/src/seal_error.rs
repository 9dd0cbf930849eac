//! Why sealing and opening fail.

use thiserror::Error;

/// Why a number cannot be sealed or opened. No variant contains any part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SealError {
    /// The ring has no key of this id.
    #[error("the key ring does not have the key that wraps this number")]
    UnknownKey,
    /// The number has another format, is damaged, belongs to another record, or is wrapped by another key of this id.
    #[error("the sealed number is damaged, or belongs to another record or key")]
    Unusable,
    /// The cryptographic library failed.
    #[error("the cryptographic library failed")]
    Library,
}
