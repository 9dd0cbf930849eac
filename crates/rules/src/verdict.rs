//! What a rule says of a text.

use crate::ErrorId;

/// What a rule says of a field's text. "Not yet" and "wrong" differ, because an error is shown while one types only
/// when typing on cannot mend it (docs/field-states.md#the-states).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Complete and valid.
    Valid,
    /// Nothing was typed; an error only when validation is forced.
    Empty(ErrorId),
    /// Not valid yet, but typing on can make it so.
    Incomplete(ErrorId),
    /// Not valid, however one types on.
    Wrong(ErrorId),
}

impl Verdict {
    /// The error when validation is forced: `None` for a valid text only.
    pub fn error(self) -> Option<ErrorId> {
        match self {
            Self::Valid => None,
            Self::Empty(id) | Self::Incomplete(id) | Self::Wrong(id) => Some(id),
        }
    }

    /// Valid, or the error as the other side, to be passed on with `?`.
    pub fn into_result(self) -> Result<(), ErrorId> {
        self.error().map_or(Ok(()), Err)
    }
}
