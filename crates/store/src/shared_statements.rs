//! The statements of a press of the pay button, which presses at the same time share on PostgreSQL.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::attempt::for_many::begin::BeginMany;
use super::attempt::for_many::end::EndMany;
use super::charge::{COLUMNS, Charge};
use super::sql::postgres::PostgresPool;
use super::sql::postgres::shared::{ForMany, SharedStatement};
use super::sql::{SqlError, query};
use super::write::Writer;

/// A queue for each of them. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct SharedStatements {
    pub(super) charges: SharedStatement<ReadCharges>,
    pub(super) begins: SharedStatement<BeginMany>,
    pub(super) ends: SharedStatement<EndMany>,
}

impl SharedStatements {
    /// On SQLite there are none: its statements are not sent anywhere, and its transactions share commits.
    pub(super) fn on(writer: &Writer) -> Option<Self> {
        let Writer::Postgres(pool) = writer else {
            return None;
        };
        Some(Self {
            charges: SharedStatement::new(pool, ReadCharges),
            begins: SharedStatement::new(pool, BeginMany::default()),
            ends: SharedStatement::new(pool, EndMany::default()),
        })
    }
}

/// Reads charges by their ids.
pub(super) struct ReadCharges;

static READ: LazyLock<String> = LazyLock::new(|| format!("SELECT {COLUMNS} FROM charges WHERE id = ANY($1)"));

impl ForMany for ReadCharges {
    type Wish = String;
    type Answer = Option<Charge>;

    async fn run(&self, pool: &PostgresPool, ids: &[String]) -> Result<Vec<Option<Charge>>, SqlError> {
        let wanted: Vec<&str> = ids.iter().map(String::as_str).collect();
        let found: Vec<Charge> = query(READ.as_str()).bind(wanted).fetch_all(pool).await?;
        let by_id: HashMap<&str, &Charge> = found.iter().map(|charge| (charge.id.as_str(), charge)).collect();
        Ok(ids
            .iter()
            .map(|id| by_id.get(id.as_str()).copied().cloned())
            .collect())
    }
}
