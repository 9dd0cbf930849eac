//! Statements that both databases accept, with `$1`, `$2` … for their values, and the connections that run them.
//!
//! On SQLite a statement runs on the caller's thread: handing it to another thread and back would take longer than most
//! statements. What can take long, a commit's write to the disk and a result of many rows, runs on a thread for work that
//! blocks.

pub(super) mod counts;
pub(super) mod error;
pub(super) mod postgres;
pub(super) mod row;
pub(super) mod sqlite;

use std::borrow::Cow;

use counts::count_error;
pub(super) use error::SqlError;
pub(super) use row::{FromColumn, FromRow, SqlRow, read_among_others, read_from_row, read_from_word};

/// A value of a statement. Both have a type even if they are null.
#[derive(Debug, Clone)]
pub(super) enum Param<'a> {
    Int(Option<i64>),
    Text(Option<Cow<'a, str>>),
}

macro_rules! params_from {
    ($($from:ty: $value:ident => $param:expr),+ $(,)?) => {
        $(impl<'a> From<$from> for Param<'a> {
            fn from($value: $from) -> Self {
                $param
            }
        })+
    };
}

params_from! {
    i64: number => Self::Int(Some(number)),
    Option<i64>: number => Self::Int(number),
    &'a str: text => Self::Text(Some(text.into())),
    &'a String: text => Self::Text(Some(text.into())),
    String: text => Self::Text(Some(text.into())),
    Option<&'a str>: text => Self::Text(text.map(Into::into)),
    Option<&'a String>: text => Self::Text(text.map(Into::into)),
    &'a Option<String>: text => Self::Text(text.as_ref().map(Into::into)),
    Option<String>: text => Self::Text(text.map(Into::into)),
}

/// What a statement gave.
#[derive(Debug, Default)]
pub(super) struct SqlAnswer {
    pub(super) rows: Vec<SqlRow>,
    /// How many rows a statement changed that gives none.
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
    fn run(self, query: &Query<'_>) -> impl Future<Output = Result<SqlAnswer, SqlError>> + Send;
}

/// A statement with its values.
#[derive(Debug, Clone)]
pub(super) struct Query<'a> {
    sql: Cow<'static, str>,
    params: Vec<Param<'a>>,
    /// It can give many rows.
    reads_many: bool,
}

/// A statement. Only numbers and texts of ours are formatted into it; values are bound.
pub(super) fn query<'a>(sql: impl Into<Cow<'static, str>>) -> Query<'a> {
    Query {
        sql: sql.into(),
        params: Vec::new(),
        reads_many: false,
    }
}

impl<'a> Query<'a> {
    /// Adds the next value.
    pub(super) fn bind(mut self, value: impl Into<Param<'a>>) -> Self {
        self.params.push(value.into());
        self
    }

    /// Runs it, and returns how many rows it changed.
    pub(super) async fn execute(&self, on: impl Executor) -> Result<u64, SqlError> {
        Ok(self.run(on).await?.changes)
    }

    /// Its rows.
    pub(super) async fn fetch_all<T: FromRow>(mut self, on: impl Executor) -> Result<Vec<T>, SqlError> {
        self.reads_many = true;
        self.run(on).await?.all()
    }

    /// Its first row, if there is one.
    pub(super) async fn fetch_optional<T: FromRow>(self, on: impl Executor) -> Result<Option<T>, SqlError> {
        self.run(on).await?.optional()
    }

    /// Its first row, which there always is.
    pub(super) async fn fetch_one<T: FromRow>(self, on: impl Executor) -> Result<T, SqlError> {
        self.fetch_optional(on).await?.ok_or(SqlError::NoRow)
    }

    async fn run(&self, on: impl Executor) -> Result<SqlAnswer, SqlError> {
        on.run(self).await.inspect_err(count_error)
    }

    /// The statement with values of its own, for another thread.
    fn into_owned(self) -> Query<'static> {
        let owned = |param| match param {
            Param::Int(number) => Param::Int(number),
            Param::Text(text) => Param::from(text.map(Cow::into_owned)),
        };
        Query {
            sql: self.sql,
            params: self.params.into_iter().map(owned).collect(),
            reads_many: self.reads_many,
        }
    }
}
