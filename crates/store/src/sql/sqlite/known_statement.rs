//! What is found out about a statement once.

use std::sync::Arc;

use rusqlite::Statement;

use super::super::{Param, SqlError};

/// What need not be found out again each time that a statement runs.
#[derive(Debug)]
pub(super) struct KnownStatement {
    /// The names of its columns.
    pub(super) names: Arc<[String]>,
    /// Which of our values each of SQLite's parameters is. SQLite numbers `$1`, `$2` … in the order in which they first
    /// stand in the statement; here the number counts.
    params: Vec<usize>,
}

impl KnownStatement {
    /// Asks SQLite.
    pub(super) fn of(statement: &Statement<'_>) -> Result<Self, SqlError> {
        let number = |index| {
            let name = statement.parameter_name(index)?;
            name.get(1..)?.parse::<usize>().ok()?.checked_sub(1)
        };
        let params = (1..=statement.parameter_count())
            .map(|index| number(index).ok_or_else(|| SqlError::Column(format!("${index}"))));
        Ok(Self {
            names: statement.column_names().map(str::to_owned).collect(),
            params: params.collect::<Result<_, _>>()?,
        })
    }

    /// Gives the statement its values.
    pub(super) fn bind(&self, statement: &mut Statement<'_>, params: &[Param<'_>]) -> Result<(), SqlError> {
        for (index, which) in (1..).zip(&self.params) {
            match params.get(*which) {
                Some(Param::Int(number)) => statement.raw_bind_parameter(index, number)?,
                Some(Param::Text(text)) => statement.raw_bind_parameter(index, text.as_deref())?,
                None => {
                    return Err(SqlError::Column(format!("${}", which + 1)));
                }
            }
        }
        Ok(())
    }
}
