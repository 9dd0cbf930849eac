//! What a connection may rely on: a session of its own at the server, or, behind PgBouncer in transaction mode, another
//! session in each transaction.

use deadpool_postgres::Object;
use futures_util::future::join3;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Statement};

use super::super::{Call, Param, SqlError, Wanted};
use super::values::ServerAnswer;

/// The settings of a session of our own: the waits for a locked row and for a statement are shorter than shoppers'
/// patience, and a transaction whose node is gone releases its rows. Migrations have limits of their own.
const SETTINGS: &str = "SET lock_timeout = '5s'; SET statement_timeout = '20s'; \
     SET idle_in_transaction_session_timeout = '30s'";
/// The server closes a connection whose node is gone. Not every database that speaks PostgreSQL's protocol has this
/// setting.
const NETWORK_SETTING: &str = "SET tcp_user_timeout = '10s'";
/// How statements are planned. Not every database that speaks PostgreSQL's protocol has these settings.
const PLAN_SETTINGS: [&str; 4] = [
    // Nothing is compiled to machine code: the server takes the report's short ranges for long ones, and compiling takes
    // many times as long as reading them.
    "SET jit = off",
    // No statement is shared out to more processes: starting them takes many times as long as reading the report's short
    // ranges, and payments need the processors.
    "SET max_parallel_workers_per_gather = 0",
    // No table is read from end to end where an index leads to the rows. A plan that is made while a table is small would
    // do that, and a session keeps its plans while the table grows.
    "SET enable_seqscan = off",
    // A statement is planned once for each session, as on SQLite, not for the values of each call.
    "SET plan_cache_mode = force_generic_plan",
];
/// The same limits for one transaction, because the next one has another session.
const BEGIN_WITH_SETTINGS: &str = "BEGIN; SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = '20s'; \
     SET LOCAL idle_in_transaction_session_timeout = '30s'; SET LOCAL jit = off; \
     SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL enable_seqscan = off; \
     SET LOCAL plan_cache_mode = force_generic_plan";

/// Whose the sessions at the server are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SessionSharing {
    /// Each connection has one of its own, with its settings and prepared statements.
    #[default]
    Own,
    /// PgBouncer gives each transaction any session (`pgbouncer=true` in the URL). A session then has no settings and no
    /// prepared statements.
    Shared,
}

/// A statement that is ready to be sent.
pub(super) enum ReadyStatement {
    /// The session knows it.
    Prepared(Statement),
    /// It is sent as a text.
    Text,
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

    /// Prepares the statement, if the session is going to know it later.
    pub(super) async fn prepared(self, client: &Object, call: &Call<'_>) -> Result<ReadyStatement, SqlError> {
        if self == Self::Shared {
            return Ok(ReadyStatement::Text);
        }
        let types: Vec<Type> = call.params.iter().map(type_of).collect();
        let statement = client.prepare_typed_cached(call.sql, &types).await?;
        Ok(ReadyStatement::Prepared(statement))
    }

    /// Runs the statement as a transaction of its own, in one round trip.
    pub(super) async fn run_alone(self, client: &Object, call: &Call<'_>) -> Result<ServerAnswer, SqlError> {
        let statement = self.prepared(client, call).await?;
        if self == Self::Own {
            return statement.run(client, call).await;
        }
        // They are sent in this order. If the statement fails, `COMMIT` rolls back.
        let (begun, answer, committed) = join3(
            client.batch_execute(BEGIN_WITH_SETTINGS),
            statement.run(client, call),
            client.batch_execute("COMMIT"),
        )
        .await;
        begun?;
        let answer = answer?;
        committed?;
        Ok(answer)
    }
}

impl ReadyStatement {
    /// Sends it.
    pub(super) async fn run(&self, client: &Client, call: &Call<'_>) -> Result<ServerAnswer, SqlError> {
        match self {
            Self::Prepared(statement) => {
                let params: Vec<&(dyn ToSql + Sync)> = call.params.iter().map(|param| param as _).collect();
                Ok(match call.wanted {
                    Wanted::Changes => ServerAnswer::Changes(client.execute(statement, &params).await?),
                    Wanted::Row | Wanted::Rows => ServerAnswer::Rows(client.query(statement, &params).await?),
                })
            }
            Self::Text => {
                let params: Vec<(&(dyn ToSql + Sync), Type)> = call
                    .params
                    .iter()
                    .map(|param| (param as _, type_of(param)))
                    .collect();
                Ok(match call.wanted {
                    Wanted::Changes => ServerAnswer::Changes(client.execute_typed(call.sql, &params).await?),
                    Wanted::Row | Wanted::Rows => {
                        ServerAnswer::Rows(client.query_typed(call.sql, &params).await?)
                    }
                })
            }
        }
    }
}

fn type_of(param: &Param<'_>) -> Type {
    match param {
        Param::Int(_) => Type::INT8,
        Param::Text(_) => Type::TEXT,
    }
}
