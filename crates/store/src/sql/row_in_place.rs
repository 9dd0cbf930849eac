//! Rows that the report adds up. Columns are counted from 0.

use super::row::Value;
use super::{SqlError, SqlRow};

/// A row whose values are read by their places.
pub(crate) struct RowInPlace<'a>(pub(crate) &'a SqlRow);

impl RowInPlace<'_> {
    /// A number, or `None` for null.
    pub(crate) fn int_or_null(&self, column: usize) -> Result<Option<i64>, SqlError> {
        match self.0.value(column) {
            Some(Value::Int(number)) => Ok(Some(*number)),
            Some(Value::Null) => Ok(None),
            _ => Err(SqlError::Column(column.to_string())),
        }
    }

    /// A number.
    pub(crate) fn int(&self, column: usize) -> Result<i64, SqlError> {
        let number = self.int_or_null(column)?;
        number.ok_or_else(|| SqlError::Column(column.to_string()))
    }

    /// A text, or `None` for null.
    pub(crate) fn text_or_null(&self, column: usize) -> Result<Option<&str>, SqlError> {
        match self.0.value(column) {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            _ => Err(SqlError::Column(column.to_string())),
        }
    }

    /// A text.
    pub(crate) fn text(&self, column: usize) -> Result<&str, SqlError> {
        let text = self.text_or_null(column)?;
        text.ok_or_else(|| SqlError::Column(column.to_string()))
    }
}
