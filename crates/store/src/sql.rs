//! Statements that both databases accept, with `$1`, `$2` … for their values, and the connections that run them.
//!
//! On SQLite a statement runs on the caller's thread: handing it to another thread and back would take longer than most
//! statements. A commit's write to the disk and a result of many rows can take long, and run on a thread for work that
//! blocks.

pub(super) mod counts;
pub(super) mod error;
pub(super) mod postgres;
pub(super) mod row;
pub(super) mod sqlite;

use std::borrow::Cow;

use serde::de::IgnoredAny;

use counts::count_error;
pub(super) use error::SqlError;
pub(super) use row::FromRow;

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

/// The result of a statement.
#[derive(Debug)]
pub(super) struct SqlAnswer<T> {
    pub(super) rows: Vec<T>,
    /// How many rows were changed by a statement that returns none.
    pub(super) changes: u64,
}

/// A transaction's connection or a pool, which runs statements.
pub(super) trait Executor: Send {
    /// Runs one statement, and reads its rows.
    fn run<T: FromRow>(
        self,
        query: &Query<'_>,
    ) -> impl Future<Output = Result<SqlAnswer<T>, SqlError>> + Send;
}

/// A statement with its values.
#[derive(Debug, Clone)]
pub(super) struct Query<'a> {
    sql: Cow<'static, str>,
    params: Vec<Param<'a>>,
    /// It can return many rows.
    reads_many: bool,
}

/// Most statements have no more parameters, so that they are allocated once.
const PARAMS_USUAL: usize = 8;

/// A statement. Only our own numbers and texts are formatted into it; values are bound.
pub(super) fn query<'a>(sql: impl Into<Cow<'static, str>>) -> Query<'a> {
    Query {
        sql: sql.into(),
        params: Vec::with_capacity(PARAMS_USUAL),
        reads_many: false,
    }
}

/// The places of this many values, from `$first`: `$1, $2, $3`.
pub(super) fn places(first: usize, values: usize) -> String {
    let places: Vec<String> = (first..first + values).map(|at| format!("${at}")).collect();
    places.join(", ")
}

impl<'a> Query<'a> {
    /// Adds the next value.
    pub(super) fn bind(mut self, value: impl Into<Param<'a>>) -> Self {
        self.params.push(value.into());
        self
    }

    /// Adds a value for each of [`places`].
    pub(super) fn bind_each(self, values: &[&'a str]) -> Self {
        values.iter().fold(self, |query, value| query.bind(*value))
    }

    /// Its text.
    #[cfg(test)]
    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    /// Runs the statement, and returns how many rows it changed.
    pub(super) async fn execute(&self, on: impl Executor) -> Result<u64, SqlError> {
        Ok(self.run::<IgnoredAny>(on).await?.changes)
    }

    /// All rows.
    pub(super) async fn fetch_all<T: FromRow>(mut self, on: impl Executor) -> Result<Vec<T>, SqlError> {
        self.reads_many = true;
        Ok(self.run(on).await?.rows)
    }

    /// The first row, if there is one.
    pub(super) async fn fetch_optional<T: FromRow>(self, on: impl Executor) -> Result<Option<T>, SqlError> {
        Ok(self.run(on).await?.rows.into_iter().next())
    }

    /// The first row of a statement that always returns one.
    pub(super) async fn fetch_one<T: FromRow>(self, on: impl Executor) -> Result<T, SqlError> {
        self.fetch_optional(on).await?.ok_or(SqlError::NoRow)
    }

    async fn run<T: FromRow>(&self, on: impl Executor) -> Result<SqlAnswer<T>, SqlError> {
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
