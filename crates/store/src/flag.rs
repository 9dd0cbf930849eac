//! Yes and no as both databases keep them: the driver for either has no booleans for SQLite, so a column holds 0 or 1.

/// A boolean column, declared `BIGINT`: bind `Flag::from(yes)`, read with `#[sqlx(try_from = "Flag")]`.
#[derive(Debug, Clone, Copy, sqlx::Type)]
#[sqlx(transparent)]
pub(super) struct Flag(i64);

/// The same for a column that may be empty.
#[derive(Debug, Clone, Copy, sqlx::Type)]
#[sqlx(transparent)]
pub(super) struct MaybeFlag(Option<i64>);

impl From<bool> for Flag {
    fn from(yes: bool) -> Self {
        Self(i64::from(yes))
    }
}

impl From<Flag> for bool {
    fn from(flag: Flag) -> Self {
        flag.0 != 0
    }
}

impl From<MaybeFlag> for Option<bool> {
    fn from(flag: MaybeFlag) -> Self {
        flag.0.map(|number| number != 0)
    }
}
