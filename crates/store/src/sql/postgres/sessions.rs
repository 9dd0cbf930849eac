//! The sessions at the server: each connection has its own one, or, behind PgBouncer in transaction mode, another one in
//! each transaction.

use std::pin::pin;

use deadpool_postgres::Object;
use futures_util::TryStreamExt as _;
use futures_util::future::join3;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row, Statement};

use super::super::row::{FromRow, SqlRow};
use super::super::{Param, Query, SqlAnswer, SqlError};

/// The settings of a session of our own: the waits for a locked row and for a statement are shorter than shoppers'
/// patience, and a transaction whose node is gone releases its rows. Migrations have limits of their own.
const SETTINGS: &str = "SET lock_timeout = '5s'; SET statement_timeout = '20s'; \
     SET idle_in_transaction_session_timeout = '30s'";
/// The server closes a connection whose node is gone. Not every database that speaks PostgreSQL's protocol has this
/// setting.
const NETWORK_SETTING: &str = "SET tcp_user_timeout = '10s'";
/// How statements are planned. Not every database that speaks PostgreSQL's protocol has these settings.
const PLAN_SETTINGS: [&str; 4] = [
    // Nothing is compiled to machine code, because the server overestimates the report's short ranges, and compiling takes
    // many times as long as reading them.
    "SET jit = off",
    // One process runs a statement, because starting others takes many times as long as reading the report's short ranges,
    // and payments need the processors.
    "SET max_parallel_workers_per_gather = 0",
    // No table is read from end to end where an index leads to the rows. A plan that is made while a table is small would
    // do that, and a session keeps its plans while the table grows.
    "SET enable_seqscan = off",
    // A statement is planned once for each session, as on SQLite, not for the values of each call.
    "SET plan_cache_mode = force_generic_plan",
];
/// These settings for one transaction, because the next one has another session.
const BEGIN_WITH_SETTINGS: &str = "BEGIN; SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = '20s'; \
     SET LOCAL idle_in_transaction_session_timeout = '30s'; SET LOCAL jit = off; \
     SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL enable_seqscan = off; \
     SET LOCAL plan_cache_mode = force_generic_plan";

/// Who uses a session at the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SessionSharing {
    /// One connection, for which the session keeps settings and prepared statements.
    #[default]
    Own,
    /// Many connections: PgBouncer gives each transaction any session (`pgbouncer=true` in the URL). The session then keeps no
    /// settings and no prepared statements.
    Shared,
}

/// The answer to a statement, whose rows are still to be read.
pub(crate) struct PostgresAnswer {
    rows: Vec<Row>,
    pub(crate) changes: u64,
}

impl SessionSharing {
    /// Prepares a new connection.
    pub(super) async fn set_up(self, client: &Client) -> Result<(), Error> {
        if self == Self::Own {
            client.batch_execute(SETTINGS).await?;
            let _ = client.batch_execute(NETWORK_SETTING).await;
            for setting in PLAN_SETTINGS {
                let _ = client.batch_execute(setting).await;
            }
        }
        Ok(())
    }

    /// Begins a transaction.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::Own => "BEGIN",
            Self::Shared => BEGIN_WITH_SETTINGS,
        }
    }

    /// Prepares the statement, if the session still knows it later. Otherwise the statement is sent as a text.
    pub(super) async fn prepared(
        self,
        client: &Object,
        query: &Query<'_>,
    ) -> Result<Option<Statement>, SqlError> {
        if self == Self::Shared {
            return Ok(None);
        }
        let types: Vec<Type> = query.params.iter().map(type_of).collect();
        Ok(Some(client.prepare_typed_cached(&query.sql, &types).await?))
    }

    /// Runs the statement as a transaction of its own, in one round trip.
    pub(super) async fn run_alone(
        self,
        client: &Object,
        query: &Query<'_>,
    ) -> Result<PostgresAnswer, SqlError> {
        let statement = self.prepared(client, query).await?;
        if self == Self::Own {
            return run(client, statement.as_ref(), query).await;
        }
        // They are sent in this order. If the statement fails, `COMMIT` rolls back.
        let (begun, answer, committed) = join3(
            client.batch_execute(BEGIN_WITH_SETTINGS),
            run(client, statement.as_ref(), query),
            client.batch_execute("COMMIT"),
        )
        .await;
        begun?;
        let answer = answer?;
        committed?;
        Ok(answer)
    }
}

/// Sends a statement, prepared or as a text, and waits for the answer.
pub(super) async fn run(
    client: &Client,
    prepared: Option<&Statement>,
    query: &Query<'_>,
) -> Result<PostgresAnswer, SqlError> {
    let params = query.params.iter().map(value_of);
    let stream = if let Some(statement) = prepared {
        client.query_raw(statement, params).await?
    } else {
        let types = query.params.iter().map(type_of);
        client.query_typed_raw(&query.sql, params.zip(types)).await?
    };
    let mut stream = pin!(stream);
    Ok(PostgresAnswer {
        rows: stream.as_mut().try_collect().await?,
        changes: stream.rows_affected().unwrap_or_default(),
    })
}

impl PostgresAnswer {
    /// Reads the rows.
    pub(crate) fn read<T: FromRow>(self) -> Result<SqlAnswer<T>, SqlError> {
        let rows = self.rows.iter().map(|row| SqlRow::Postgres(row).read());
        Ok(SqlAnswer {
            rows: rows.collect::<Result<_, SqlError>>()?,
            changes: self.changes,
        })
    }
}

fn type_of(param: &Param<'_>) -> Type {
    match param {
        Param::Int(_) => Type::INT8,
        Param::Text(_) => Type::TEXT,
    }
}

fn value_of<'a>(param: &'a Param<'_>) -> &'a (dyn ToSql + Sync) {
    match param {
        Param::Int(number) => number,
        Param::Text(text) => text,
    }
}
