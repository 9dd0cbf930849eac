//! What a connection may rely on: a session of its own at the server, or, behind PgBouncer in transaction mode, another
//! session in each transaction.

use std::pin::pin;
use std::sync::Arc;

use bytes::BytesMut;
use deadpool_postgres::Object;
use futures_util::TryStreamExt as _;
use futures_util::future::join3;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Error, Statement};

use super::super::row::Value;
use super::super::{Param, Query, SqlAnswer, SqlError, SqlRow};

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
    pub(super) async fn prepared(
        self,
        client: &Object,
        query: &Query<'_>,
    ) -> Result<ReadyStatement, SqlError> {
        if self == Self::Shared {
            return Ok(ReadyStatement::Text);
        }
        let types: Vec<Type> = query.params.iter().map(type_of).collect();
        let statement = client.prepare_typed_cached(&query.sql, &types).await?;
        Ok(ReadyStatement::Prepared(statement))
    }

    /// Runs the statement as a transaction of its own, in one round trip.
    pub(super) async fn run_alone(self, client: &Object, query: &Query<'_>) -> Result<SqlAnswer, SqlError> {
        let statement = self.prepared(client, query).await?;
        if self == Self::Own {
            return statement.run(client, query).await;
        }
        // They are sent in this order. If the statement fails, `COMMIT` rolls back.
        let (begun, answer, committed) = join3(
            client.batch_execute(BEGIN_WITH_SETTINGS),
            statement.run(client, query),
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
    /// Sends it, and reads the answer.
    pub(super) async fn run(&self, client: &Client, query: &Query<'_>) -> Result<SqlAnswer, SqlError> {
        let rows = match self {
            Self::Prepared(statement) => client.query_raw(statement, &query.params).await?,
            Self::Text => {
                let params = query.params.iter().map(|param| (param, type_of(param)));
                client.query_typed_raw(&query.sql, params).await?
            }
        };
        let mut rows = pin!(rows);
        let mut answer = SqlAnswer::default();
        let mut names: Option<Arc<[String]>> = None;
        while let Some(row) = rows.try_next().await? {
            let names = names.get_or_insert_with(|| {
                row.columns()
                    .iter()
                    .map(|column| column.name().to_owned())
                    .collect()
            });
            let values: Result<Vec<Value>, SqlError> =
                (0..names.len()).map(|at| Ok(row.try_get(at)?)).collect();
            answer.rows.push(SqlRow::new(Arc::clone(names), values?));
        }
        answer.changes = rows.rows_affected().unwrap_or_default();
        Ok(answer)
    }
}

fn type_of(param: &Param<'_>) -> Type {
    match param {
        Param::Int(_) => Type::INT8,
        Param::Text(_) => Type::TEXT,
    }
}

impl ToSql for Param<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Int(number) => number.to_sql(ty, out),
            Self::Text(text) => text.as_deref().to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT8, Type::TEXT].contains(ty)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        match *ty {
            Type::INT8 => i64::from_sql(ty, raw).map(Self::Int),
            Type::INT4 => i32::from_sql(ty, raw).map(|number| Self::Int(number.into())),
            _ => String::from_sql(ty, raw).map(Self::Text),
        }
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT8, Type::INT4].contains(ty) || <String as FromSql>::accepts(ty)
    }
}
