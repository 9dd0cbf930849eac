//! The result of a rule for a text.

use crate::ErrorId;

/// The result of a rule for a field's text. "Incomplete" and "wrong" differ, because the form shows an error while the
/// shopper types only if typing more cannot correct it (docs/field-states.md#the-states).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Complete and valid.
    Valid,
    /// Nothing was typed. It is an error only when validation is forced.
    Empty(ErrorId),
    /// Not valid yet, but typing more can make it valid.
    Incomplete(ErrorId),
    /// Not valid, and typing more cannot make it valid.
    Wrong(ErrorId),
}

impl Verdict {
    /// The error when validation is forced. `None` for a valid text only.
    pub fn error(self) -> Option<ErrorId> {
        match self {
            Self::Valid => None,
            Self::Empty(id) | Self::Incomplete(id) | Self::Wrong(id) => Some(id),
        }
    }

    /// `Ok` if valid, otherwise the error, for use with `?`.
    pub fn into_result(self) -> Result<(), ErrorId> {
        self.error().map_or(Ok(()), Err)
    }
}
