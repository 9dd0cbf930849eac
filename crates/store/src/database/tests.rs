use super::super::sql::query;
use super::*;
use crate::Store;
use harness::postgres::{Durability, Postgres};

#[test]
fn a_database_is_named_without_the_secrets_of_its_url() {
    let url = "postgres://card:hunter2@db.example:5433/pay?password=hunter3";
    let shown = Database::Postgres(url.parse().unwrap()).to_string();
    assert_eq!(shown, "postgres://db.example/pay");
}

/// 2 is FULL: a charge that was answered survives the loss of power.
#[tokio::test]
async fn every_sqlite_connection_syncs_its_commits_to_the_disk() {
    const SETTING: &str = "PRAGMA synchronous";
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("cardform.db")).await.unwrap();
    let mut tx = store.write().await.unwrap();
    let writes: i64 = query(SETTING).fetch_one(&mut tx).await.unwrap();
    drop(tx);
    let reads: i64 = query(SETTING).fetch_one(&store.readers).await.unwrap();
    assert_eq!((writes, reads), (2, 2));
}

#[tokio::test]
async fn only_the_owner_can_read_new_and_old_files() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cardform.db");
    let modes = || {
        ["cardform.db", "cardform.db-wal", "cardform.db-shm"].map(|name| {
            let data = std::fs::metadata(dir.path().join(name)).unwrap();
            data.permissions().mode() & 0o777
        })
    };
    let store = Store::open(&file).await.unwrap();
    assert_eq!(modes(), [0o600; 3]);
    for name in ["cardform.db", "cardform.db-wal", "cardform.db-shm"] {
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(dir.path().join(name), open).unwrap();
    }
    let _again = Store::open(&file).await.unwrap();
    assert_eq!(modes(), [0o600; 3]);
    store.close().await;
}

#[tokio::test]
async fn a_file_may_have_any_name() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a b?c#d%20é.db");
    Store::open(&file).await.unwrap().close().await;
    assert!(file.exists());
}

/// The data stays when a newer version opens the database.
#[tokio::test]
async fn a_database_without_flag_columns_opens_and_keeps_its_data() {
    const BEFORE_FLAGS: i64 = 10;
    let dir = tempfile::tempdir().unwrap();
    let database = Database::Sqlite(dir.path().join("old.db"));
    let Database::Sqlite(file) = &database else {
        unreachable!()
    };
    let mut old = prepare(file).unwrap();
    migrations::on_sqlite(&mut old, BEFORE_FLAGS).unwrap();
    old.batch("INSERT INTO partners VALUES ('partner_1', 'Shop', '[]', 1)")
        .unwrap();
    for (id, initiated, may_save) in [
        ("ch_1", "TRUE", "TRUE"),
        ("ch_2", "FALSE", "FALSE"),
        ("ch_3", "TRUE", "NULL"),
    ] {
        let row = format!(
            "INSERT INTO charges VALUES ('{id}', 'partner_1', 'failed', 'do_not_honor', 'gems', 'Gems', '12.50', \
             'USD', 'order', '', 'US', '', '', '', NULL, {initiated}, {may_save}, TRUE, FALSE, NULL, 1, 2)"
        );
        old.batch(&row).unwrap();
    }
    drop(old);

    let store = Store::connect(&database).await.unwrap();
    for (id, initiated, may_save) in [
        ("ch_1", true, Some(true)),
        ("ch_2", false, Some(false)),
        ("ch_3", true, None),
    ] {
        let charge = store.charge(id).await.unwrap().unwrap();
        assert_eq!(
            (
                charge.user_initiated,
                charge.enable_save_payment_method,
                charge.display_saved_payment_method_list,
                charge.eligible_save_payment_methods
            ),
            (initiated, may_save, true, false),
            "{id}"
        );
    }
    let from = store.begin_of_due_charges(1).await.unwrap();
    let due = store.due_charges(from, 1, 9).await.unwrap().unwrap();
    assert_eq!((due.until, due.open.len()), (1, 3));
}

#[tokio::test]
async fn nodes_that_open_a_new_file_together_all_find_it_ready() {
    let dir = tempfile::tempdir().unwrap();
    let database = Database::Sqlite(dir.path().join("new.db"));
    let open = || Store::connect(&database);
    let (one, two, three, four) = tokio::join!(open(), open(), open(), open());
    for store in [one, two, three, four] {
        store.unwrap().payment_closure().await.unwrap();
    }
}

#[tokio::test]
async fn a_database_that_cannot_store_every_name_is_refused() {
    let postgres = Postgres::start(Durability::None).unwrap();
    postgres
        .ask(
            "postgres",
            "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
        )
        .unwrap();
    let database = Database::Postgres(postgres.url("latin").parse().unwrap());
    let refused = Store::connect(&database).await.unwrap_err().to_string();
    assert!(
        refused.contains("LATIN1") && refused.contains("UTF8"),
        "{refused}"
    );
}

#[test]
fn sqlites_log_gets_smaller_after_a_long_reader() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cardform.db");
    let log = || {
        std::fs::metadata(dir.path().join("cardform.db-wal"))
            .unwrap()
            .len()
    };
    let writer = SqliteConnection::create(&file).unwrap();
    writer.batch("CREATE TABLE large (body BLOB)").unwrap();
    let reader = SqliteConnection::open(&file).unwrap();
    reader.batch("BEGIN").unwrap();
    let _: i64 = reader.first("SELECT COUNT(*) FROM large").unwrap();
    for _ in 0..15 {
        writer
            .batch("INSERT INTO large VALUES (zeroblob(2000000))")
            .unwrap();
    }
    assert!(log() > 30_000_000, "{}", log());
    drop(reader);
    for _ in 0..3 {
        writer.batch("INSERT INTO large VALUES (1)").unwrap();
    }
    assert!(log() <= 16 * 1024 * 1024, "{}", log());
}
