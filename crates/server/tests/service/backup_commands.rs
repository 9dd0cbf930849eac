//! `cardform backup`, `restore`, `payments close` and `reconcile`, as an operator runs them.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use protocol::CaptureMethod;
use serde_json::{Value, json};
use store::Store;

use crate::process::{Process, complaint, run};
use crate::world::{World, send};

fn json_of(output: &std::process::Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_backup_is_private_and_never_overwrites() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    assert!(complaint(&run(dir, &["backup", "copy.db"])).contains("no database"));
    json_of(&run(dir, &["migrate", "--json"]));
    let made = json_of(&run(dir, &["backup", "copy.db", "--json"]));
    assert_eq!(
        (&made["backup"], &made["charges"]),
        (&"copy.db".into(), &0.into())
    );
    let permissions = std::fs::metadata(dir.join("copy.db"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(permissions & 0o777, 0o600);
    let first = std::fs::read(dir.join("copy.db")).unwrap();
    assert!(complaint(&run(dir, &["backup", "copy.db"])).contains("copy.db exists already"));
    assert_eq!(std::fs::read(dir.join("copy.db")).unwrap(), first);

    // On a schedule each copy in the folder has a name of its own.
    std::fs::create_dir(dir.join("copies")).unwrap();
    json_of(&run(dir, &["backup", "copies", "--json"]));
    let made = names(&dir.join("copies"));
    assert_eq!(made.len(), 1);
    assert!(
        made[0].starts_with("cardform-20") && made[0].ends_with("Z.db"),
        "{made:?}"
    );

    // An existing database, or its log, is never replaced.
    assert!(complaint(&run(dir, &["restore", "copy.db"])).contains("cardform.db exists already"));
    std::fs::write(dir.join("new.db-wal"), "").unwrap();
    let beside = run(dir, &["restore", "copy.db", "--database", "sqlite:new.db"]);
    assert!(complaint(&beside).contains("new.db-wal exists already"));
}

#[test]
fn a_damaged_backup_is_not_restored() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    json_of(&run(dir, &["migrate", "--json"]));
    json_of(&run(dir, &["backup", "copy.db", "--json"]));
    let mut bytes = std::fs::read(dir.join("copy.db")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4_096].fill(0xA5);
    std::fs::write(dir.join("broken.db"), &bytes).unwrap();
    let said = complaint(&run(
        dir,
        &["restore", "broken.db", "--database", "sqlite:new.db"],
    ));
    assert!(said.contains("damaged") || said.contains("malformed"), "{said}");
    assert!(
        !names(dir).iter().any(|name| name.starts_with("new.db")),
        "{:?}",
        names(dir)
    );
}

#[test]
fn a_restore_that_cannot_close_payments_leaves_no_database() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    json_of(&run(dir, &["migrate", "--json"]));
    json_of(&run(dir, &["backup", "copy.db", "--json"]));
    // A later release made the copy. This release can copy and check the file, but not open it.
    let later = rusqlite::Connection::open(dir.join("copy.db")).unwrap();
    later
        .execute_batch(
            "UPDATE oldest_program SET migration = 9998; \
             INSERT INTO _sqlx_migrations SELECT 9998, 'later', installed_on, success, checksum, execution_time \
             FROM _sqlx_migrations LIMIT 1;",
        )
        .unwrap();
    drop(later);
    let restore = ["restore", "copy.db", "--database", "sqlite:new.db"];
    complaint(&run(dir, &restore));
    assert!(
        !names(dir).iter().any(|name| name.starts_with("new.db")),
        "{:?}",
        names(dir)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_database_is_closed_until_it_is_reconciled() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::on(format!("sqlite:{}", folder.path().join("live.db").display())).await;
    let charge = world.charge().await;
    let dir = world.dir.path();
    let live = world.database().to_owned();
    json_of(&run(dir, &["backup", "copy.db", "--database", &live, "--json"]));
    assert_eq!(world.pay(&charge, "a", "4242424242424242").await.status, 201);
    let restored = ["--database", "sqlite:restored.db"];
    let provider = ["--provider-url", &world.provider.url];
    json_of(&run(
        dir,
        &[&["restore", "copy.db", "--json"], &restored[..]].concat(),
    ));
    let serve = [&["serve", "--listen", "127.0.0.1:0"], &restored[..], &provider].concat();
    let node = Process::start(dir, &serve, "info");
    let ready = send(world.http.get(format!("{}/readyz", node.url()))).await;
    assert_eq!(ready.status, 503);
    drop(node);

    // The merchant's clock and the provider's stand in July 2026; the newest attempt is none.
    let reconcile = [&["reconcile", "--json"], &restored[..], &provider].concat();
    let done = json_of(&run(dir, &reconcile));
    assert_eq!(
        (&done["opened"], &done["reconciled"]["attempts"]),
        (&true.into(), &1.into())
    );
    let node = Process::start(dir, &serve, "info");
    let ready = send(world.http.get(format!("{}/readyz", node.url()))).await;
    assert_eq!((ready.status, ready.body), (200, "ready".into()));
    drop(node);
    assert!(complaint(&run(dir, &reconcile)).contains("payments are open"));
    let close = [&["payments", "close", "--json"], &restored[..]].concat();
    assert_eq!(json_of(&run(dir, &close))["closed"], true);
    let lines = json_of(&run(dir, &[&["audit", "list", "--json"], &restored[..]].concat()));
    let actions: Vec<&str> = lines
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["action"].as_str().unwrap())
        .collect();
    assert_eq!(
        actions[..3],
        ["payments_closed", "payments_reconciled", "payments_closed"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn backups_during_payments_have_consistent_books() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("live.db");
    let world = Arc::new(World::on(format!("sqlite:{}", file.display())).await);
    let is_over = Arc::new(AtomicBool::new(false));
    let shoppers: Vec<_> = (0..3)
        .map(|_| {
            let (world, is_over) = (Arc::clone(&world), Arc::clone(&is_over));
            tokio::spawn(async move {
                let mut paid = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let charge = world.charge().await;
                    assert_eq!(world.pay(&charge, "a", "4242424242424242").await.status, 201);
                    paid += 1;
                }
                paid
            })
        })
        .collect();
    let mut charges = 0;
    for number in 0..5 {
        let copy = world.dir.path().join(format!("{number}.db"));
        let checked = store::back_up(&file, &copy).await.unwrap();
        assert!(checked.charges >= charges);
        charges = checked.charges;
    }
    is_over.store(true, Ordering::Relaxed);
    let mut paid = 0;
    for shopper in shoppers {
        paid += shopper.await.unwrap();
    }
    assert!(paid > 0);
}

/// A hold is a succeeded attempt whose charge is not paid: `authorized`, then captured, released or ended.
#[tokio::test(flavor = "multi_thread")]
async fn a_backup_has_holds_and_a_reconciliation_finds_them() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::on(format!("sqlite:{}", folder.path().join("live.db").display())).await;
    let dir = world.dir.path();
    let backup = |name: &str| {
        let live = world.database();
        json_of(&run(dir, &["backup", name, "--database", live, "--json"]))
    };
    let mut holds = Vec::new();
    for _ in 0..4 {
        holds.push(world.charge_with(json!({"capture_method": "manual"})).await);
    }
    backup("before.db");
    let lost = world.charge_with(json!({"capture_method": "manual"})).await;
    assert_eq!(world.pay(&lost, "a", "4242424242424242").await.status, 201);
    for hold in &holds {
        assert_eq!(world.pay(hold, "a", "4242424242424242").await.status, 201);
    }
    let [ends, held, captured, released] = &holds[..] else {
        panic!("four holds");
    };
    world.act(captured, "capture", json!({})).await;
    world.act(released, "cancel", json!({})).await;
    backup("held.db");

    let restored = ["--database", "sqlite:restored.db", "--json"];
    json_of(&run(dir, &[&["restore", "before.db"], &restored[..]].concat()));
    let reconcile = ["reconcile", "--provider-url", &world.provider.url];
    let done = json_of(&run(dir, &[&reconcile[..], &restored[..]].concat()));
    assert_eq!(done["reconciled"]["attempts"], 5);
    for hold in holds.iter().chain([&lost]) {
        // The service asks the provider for captures and releases when the hold ends.
        let show = ["charge", "show", &hold.id];
        let story = json_of(&run(dir, &[&show[..], &restored[..]].concat()));
        assert_eq!(story["charge"]["status"], "authorized", "{story}");
    }
    let file = store::Database::Sqlite(dir.join("restored.db"));
    let reopened = Store::connect(&file).await.unwrap();
    let charge = reopened.charge(&lost.id).await.unwrap().unwrap();
    assert_eq!(charge.capture_method, CaptureMethod::Manual);
    reopened.close().await;
    json_of(&run(
        dir,
        &[&["backup", "restored-copy.db"], &restored[..]].concat(),
    ));

    world.clock.advance_ms(7 * 24 * 3_600_000);
    world.settle().await;
    for (hold, status) in [
        (ends, "expired"),
        (held, "expired"),
        (captured, "succeeded"),
        (released, "canceled"),
    ] {
        assert_eq!(world.view(&hold.id).await["status"], status);
    }
    backup("ended.db");
}
