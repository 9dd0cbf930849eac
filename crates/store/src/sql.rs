//! Statements that both databases accept, with `$1`, `$2` … for their values, and the connections that run them.
//!
//! On SQLite a statement runs on the caller's thread: handing it to another thread and back would take longer than most
//! statements. What can take long, a commit's write to the disk and a result of many rows, runs on a thread for work that
//! blocks.

pub(super) mod error;
pub(super) mod error_count;
pub(super) mod pool_state;
pub(super) mod postgres;
pub(super) mod row;
pub(super) mod row_in_place;
pub(super) mod sqlite;
pub(super) mod work;

use std::borrow::Cow;

pub(super) use error::SqlError;
use error_count::count_error;
pub(super) use row::{FromColumn, FromRow, SqlRow, read_among_others, read_from_row, read_from_word};
pub(super) use row_in_place::RowInPlace;

/// A value of a statement. Both have a type even if they are null.
#[derive(Debug, Clone)]
pub(super) enum Param<'a> {
    Int(Option<i64>),
    Text(Option<Cow<'a, str>>),
}

impl Param<'_> {
    /// The same, on its own.
    pub(super) fn into_owned(self) -> Param<'static> {
        match self {
            Self::Int(number) => Param::Int(number),
            Self::Text(text) => Param::Text(owned(text)),
        }
    }
}

fn owned(text: Option<Cow<'_, str>>) -> Option<Cow<'static, str>> {
    text.map(|text| Cow::Owned(text.into_owned()))
}

impl From<i64> for Param<'_> {
    fn from(number: i64) -> Self {
        Self::Int(Some(number))
    }
}

impl From<Option<i64>> for Param<'_> {
    fn from(number: Option<i64>) -> Self {
        Self::Int(number)
    }
}

impl<'a> From<&'a str> for Param<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(Cow::Borrowed(text)))
    }
}

impl<'a> From<&'a String> for Param<'a> {
    fn from(text: &'a String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<String> for Param<'_> {
    fn from(text: String) -> Self {
        Self::Text(Some(Cow::Owned(text)))
    }
}

impl<'a> From<Option<&'a str>> for Param<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self::Text(text.map(Cow::Borrowed))
    }
}

impl<'a> From<&'a Option<String>> for Param<'a> {
    fn from(text: &'a Option<String>) -> Self {
        Self::from(text.as_deref())
    }
}

impl From<Option<String>> for Param<'_> {
    fn from(text: Option<String>) -> Self {
        Self::Text(text.map(Cow::Owned))
    }
}

impl<'a> From<Option<&'a String>> for Param<'a> {
    fn from(text: Option<&'a String>) -> Self {
        Self::from(text.map(String::as_str))
    }
}

/// What a statement shall give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// How many rows it changed.
    Changes,
    /// A row or none.
    Row,
    /// Its rows, which can be many.
    Rows,
}

/// A statement, ready to run.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) sql: &'a str,
    pub(super) params: &'a [Param<'a>],
    pub(super) wanted: Wanted,
}

/// What a statement gave.
#[derive(Debug, Default)]
pub(super) struct SqlAnswer {
    pub(super) rows: Vec<SqlRow>,
    pub(super) changes: u64,
}

impl SqlAnswer {
    /// Its rows.
    pub(super) fn all<T: FromRow>(self) -> Result<Vec<T>, SqlError> {
        self.rows
            .into_iter()
            .map(|mut row| T::from_row(&mut row))
            .collect()
    }

    /// Its first row, if there is one.
    pub(super) fn optional<T: FromRow>(self) -> Result<Option<T>, SqlError> {
        let first = self.rows.into_iter().next();
        first.map(|mut row| T::from_row(&mut row)).transpose()
    }
}

/// What runs statements: a transaction's connection, or a pool.
pub(super) trait Executor: Send {
    /// Runs one statement.
    fn run(self, call: Call<'_>) -> impl Future<Output = Result<SqlAnswer, SqlError>> + Send;
}

/// A statement with its values so far.
#[derive(Debug)]
pub(super) struct Query<'a> {
    sql: Cow<'static, str>,
    params: Vec<Param<'a>>,
}

/// A statement. Only numbers and texts of ours are formatted into it; values are bound.
pub(super) fn query<'a>(sql: impl Into<Cow<'static, str>>) -> Query<'a> {
    Query {
        sql: sql.into(),
        params: Vec::new(),
    }
}

impl<'a> Query<'a> {
    /// Adds the next value.
    pub(super) fn bind(mut self, value: impl Into<Param<'a>>) -> Self {
        self.params.push(value.into());
        self
    }

    /// Runs it, and returns how many rows it changed.
    pub(super) async fn execute(self, on: impl Executor) -> Result<u64, SqlError> {
        Ok(self.run(on, Wanted::Changes).await?.changes)
    }

    /// Its rows.
    pub(super) async fn fetch_all<T: FromRow>(self, on: impl Executor) -> Result<Vec<T>, SqlError> {
        self.run(on, Wanted::Rows).await?.all()
    }

    /// Its first row, if there is one.
    pub(super) async fn fetch_optional<T: FromRow>(self, on: impl Executor) -> Result<Option<T>, SqlError> {
        self.run(on, Wanted::Row).await?.optional()
    }

    /// Its first row, which there always is.
    pub(super) async fn fetch_one<T: FromRow>(self, on: impl Executor) -> Result<T, SqlError> {
        self.fetch_optional(on).await?.ok_or(SqlError::NoRow)
    }

    /// Runs it; it can run again.
    pub(super) async fn run(&self, on: impl Executor, wanted: Wanted) -> Result<SqlAnswer, SqlError> {
        on.run(self.call(wanted)).await.inspect_err(count_error)
    }

    /// What it gives by its text.
    pub(super) fn wanted(&self) -> Wanted {
        let is_read = self.sql.starts_with("SELECT ");
        if is_read { Wanted::Rows } else { Wanted::Changes }
    }

    /// The statement with its parameters.
    pub(super) fn call(&self, wanted: Wanted) -> Call<'_> {
        Call {
            sql: &self.sql,
            params: &self.params,
            wanted,
        }
    }
}

/// Adds the condition that a column has one of these words of ours. For `IN` with more than two words SQLite would make a
/// table first.
pub(super) fn push_one_of<'a>(sql: &mut String, column: &str, words: impl Iterator<Item = &'a str>) {
    for (at, word) in words.enumerate() {
        sql.push_str(if at == 0 { "(" } else { " OR " });
        for part in [column, " = '", word, "'"] {
            sql.push_str(part);
        }
    }
    sql.push(')');
}
