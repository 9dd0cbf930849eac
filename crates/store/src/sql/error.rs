//! What can go wrong with a statement.

use std::fmt;

use deadpool::managed::{PoolError, TimeoutType};
use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

/// `SQLITE_CONSTRAINT_PRIMARYKEY`, `SQLITE_CONSTRAINT_UNIQUE` and `SQLITE_CONSTRAINT_ROWID`.
const SQLITE_NOT_UNIQUE: [i32; 3] = [1_555, 2_067, 2_579];

/// A statement that failed, or a connection. Its text is one line and has no values of rows.
#[derive(Debug)]
pub enum SqlError {
    /// SQLite.
    Sqlite(rusqlite::Error),
    /// PostgreSQL, or the way to it.
    Postgres(tokio_postgres::Error),
    /// No connection was free in time.
    Pool(&'static str),
    /// The URL or the certificates of a PostgreSQL server.
    Settings(String),
    /// There is no such column, or it holds another type.
    Column(String),
    /// There is no row where there always is one.
    NoRow,
    /// The thread that ran the statement panicked, or the service ends.
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

    /// Whether PostgreSQL gave up this transaction for another one. SQLite's "busy" is none: it has already waited long.
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
            Self::Settings(_) | Self::Column(_) | Self::NoRow => false,
        }
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(error) => error.fmt(f),
            // Its details have values of rows.
            Self::Postgres(error) => {
                if let Some(said) = error.as_db_error() {
                    write!(f, "{} ({})", said.message(), said.code().code())?;
                    return f.write_str(hint(said.code()));
                }
                match std::error::Error::source(error) {
                    Some(cause) => fmt::Display::fmt(cause, f),
                    None => error.fmt(f),
                }
            }
            Self::Pool(problem) => f.write_str(problem),
            Self::Settings(problem) => f.write_str(problem),
            Self::Column(name) => write!(f, "the column {name} is missing or holds another type"),
            Self::NoRow => f.write_str("a row is missing"),
            Self::Thread => f.write_str("the database's thread is gone"),
        }
    }
}

/// What may help against an error of PostgreSQL.
fn hint(code: &SqlState) -> &'static str {
    let of_another_session = [
        SqlState::INVALID_SQL_STATEMENT_NAME,
        SqlState::DUPLICATE_PSTATEMENT,
    ];
    if of_another_session.contains(code) {
        "; behind PgBouncer in transaction mode the database's URL needs `pgbouncer=true`"
    } else {
        ""
    }
}

impl std::error::Error for SqlError {}

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
