//! An earlier moment of the database is restored. The provider's later payments are added to it, and until then no shopper
//! can pay again.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use harness::companion::output_of;
use harness::postgres::{Durability, Postgres};
use payments::charges::reconciler;
use payments::charges::recovery::{Recovery, recover};
use protocol::{ChargeStatus, CreatedCharge};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use server::service::{Service, readiness};
use store::{Actor, BackupError, Store};
use tokio::sync::watch;

use crate::challenges::{answer_challenge, challenged};
use crate::provider::LinkState;
use crate::world::{Answer, PARTNER_ID, SECRET_KEY, World, card, new_charge, press_at, send};

const GOOD: &str = "4242424242424242";
const BAD: &str = "4000000000009995";
const CHALLENGE: &str = "4000000000003220";
const HOUR_MS: i64 = 3_600_000;

#[tokio::test]
async fn a_restored_sqlite_file_gets_the_lost_payments_back() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("live.db");
    let world = World::on(format!("sqlite:{}", file.display())).await;
    let scene = before(&world).await;
    let copy = dir.path().join("copy.db");
    store::back_up(&file, &copy).await.unwrap();
    let restored = dir.path().join("restored.db");
    let unnamed = store::restore(&copy, &restored).await.unwrap();
    unnamed.name().await.unwrap();
    Box::pin(after(world, scene, format!("sqlite:{}", restored.display()))).await;
    books_agree(&restored).await;
}

#[tokio::test]
async fn a_restored_postgresql_gets_the_lost_payments_back() {
    let postgres = Postgres::start(Durability::None).unwrap();
    let name = postgres.new_database_name().unwrap();
    let world = World::on(postgres.url(&name)).await;
    let scene = before(&world).await;
    let restored = copy_of(&postgres, &name);
    Box::pin(after(world, scene, restored)).await;
}

/// The URL of a new copy of a database in use.
fn copy_of(postgres: &Postgres, name: &str) -> String {
    let copy = postgres.new_database_name().unwrap();
    let mut dump = postgres.program("pg_dump");
    let mut dump = dump.arg(name).stdout(Stdio::piped()).spawn().unwrap();
    let mut read = postgres.program("psql");
    read.args(["--quiet", "--set", "ON_ERROR_STOP=1", "-d", &copy]);
    read.stdin(dump.stdout.take().unwrap());
    output_of(&mut read).unwrap();
    assert!(dump.wait().unwrap().success(), "pg_dump failed");
    postgres.url(&copy)
}

/// The charges that exist at the moment to which the database is restored.
struct Scene {
    /// Its card was declined before.
    declined: CreatedCharge,
    /// Its answer was lost before.
    lost: CreatedCharge,
    /// The payment of its attempt was never made, and a later attempt pays the charge.
    abandoned: CreatedCharge,
    paid: CreatedCharge,
    untouched: CreatedCharge,
}

async fn before(world: &World) -> Scene {
    let paid = world.charge().await;
    assert_eq!(world.pay(&paid, "a", GOOD).await.status_code(), "succeeded");
    let declined = world.charge().await;
    assert_eq!(world.pay(&declined, "a", BAD).await.status, 402);
    let lost = world.charge().await;
    world.provider.set(LinkState::GarblesAnswers);
    assert_eq!(world.pay(&lost, "a", GOOD).await.status_code(), "outcome_unknown");
    let abandoned = world.charge().await;
    world.provider.set(LinkState::Works);
    crate::dead_process::leave_attempt(world, &abandoned).await;
    Scene {
        declined,
        lost,
        abandoned,
        paid,
        untouched: world.charge().await,
    }
}

/// The shopper continues to pay, the old database is restored, and all payments are recovered.
async fn after(world: World, scene: Scene, restored: String) {
    world.clock.advance_ms(60_000);
    let reconcile = payments::charges::reconciler::reconcile;
    for _ in 0..3 {
        reconcile(&world.service.app.charges).await.unwrap();
        world.clock.advance_ms(20_000);
    }
    assert_eq!(
        world.pay(&scene.declined, "b", GOOD).await.status_code(),
        "succeeded"
    );
    assert_eq!(
        world.pay(&scene.abandoned, "b", GOOD).await.status_code(),
        "succeeded"
    );
    let created = world.charge().await;
    assert_eq!(world.pay(&created, "a", BAD).await.status, 402);
    assert_eq!(world.pay(&created, "b", GOOD).await.status_code(), "succeeded");
    let (waiting, challenge) = challenged(&world, CHALLENGE).await;
    let all = [
        &scene.declined,
        &scene.lost,
        &scene.abandoned,
        &scene.paid,
        &scene.untouched,
        &created,
    ];
    let mut lost = Vec::new();
    for charge in all {
        lost.push(world.view(&charge.id).await);
    }
    let taken = world.provider.approvals();

    let store = Store::connect(&database(&restored)).await.unwrap();
    let now = world.clock.now_ms();
    let (newest, _) = store.attempt_times().await.unwrap();
    let since = newest.unwrap() - HOUR_MS;
    store.close_payments(since, &Actor::service(now)).await.unwrap();
    let node = world
        .another_node_with(|settings| settings.database = Some(restored))
        .await;
    let shopper = RestoredNode {
        node: &node,
        http: &world.http,
    };
    closed(&world, &shopper, &scene.declined, &created).await;
    assert_eq!(world.provider.approvals(), taken);

    let provider = &node.app.charges.provider;
    let recovery = recover(&store, provider, &world.clock, since).await.unwrap();
    assert_eq!(
        Recovery {
            since: String::new(),
            ..recovery
        },
        Recovery {
            payments: 8,
            // Paid and declined before.
            known: 2,
            outcomes: 1,
            attempts: 5,
            charges: 2,
            open: 1,
            ..Recovery::default()
        }
    );
    // It can be repeated. The service finds the outcomes that are still open.
    let again = recover(&store, provider, &world.clock, since).await.unwrap();
    assert_eq!((again.attempts, again.known, again.open), (0, 7, 1));
    assert!(
        store
            .open_payments(&json!({}), &Actor::service(now))
            .await
            .unwrap()
    );
    readiness::check(&node.app).await;
    assert_eq!(shopper.get("/readyz").await.status, 200);

    for (charge, before) in all.into_iter().zip(lost) {
        stands_as_before(&shopper, charge, &before).await;
    }
    assert_eq!(world.provider.approvals(), taken);
    // The challenge continues.
    assert_eq!(shopper.pay(&waiting, GOOD).await.status_code(), "outcome_unknown");
    reconcile(&node.app.charges).await.unwrap();
    assert_eq!(
        shopper.view(&waiting).await["status"],
        "waiting_for_shopper_action"
    );
    answer_challenge(&challenge, "approve").await;
    world.clock.advance_ms(60_000);
    for _ in 0..2 {
        reconcile(&node.app.charges).await.unwrap();
    }
    assert_eq!(shopper.view(&waiting).await["status"], "succeeded");
    assert_eq!(world.provider.approvals(), taken + 1);
    node.stop().await;
    store.close().await;
}

/// The charge has its status again, and is not paid twice.
async fn stands_as_before(shopper: &RestoredNode<'_>, charge: &CreatedCharge, before: &Value) {
    let restored = shopper.view(charge).await;
    for field in [
        "id",
        "status",
        "amount_value",
        "amount_currency",
        "item_code",
        "item_name",
        "partner_reference",
    ] {
        assert_eq!(restored[field], before[field], "{field} of {restored}");
    }
    if restored["status"] == "succeeded" {
        assert_eq!(shopper.pay(charge, GOOD).await.status_code(), "succeeded");
    }
}

/// While payments are closed, no charge is paid, created, canceled or given up.
async fn closed(world: &World, shopper: &RestoredNode<'_>, known: &CreatedCharge, unknown: &CreatedCharge) {
    let ready = shopper.get("/readyz").await;
    assert_eq!(ready.status, 503);
    assert!(ready.body.to_string().contains("reconcile"), "{ready:?}");
    for charge in [known, unknown] {
        let refused = shopper.pay(charge, GOOD).await;
        assert_eq!((refused.status, refused.code()), (503, "unavailable"));
    }
    let created = shopper.post("/v1/charges", &new_charge()).await;
    assert_eq!((created.status, created.code()), (503, "unavailable"));
    let canceled = shopper
        .post(&format!("/v1/charges/{}/cancel", known.id), &json!({}))
        .await;
    assert_eq!((canceled.status, canceled.code()), (503, "unavailable"));
    let erase = shopper.request(Method::DELETE, "/v1/shoppers/shopper-7");
    let erased = send(erase.bearer_auth(SECRET_KEY)).await;
    assert_eq!((erased.status, erased.code()), (503, "unavailable"));
    let missing = shopper.get(&format!("/v1/charges/{}", unknown.id)).await;
    assert_eq!((missing.status, missing.code()), (503, "unavailable"));
    let refunds = shopper.get(&format!("/v1/charges/{}/refunds", unknown.id)).await;
    assert_eq!(
        (refunds.status, refunds.code()),
        (503, "unavailable"),
        "it may be paid"
    );
    // Long after its time a charge does not expire: it may be paid.
    world.clock.advance_ms(400 * 24 * HOUR_MS);
    assert_eq!(shopper.view(known).await["status"], "failed");
    assert_eq!(shopper.node.app.charges.expiry.sweep().await.unwrap(), 0);
    world.clock.advance_ms(-400 * 24 * HOUR_MS);
}

async fn books_agree(file: &Path) {
    assert_eq!(store::check_copy(file).await.unwrap().charges, 7);
}

fn database(name: &str) -> store::Database {
    match name.strip_prefix("sqlite:") {
        Some(file) => store::Database::Sqlite(file.into()),
        None => store::Database::Postgres(name.parse().unwrap()),
    }
}

/// A node on the restored database.
struct RestoredNode<'a> {
    node: &'a Service,
    http: &'a Client,
}

impl RestoredNode<'_> {
    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let url = format!("http://{}{path}", self.node.address);
        self.http.request(method, url).bearer_auth(SECRET_KEY)
    }

    async fn get(&self, path: &str) -> Answer {
        send(self.request(Method::GET, path)).await
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        send(self.request(Method::POST, path).json(body)).await
    }

    async fn view(&self, charge: &CreatedCharge) -> Value {
        self.get(&format!("/v1/charges/{}", charge.id)).await.body
    }

    async fn pay(&self, charge: &CreatedCharge, number: &str) -> Answer {
        let body = card(charge, number);
        send(press_at(self.http, self.node.address, charge, "again", &body)).await
    }
}

/// Payments are closed because otherwise a shopper would pay a second time.
#[tokio::test]
async fn an_unreconciled_restore_would_take_money_twice() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("live.db");
    let world = World::on(format!("sqlite:{}", file.display())).await;
    let charge = world.charge().await;
    let copy = dir.path().join("copy.db");
    store::back_up(&file, &copy).await.unwrap();
    assert_eq!(world.pay(&charge, "a", GOOD).await.status_code(), "succeeded");
    let node = world
        .another_node_with(|settings| settings.database = Some(format!("sqlite:{}", copy.display())))
        .await;
    let shopper = RestoredNode {
        node: &node,
        http: &world.http,
    };
    assert_eq!(shopper.pay(&charge, GOOD).await.status_code(), "succeeded");
    assert_eq!(world.provider.approvals(), 2);
    // It is found afterwards.
    let provider = &node.app.charges.provider;
    let since = world.clock.now_ms();
    let recovery = recover(&node.app.store, provider, &world.clock, since)
        .await
        .unwrap();
    assert_eq!(recovery.refund.len(), 1);
    assert_eq!(recovery.refund[0].charge_id, charge.id);
    node.stop().await;
}

/// A change that is only in the log beside the copy would be lost, for example that payments are closed.
#[tokio::test]
async fn a_restored_copy_gets_no_name_while_it_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let [live, copy, restored] = ["live.db", "copy.db", "restored.db"].map(|name| dir.path().join(name));
    Store::open(&live).await.unwrap().close().await;
    store::back_up(&live, &copy).await.unwrap();
    let unnamed = store::restore(&copy, &restored).await.unwrap();
    let open = Store::connect(&unnamed.database()).await.unwrap();
    open.close_payments(0, &Actor::service(0)).await.unwrap();
    let refused = unnamed.name().await;
    assert!(matches!(refused, Err(BackupError::Unfinished(_))), "{refused:?}");
    assert!(!restored.exists());
}

#[tokio::test]
async fn a_charge_of_an_unknown_merchant_is_left_to_the_operator() {
    let world = World::new().await;
    let charge = world.charge().await;
    assert_eq!(world.pay(&charge, "a", GOOD).await.status_code(), "succeeded");
    let dir = tempfile::tempdir().unwrap();
    let empty = Store::open(&dir.path().join("empty.db")).await.unwrap();
    let provider = &world.service.app.charges.provider;
    let recovery = recover(&empty, provider, &world.clock, 0).await.unwrap();
    assert_eq!((recovery.attempts, recovery.no_merchant.len()), (0, 1));
    assert!(empty.partner(PARTNER_ID).await.unwrap().is_none());
}

#[tokio::test]
async fn an_unreachable_provider_recovers_no_payment() {
    let world = World::new().await;
    world.provider.set(LinkState::Down);
    let app = &world.service.app;
    let recovered = recover(&app.store, &app.charges.provider, &world.clock, 0).await;
    assert_eq!(
        recovered.unwrap_err().to_string(),
        "the provider did not send its list of payments"
    );
}

/// A payment whose reference is not in a restored database would count as never made.
#[tokio::test]
async fn nothing_is_reconciled_while_payments_are_closed() {
    let world = World::new().await;
    let charge = world.charge().await;
    crate::dead_process::leave_attempt(&world, &charge).await;
    world.clock.advance_ms(HOUR_MS);
    let store = &world.service.app.store;
    let by = Actor::service(world.clock.now_ms());
    store.close_payments(by.at, &by).await.unwrap();
    let node = world.restarted_node().await;
    // It may do one round before it notices that it shall stop.
    let (_stop, stopped) = watch::channel(true);
    reconciler::run(Arc::clone(&node.app.charges), stopped).await;
    let status = store.charge(&charge.id).await.unwrap().unwrap().status;
    assert_eq!(status, ChargeStatus::Processing);
    assert_eq!(world.provider.lookups(), 0);
    // There was something to do.
    let round = reconciler::reconcile(&node.app.charges).await.unwrap();
    assert_eq!(round.resolved, 1);
    node.stop().await;
}
