use super::*;
use crate::Store;

#[test]
fn a_database_is_named_without_the_secrets_of_its_url() {
    let url = "postgres://card:hunter2@db.example:5433/pay?password=hunter3";
    let shown = Database::Postgres(url.parse().unwrap()).to_string();
    assert_eq!(shown, "postgres://db.example/pay");
}

/// 2 is FULL: a charge that was answered survives the loss of power.
#[tokio::test]
async fn every_sqlite_connection_syncs_its_commits_to_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("cardform.db")).await.unwrap();
    for pool in [&store.writer, &store.readers] {
        let synchronous: i64 = sqlx::query_scalar("PRAGMA synchronous")
            .fetch_one(pool)
            .await
            .unwrap();
        assert_eq!(synchronous, 2);
    }
}

#[tokio::test]
async fn only_the_owner_can_read_the_files_old_ones_too() {
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
async fn no_pool_has_a_maintenance_task() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("cardform.db")).await.unwrap();
    for pool in [Some(&store.readers), Some(&store.writer), store.health.as_ref()] {
        let Some(pool) = pool else { continue };
        let options = pool.options();
        assert_eq!(options.get_max_lifetime(), None);
        assert_eq!(options.get_idle_timeout(), None);
        assert_eq!(options.get_min_connections(), 0);
    }
}

#[tokio::test]
async fn a_file_may_have_any_name() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a b?c#d%20é.db");
    Database::Sqlite(file.clone())
        .writer(None)
        .await
        .unwrap()
        .close()
        .await;
    assert!(file.exists());
}

/// The data stays when a newer version opens the database.
#[tokio::test]
async fn a_database_without_flag_columns_opens_and_keeps_its_data() {
    const BEFORE_FLAGS: i64 = 10;
    let dir = tempfile::tempdir().unwrap();
    let database = Database::Sqlite(dir.path().join("old.db"));
    let old = database.writer(None).await.unwrap();
    let mut migrations: Migrator = migrations::all();
    migrations
        .migrations
        .to_mut()
        .retain(|migration| migration.version <= BEFORE_FLAGS);
    database.apply(migrations, &old).await.unwrap();
    old.execute("INSERT INTO partners VALUES ('partner_1', 'Shop', '[]', 1)")
        .await
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
        old.execute(sqlx::AssertSqlSafe(row)).await.unwrap();
    }
    old.close().await;

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
    assert_eq!(store.charges_made_before(1, 9).await.unwrap().len(), 3);
}

#[tokio::test]
async fn nodes_that_open_a_new_file_together_all_find_it_ready() {
    let dir = tempfile::tempdir().unwrap();
    let database = Database::Sqlite(dir.path().join("new.db"));
    let open = || Store::connect(&database);
    let (one, two, three, four) = tokio::join!(open(), open(), open(), open());
    for store in [one, two, three, four] {
        store.unwrap().ping().await.unwrap();
    }
}
