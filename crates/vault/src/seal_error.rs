//! Why sealing and opening fail.

use thiserror::Error;

/// Why a number cannot be sealed or opened. No variant contains any part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SealError {
    /// The ring has no key of this id.
    #[error("the key ring has not the key that wraps this number")]
    UnknownKey,
    /// It is of another format, damaged, of another record, or wrapped by another key of the same id.
    #[error("the sealed number is damaged, or belongs to another record or key")]
    Unusable,
    /// The cryptographic library failed.
    #[error("the cryptographic library failed")]
    Library,
}
