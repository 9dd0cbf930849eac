//! How a row of the database becomes a struct. Written here and not derived: sqlx's derive would compile sqlx and SQLite a
//! second time, for the compiler.

use sqlx::any::AnyRow;
use sqlx::{Error, Row};

/// Has a struct read from a row, each field by its type's [`FromColumn`] from the column of its name.
macro_rules! read_from_row {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl ::sqlx::FromRow<'_, ::sqlx::any::AnyRow> for $name {
            fn from_row(row: &::sqlx::any::AnyRow) -> Result<Self, ::sqlx::Error> {
                Ok(Self { $($field: $crate::row::FromColumn::from_column(row, stringify!($field))?),+ })
            }
        }
    };
}

pub(super) use read_from_row;

/// What a column holds.
pub(super) trait FromColumn: Sized {
    /// Reads the column of this name.
    fn from_column(row: &AnyRow, name: &str) -> Result<Self, Error>;
}

/// Types that both databases have.
macro_rules! plain {
    ($($plain:ty),+) => { $(
        impl FromColumn for $plain {
            fn from_column(row: &AnyRow, name: &str) -> Result<Self, Error> {
                row.try_get(name)
            }
        }
    )+ };
}

plain!(String, Option<String>, i64, Option<i64>);

/// Yes and no as both databases keep them: the driver for either has no booleans for SQLite, so a column, declared
/// `BIGINT`, holds 0 or 1. Bind `i64::from(yes)`.
impl FromColumn for bool {
    fn from_column(row: &AnyRow, name: &str) -> Result<Self, Error> {
        Ok(i64::from_column(row, name)? != 0)
    }
}

impl FromColumn for Option<bool> {
    fn from_column(row: &AnyRow, name: &str) -> Result<Self, Error> {
        Ok(Option::<i64>::from_column(row, name)?.map(|number| number != 0))
    }
}

/// A type that is kept as a word.
macro_rules! read_from_word {
    ($word:ty) => {
        impl $crate::row::FromColumn for $word {
            fn from_column(row: &::sqlx::any::AnyRow, name: &str) -> Result<Self, ::sqlx::Error> {
                let word = <String as $crate::row::FromColumn>::from_column(row, name)?;
                Self::try_from(word).map_err(|cause| ::sqlx::Error::ColumnDecode {
                    index: name.to_owned(),
                    source: cause.into(),
                })
            }
        }
    };
}

pub(super) use read_from_word;

/// A struct whose columns stand in the row among others.
macro_rules! read_among_others {
    ($several:ty) => {
        impl $crate::row::FromColumn for $several {
            fn from_column(row: &::sqlx::any::AnyRow, _: &str) -> Result<Self, ::sqlx::Error> {
                <Self as ::sqlx::FromRow<'_, ::sqlx::any::AnyRow>>::from_row(row)
            }
        }
    };
}

pub(super) use read_among_others;
