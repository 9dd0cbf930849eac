//! The result of a rule for a text.

use crate::ErrorId;

/// The result of a rule for a field's text. "Incomplete" and "wrong" differ, because while the shopper types, the form
/// shows only errors that more text cannot correct (docs/field-states.md#the-states).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Complete and valid.
    Valid,
    /// The field is empty. This is an error only if validation is forced.
    Empty(ErrorId),
    /// Not valid yet, but more text can make it valid.
    Incomplete(ErrorId),
    /// Not valid, and more text cannot make it valid.
    Wrong(ErrorId),
}

impl Verdict {
    /// The error if validation is forced. `None` only for a valid text.
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
