//! A new database for a test: a SQLite file, or one on a PostgreSQL server of this process.

use std::path::PathBuf;
use std::sync::LazyLock;

use harness::postgres::{Durability, Postgres};
use tempfile::TempDir;

use crate::{Creation, Database, Partner, Store};

/// `CARDFORM_TEST_DATABASE=postgresql` runs the tests that ask for any database on PostgreSQL; `cargo xtask test` runs them a
/// second time this way.
#[expect(
    clippy::disallowed_methods,
    reason = "which database is the tests' own setting, not the service's"
)]
static POSTGRES: LazyLock<Option<Postgres>> =
    LazyLock::new(|| match std::env::var("CARDFORM_TEST_DATABASE").as_deref() {
        Err(_) | Ok("sqlite") => None,
        Ok("postgresql") => Some(Postgres::start(Durability::None).unwrap()),
        Ok(other) => panic!("CARDFORM_TEST_DATABASE is sqlite or postgresql, not {other}"),
    });

/// An active merchant without an address of its own.
pub(crate) fn partner(id: &str) -> Partner {
    Partner {
        id: id.into(),
        name: "Shop".into(),
        allowed_origins: Vec::new(),
        site_ids: Vec::new(),
        active: true,
        created_at: 0,
    }
}

/// The creation of a charge, without a key.
pub(crate) fn creation(charge_id: &str) -> Creation {
    Creation {
        charge_id: charge_id.into(),
        body_sha256: String::new(),
        token_id: String::new(),
        signing_key_id: String::new(),
        expires_at: 0,
        created_at: 0,
    }
}

/// An empty database. It is gone when this is dropped, or when the process ends.
pub(crate) struct TestDatabase {
    database: Database,
    _dir: Option<TempDir>,
}

impl TestDatabase {
    /// One of either kind.
    pub(crate) fn new() -> Self {
        let Some(postgres) = &*POSTGRES else {
            return Self::sqlite();
        };
        Self::on(postgres)
    }

    /// One on this server.
    pub(crate) fn on(postgres: &Postgres) -> Self {
        let url = postgres.new_database().unwrap();
        Self {
            database: Database::Postgres(url.parse().unwrap()),
            _dir: None,
        }
    }

    /// A SQLite file.
    pub(crate) fn sqlite() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self {
            database: Database::Sqlite(dir.path().join("cardform.db")),
            _dir: Some(dir),
        }
    }

    /// Makes the tables.
    pub(crate) async fn connect(&self) -> Store {
        Store::connect(&self.database).await.unwrap()
    }

    /// Where it is.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// The SQLite file.
    pub(crate) fn file(&self) -> PathBuf {
        match &self.database {
            Database::Sqlite(file) => file.clone(),
            Database::Postgres(_) => panic!("this database is no file"),
        }
    }
}
