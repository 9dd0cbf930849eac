//! How a row of the database becomes a struct.

use std::sync::Arc;

use super::SqlError;

/// A value that the database gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Text(String),
}

/// A row that the database gave. A value can be taken once.
#[derive(Debug)]
pub(crate) struct SqlRow {
    names: Arc<[String]>,
    values: Vec<Value>,
    /// Most structs take their columns in the order of the statement, so the search for a name begins here.
    next: usize,
}

impl SqlRow {
    pub(super) fn new(names: Arc<[String]>, values: Vec<Value>) -> Self {
        Self {
            names,
            values,
            next: 0,
        }
    }

    /// The value of the column with this name.
    pub(crate) fn take(&mut self, name: &str) -> Result<Value, SqlError> {
        let columns = self.names.len();
        let at = (0..columns)
            .map(|step| (self.next + step) % columns)
            .find(|at| self.names.get(*at).is_some_and(|known| known == name))
            .ok_or_else(|| SqlError::Column(name.to_owned()))?;
        self.next = at + 1;
        self.take_at(at)
    }

    fn take_at(&mut self, at: usize) -> Result<Value, SqlError> {
        let place = self.values.get_mut(at);
        let place = place.ok_or_else(|| SqlError::Column(at.to_string()))?;
        Ok(std::mem::replace(place, Value::Null))
    }

    /// All columns with their values.
    pub(crate) fn into_columns(self) -> impl Iterator<Item = (String, Value)> {
        let names: Vec<String> = self.names.to_vec();
        names.into_iter().zip(self.values)
    }

    /// The same as a type.
    pub(crate) fn get<T: FromColumn>(&mut self, name: &str) -> Result<T, SqlError> {
        T::from_column(self, name)
    }

    fn get_at<T: FromValue>(&mut self, at: usize) -> Result<T, SqlError> {
        T::from_value(self.take_at(at)?).ok_or_else(|| SqlError::Column(at.to_string()))
    }
}

/// What can be read from a row.
pub(crate) trait FromRow: Sized {
    /// Reads the row.
    fn from_row(row: &mut SqlRow) -> Result<Self, SqlError>;
}

impl FromRow for SqlRow {
    fn from_row(row: &mut SqlRow) -> Result<Self, SqlError> {
        Ok(Self {
            names: Arc::clone(&row.names),
            values: std::mem::take(&mut row.values),
            next: 0,
        })
    }
}

/// What a value can be read as.
pub(crate) trait FromValue: Sized {
    /// `None` if the value has another type.
    fn from_value(value: Value) -> Option<Self>;
}

impl FromValue for i64 {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Yes and no as both databases keep them: a column, declared `BIGINT`, holds 0 or 1. Bind `i64::from(yes)`.
impl FromValue for bool {
    fn from_value(value: Value) -> Option<Self> {
        i64::from_value(value).map(|number| number != 0)
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// What a column holds, or several columns.
pub(crate) trait FromColumn: Sized {
    /// Reads the column of this name.
    fn from_column(row: &mut SqlRow, name: &str) -> Result<Self, SqlError>;
}

impl<T: FromValue> FromColumn for T {
    fn from_column(row: &mut SqlRow, name: &str) -> Result<Self, SqlError> {
        T::from_value(row.take(name)?).ok_or_else(|| SqlError::Column(name.to_owned()))
    }
}

/// A row of one column.
impl<A: FromValue> FromRow for A {
    fn from_row(row: &mut SqlRow) -> Result<Self, SqlError> {
        row.get_at(0)
    }
}

/// Rows of several columns.
macro_rules! tuple {
    ($($column:ident at $place:literal),+) => {
        impl<$($column: FromValue),+> FromRow for ($($column,)+) {
            fn from_row(row: &mut SqlRow) -> Result<Self, SqlError> {
                Ok(($(row.get_at::<$column>($place)?,)+))
            }
        }
    };
}

tuple!(A at 0, B at 1);
tuple!(A at 0, B at 1, C at 2);

/// Has a struct read from a row, each field by its type's [`FromColumn`] from the column of its name.
macro_rules! read_from_row {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::sql::FromRow for $name {
            fn from_row(row: &mut $crate::sql::SqlRow) -> Result<Self, $crate::sql::SqlError> {
                Ok(Self { $($field: row.get(stringify!($field))?),+ })
            }
        }
    };
}

pub(crate) use read_from_row;

/// A type that is stored as a word.
macro_rules! read_from_word {
    ($word:ty) => {
        impl $crate::sql::row::FromValue for $word {
            fn from_value(value: $crate::sql::row::Value) -> Option<Self> {
                let word = <String as $crate::sql::row::FromValue>::from_value(value)?;
                Self::try_from(word).ok()
            }
        }
    };
}

pub(crate) use read_from_word;

/// A struct whose columns stand in the row among others.
macro_rules! read_among_others {
    ($several:ty) => {
        impl $crate::sql::FromColumn for $several {
            fn from_column(row: &mut $crate::sql::SqlRow, _: &str) -> Result<Self, $crate::sql::SqlError> {
                <Self as $crate::sql::FromRow>::from_row(row)
            }
        }
    };
}

pub(crate) use read_among_others;
