//! New databases that need no migrations, because each is a copy of a database that this process has migrated.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::waiting::holds;
use harness::postgres::{Durability, Postgres};
use store::{Database, Store};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// `CARDFORM_TEST_DATABASE=postgresql` runs every test service without another database on a PostgreSQL server of this
/// process; `cargo xtask test` runs the tests a second time this way.
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

/// The address of a new database; a SQLite file is in this folder.
pub(crate) async fn new_database(dir: &Path) -> String {
    match &*POSTGRES {
        None => {
            let file = dir.join("cardform.db");
            std::fs::copy(migrated_file().await, &file).unwrap();
            format!("sqlite:{}", file.display())
        }
        Some(postgres) => {
            let migrated = migrated_on(postgres).await;
            postgres.copy_of(migrated).unwrap()
        }
    }
}

async fn migrated_file() -> &'static Path {
    static FILE: OnceCell<(TempDir, PathBuf)> = OnceCell::const_new();
    let (_, file) = FILE
        .get_or_init(|| async {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("migrated.db");
            migrate(&Database::Sqlite(file.clone())).await;
            (dir, file)
        })
        .await;
    file
}

async fn migrated_on(postgres: &Postgres) -> &'static str {
    static NAME: OnceCell<String> = OnceCell::const_new();
    NAME.get_or_init(|| async {
        let name = postgres.new_database_name().unwrap();
        migrate(&Database::Postgres(postgres.url(&name).parse().unwrap())).await;
        // The server ends a closed connection a moment later.
        holds("the connection is closed", async || {
            postgres.copy_of(&name).is_ok()
        })
        .await;
        name
    })
    .await
}

/// Closes the connections, too: SQLite then writes its log into the file, and PostgreSQL copies the database.
async fn migrate(database: &Database) {
    Store::connect(database).await.unwrap().close().await;
}
