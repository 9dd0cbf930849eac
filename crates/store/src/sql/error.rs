//! What can go wrong with a statement.

use deadpool::managed::{PoolError, TimeoutType};
use rusqlite::ErrorCode;
use thiserror::Error;
use tokio_postgres::error::SqlState;

/// `SQLITE_CONSTRAINT_PRIMARYKEY`, `SQLITE_CONSTRAINT_UNIQUE` and `SQLITE_CONSTRAINT_ROWID`.
const SQLITE_NOT_UNIQUE: [i32; 3] = [1_555, 2_067, 2_579];

/// A statement or a connection that failed. The text is one line and has no values of rows.
///
/// No variant is a source of the error, because the text of a driver's own error has values of rows.
#[derive(Debug, Error)]
pub enum SqlError {
    /// SQLite.
    #[error("{0}")]
    Sqlite(rusqlite::Error),
    /// PostgreSQL, or the connection to it.
    #[error("{}", without_details(.0))]
    Postgres(tokio_postgres::Error),
    /// No connection was free in time.
    #[error("{0}")]
    Pool(&'static str),
    /// The URL or the certificates of a PostgreSQL server.
    #[error("{0}")]
    Settings(String),
    /// There is no such column, or it holds another type.
    #[error("the column {0} is missing or holds another type")]
    Column(String),
    /// A statement that always returns a row returned none.
    #[error("a row is missing")]
    NoRow,
    /// A place of the statement, such as `$1`, has no value.
    #[error("a value of the statement is missing")]
    NoValue,
    /// The thread that ran the statement panicked, or the service ends.
    #[error("the database's thread is gone")]
    Thread,
}

impl SqlError {
    /// Whether another row has the same key.
    pub(crate) fn is_unique_violation(&self) -> bool {
        match self {
            Self::Sqlite(error) => error
                .sqlite_error()
                .is_some_and(|error| SQLITE_NOT_UNIQUE.contains(&error.extended_code)),
            Self::Postgres(error) => error.code() == Some(&SqlState::UNIQUE_VIOLATION),
            _ => false,
        }
    }

    /// Whether PostgreSQL gave up this transaction for another one. SQLite's "busy" does not count, because SQLite has
    /// already waited long.
    pub(crate) fn is_serialization_failure(&self) -> bool {
        self.has_code(&[
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
        ])
    }

    /// Whether PostgreSQL's error has one of these codes.
    pub(crate) fn has_code(&self, states: &[SqlState]) -> bool {
        match self {
            Self::Postgres(error) => states.iter().any(|state| error.code() == Some(state)),
            _ => false,
        }
    }

    /// Whether PostgreSQL gave up waiting for a row or a table that another transaction holds.
    pub(crate) fn is_lock_timeout(&self) -> bool {
        self.has_code(&[SqlState::LOCK_NOT_AVAILABLE])
    }

    /// Whether there is no such table.
    pub(crate) fn is_missing_table(&self) -> bool {
        match self {
            Self::Sqlite(error) => error.to_string().contains("no such table"),
            Self::Postgres(error) => error.code() == Some(&SqlState::UNDEFINED_TABLE),
            _ => false,
        }
    }

    /// Whether another process holds SQLite's lock.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Sqlite(error)
            if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy))
    }

    /// Whether the database cannot be used now, so that a later retry can help.
    pub(crate) fn is_outage(&self) -> bool {
        match self {
            Self::Sqlite(error) => error
                .sqlite_error_code()
                .is_some_and(|code| code != ErrorCode::ConstraintViolation),
            // Class 23: a constraint.
            Self::Postgres(error) => error.code().is_none_or(|code| !code.code().starts_with("23")),
            Self::Pool(_) | Self::Thread => true,
            Self::Settings(_) | Self::Column(_) | Self::NoRow | Self::NoValue => false,
        }
    }
}

/// PostgreSQL's message and what may help against it. Its details have values of rows.
fn without_details(error: &tokio_postgres::Error) -> String {
    let Some(told) = error.as_db_error() else {
        return std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    };
    let of_another_session = [
        SqlState::INVALID_SQL_STATEMENT_NAME,
        SqlState::DUPLICATE_PSTATEMENT,
    ];
    let hint = if of_another_session.contains(told.code()) {
        "; behind PgBouncer in transaction mode the database's URL needs `pgbouncer=true`"
    } else {
        ""
    };
    format!("{} ({}){hint}", told.message(), told.code().code())
}

impl From<rusqlite::Error> for SqlError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<tokio_postgres::Error> for SqlError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

impl<E: Into<Self>> From<PoolError<E>> for SqlError {
    fn from(error: PoolError<E>) -> Self {
        match error {
            PoolError::Backend(error) => error.into(),
            PoolError::Timeout(TimeoutType::Wait) => Self::Pool("every connection to the database is in use"),
            PoolError::Timeout(_) => Self::Pool("the database did not answer in time"),
            PoolError::Closed => Self::Pool("the connections to the database are closed"),
            PoolError::NoRuntimeSpecified => Self::Pool("the connections have no clock"),
            PoolError::PostCreateHook(_) => Self::Pool("a new connection could not be set up"),
        }
    }
}
