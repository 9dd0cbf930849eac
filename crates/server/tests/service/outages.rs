//! Outages: a database that cannot be written, a log that is not read, a node that stops.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use harness::faulty_proxy::{FaultyProxy, NetworkState};
use merchants::keys::signing::payload_signature::signed_payload;
use protocol::{ChargeIntent, ChargeStatus};
use reqwest::{Client, Method};
use serde_json::json;
use server::service::readiness::check;
use tokio::net::TcpListener;

use crate::other_program::OtherProgram;
use crate::process::{Process, cardform};
use crate::provider::LinkState;
use crate::waiting::{ended, holds, in_time};
use crate::world::{World, card, new_charge, press_at, send};

/// How long a test waits for an effect before it fails.
const WAIT_MAX: Duration = Duration::from_secs(20);

async fn ready(world: &World) -> (u16, String) {
    let answer = world.request(Method::GET, "/readyz").send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

/// A slow disk may need more than the second of one check; a later check succeeds.
async fn becomes_ready(world: &World) {
    let began = Instant::now();
    loop {
        check(&world.service.app).await;
        let (status, reason) = ready(world).await;
        if status == 200 {
            return;
        }
        assert!(began.elapsed() < WAIT_MAX, "still not ready: {reason}");
    }
}

async fn on_sqlite() -> (World, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap().keep();
    let file = dir.join("books.db");
    let world = World::on(format!("sqlite:{}", file.display())).await;
    (world, file)
}

/// A connection of another program that holds the write lock until it is closed.
async fn locked(file: &Path) -> OtherProgram {
    let other = OtherProgram::connect(&format!("sqlite:{}", file.display())).await;
    other.run("BEGIN IMMEDIATE").await.unwrap();
    other
}

#[tokio::test]
async fn a_locked_database_makes_the_node_not_ready_in_a_second() {
    let (world, file) = on_sqlite().await;
    becomes_ready(&world).await;
    let other = locked(&file).await;
    let began = Instant::now();
    check(&world.service.app).await;
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(ready(&world).await.0, 503);
    drop(other);
    becomes_ready(&world).await;
}

#[tokio::test]
async fn a_removed_or_replaced_file_makes_the_node_not_ready() {
    let (world, file) = on_sqlite().await;
    let moved = file.with_extension("moved");
    std::fs::rename(&file, &moved).unwrap();
    check(&world.service.app).await;
    let gone = (503, "the database's file was removed or replaced".to_owned());
    assert_eq!(ready(&world).await, gone);
    // A different file with the same content counts as another database.
    std::fs::copy(&moved, &file).unwrap();
    check(&world.service.app).await;
    assert_eq!(ready(&world).await, gone);
    std::fs::rename(&moved, &file).unwrap();
    becomes_ready(&world).await;
}

#[tokio::test]
async fn a_database_error_is_a_503_with_retry_after() {
    let world = World::new().await;
    let charge = world.charge().await;
    let key = world.service.app.signing_keys.active().await.unwrap();
    world.service.app.store.close().await;
    let request = world.request(Method::POST, "/v1/charges").json(&new_charge());
    let answer = request
        .bearer_auth(crate::world::SECRET_KEY)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    let body: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(body["error"]["code"], "unavailable");
    // A key that another node may have made a moment ago, and a merchant whose settings were not read yet.
    let (_, claims) = charge.client_secret.split_once('.').unwrap();
    let header = URL_SAFE_NO_PAD.encode(json!({ "alg": "EdDSA", "kid": "sig_new" }).to_string());
    let look = world.request(Method::GET, &format!("/v1/pub/charges/{}", charge.id));
    let look = look.bearer_auth(format!("{header}.{claims}"));
    let mut intent = ChargeIntent::from_payload(&charge.payload).unwrap();
    intent.partner_id = "partner_new".into();
    let payload = signed_payload(&intent, &key);
    let embedding = world.request(Method::GET, &format!("/v1/pub/embedding?payload={payload}"));
    for request in [look, embedding] {
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 503, "{}", answer.url());
        assert!(answer.headers().contains_key("retry-after"));
    }
    check(&world.service.app).await;
    assert_eq!(ready(&world).await.0, 503);
    // Metrics do not ask the database.
    let metrics = send(world.request(Method::GET, "/metrics")).await;
    assert_eq!(metrics.status, 200);
}

#[tokio::test]
async fn an_unread_log_does_not_stop_the_service() {
    let dir = tempfile::tempdir().unwrap();
    let mut demo =
        Process::start_with_unread_log(dir.path(), &["demo", "--listen", "127.0.0.1:0", "--data", "data"]);
    let http = Client::builder().no_proxy().timeout(WAIT_MAX).build().unwrap();
    for _ in 0..2_000 {
        let page = http
            .get(format!("{}/openapi.json", demo.url()))
            .send()
            .await
            .unwrap();
        assert_eq!(page.status(), 200);
    }
    let health = http.get(format!("{}/healthz", demo.url())).send().await.unwrap();
    assert_eq!(health.status(), 200);
    let mut log = demo.log();
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        log.read_to_string(&mut text).unwrap();
        text
    });
    let asked = Instant::now();
    let (ended_well, _) = demo.terminate();
    assert!(ended_well && asked.elapsed() < WAIT_MAX);
    let log = reading.join().unwrap();
    assert!(
        log.contains("answered") && !log.contains("/healthz"),
        "health is for debug"
    );
}

#[tokio::test]
async fn a_node_with_an_unread_log_can_be_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let mut demo =
        Process::start_with_unread_log(dir.path(), &["demo", "--listen", "127.0.0.1:0", "--data", "data"]);
    let http = Client::builder().no_proxy().timeout(WAIT_MAX).build().unwrap();
    for _ in 0..1_000 {
        http.get(format!("{}/openapi.json", demo.url()))
            .send()
            .await
            .unwrap();
    }
    // The pipe stays open and full.
    let log = demo.log();
    let asked = Instant::now();
    assert!(demo.terminate().0);
    assert!(asked.elapsed() < WAIT_MAX);
    drop(log);
}

/// The node waits for a features document that never arrives, and gets SIGTERM meanwhile.
#[tokio::test]
async fn a_node_that_is_asked_to_end_while_it_starts_ends_well() {
    let dir = tempfile::tempdir().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let features = format!("http://{}/features", silent.local_addr().unwrap());
    let mut starting = cardform(dir.path())
        .args(["demo", "--listen", "127.0.0.1:0", "--data", "data"])
        .args(["--features-url", &features])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _connection = in_time("it asks for its features", silent.accept())
        .await
        .unwrap();
    let kill = Command::new("kill").arg(starting.id().to_string()).status();
    assert!(kill.unwrap().success());
    assert!(
        ended("the starting node", &mut starting).success(),
        "it was killed"
    );
}

#[tokio::test]
async fn a_stopping_node_is_not_ready_but_still_serves() {
    let dir = tempfile::tempdir().unwrap();
    let demo = Process::start(
        dir.path(),
        &[
            "demo",
            "--listen",
            "127.0.0.1:0",
            "--data",
            "data",
            "--drain-ms",
            "2000",
        ],
        "info",
    );
    let http = Client::builder().no_proxy().timeout(WAIT_MAX).build().unwrap();
    let ask = async |path: &str| {
        let answer = http.get(format!("{}{path}", demo.url())).send().await.unwrap();
        answer.status().as_u16()
    };
    assert_eq!(ask("/readyz").await, 200);
    let id = demo.id().to_string();
    assert!(
        Command::new("kill")
            .arg(&id)
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    let deadline = Instant::now() + Duration::from_secs(1);
    while ask("/readyz").await == 200 {
        assert!(Instant::now() < deadline, "still ready");
    }
    assert_eq!((ask("/readyz").await, ask("/openapi.json").await), (503, 200));
    assert!(demo.terminate().0);
}

#[tokio::test]
async fn a_hangup_signal_reloads_certificate_and_features() {
    let dir = tempfile::tempdir().unwrap();
    let [certificate, key, features] =
        ["certificate.pem", "key.pem", "features.json"].map(|name| dir.path().join(name));
    let renew = || {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(&certificate, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        reqwest::Certificate::from_pem(made.cert.pem().as_bytes()).unwrap()
    };
    let told = |value: bool| {
        let document = json!({"features": {"pop-646-card-form-ui-redesign": {"defaultValue": value}}});
        std::fs::write(&features, document.to_string()).unwrap();
    };
    let first = renew();
    told(false);
    let service = Process::start(
        dir.path(),
        &[
            "serve",
            "--create",
            "--listen",
            "127.0.0.1:0",
            "--provider-url",
            "http://127.0.0.1:1",
            "--tls-certificate",
            "certificate.pem",
            "--tls-key",
            "key.pem",
            "--features-file",
            "features.json",
        ],
        "info",
    );
    let port = service.url().rsplit(':').next().unwrap().to_owned();
    // A new connection each time, because only new connections get the new certificate.
    let ask = async |root: &reqwest::Certificate| {
        let client = Client::builder()
            .no_proxy()
            .tls_certs_only([root.clone()])
            .build()
            .unwrap();
        let answer = client
            .get(format!("https://localhost:{port}/v1/pub/features"))
            .send()
            .await
            .ok()?;
        answer.text().await.ok()
    };
    let before = ask(&first).await.unwrap();
    let second = renew();
    told(true);
    let id = service.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-HUP", &id])
            .status()
            .unwrap()
            .success()
    );
    holds("the certificate is read again", async || {
        ask(&second).await.is_some_and(|now| now != before)
    })
    .await;
    assert!(ask(&first).await.is_none(), "the old certificate is gone");
    assert!(service.terminate().0);
}

/// Locks the charge until the returned value is dropped.
async fn lock_charge(database: &str, id: &str) -> OtherProgram {
    let holder = OtherProgram::connect(database).await;
    let lock = format!("BEGIN; SELECT 1 FROM charges WHERE id = '{id}' FOR UPDATE");
    holder.run(&lock).await.unwrap();
    holder
}

/// A request that waits for a locked charge releases its connection, so that others can pay meanwhile.
#[tokio::test]
async fn a_locked_charge_on_postgresql_does_not_block_others() {
    let postgres = harness::postgres::Postgres::start(harness::postgres::Durability::None).unwrap();
    let database = postgres.new_database().unwrap();
    let world = World::with(|settings| {
        settings.database = Some(database.clone());
        settings.database_connections = Some(4);
    })
    .await;
    let (locked, other) = (world.charge().await, world.charge().await);
    let _holder = lock_charge(&database, &locked.id).await;
    let presses: Vec<_> = (0..4)
        .map(|number| {
            let body = crate::world::card(&locked, "4242424242424242");
            tokio::spawn(send(world.press(&locked, &format!("press-{number}"), &body)))
        })
        .collect();
    let began = Instant::now();
    let paid = world.pay(&other, "press", "4242424242424242").await;
    assert_eq!(paid.status, 201, "{paid:?}");
    assert!(began.elapsed() < WAIT_MAX);
    for press in presses {
        let answer = press.await.unwrap();
        assert_eq!((answer.status, answer.code()), (503, "unavailable"), "{answer:?}");
    }
    becomes_ready(&world).await;
}

/// A load balancer would take the node away although its database is well.
#[tokio::test]
async fn a_node_is_ready_while_all_connections_to_postgresql_are_taken() {
    let postgres = harness::postgres::Postgres::start(harness::postgres::Durability::None).unwrap();
    let database = postgres.new_database().unwrap();
    let world = World::with(|settings| {
        settings.database = Some(database.clone());
        settings.database_connections = Some(1);
    })
    .await;
    let locked = world.charge().await;
    let _holder = lock_charge(&database, &locked.id).await;
    let body = crate::world::card(&locked, "4242424242424242");
    let press = tokio::spawn(send(world.press(&locked, "press", &body)));
    // An error while no request waits.
    let someone_waits = "SELECT 1 / COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    let watcher = OtherProgram::connect(&database).await;
    holds("the press waits for the charge", async || {
        watcher.run(someone_waits).await.is_ok()
    })
    .await;
    becomes_ready(&world).await;
    assert!(!press.is_finished(), "the check waited for the press");
    let answer = press.await.unwrap();
    assert_eq!((answer.status, answer.code()), (503, "unavailable"), "{answer:?}");
}

/// A server that hangs, or a network that loses everything, closes no connection: only the service can end the wait.
#[tokio::test]
async fn a_silent_postgresql_is_answered_with_a_503() {
    let postgres = harness::postgres::Postgres::start_at_port().unwrap();
    let name = postgres.new_database_name().unwrap();
    let network = FaultyProxy::start(postgres.address().unwrap()).await.unwrap();
    let database = format!("postgres://postgres@{}/{name}?sslmode=disable", network.address);
    let world = World::with(|settings| settings.database = Some(database)).await;
    let charge = world.charge().await;

    network.set(NetworkState::Silent);
    let press = world.pay(&charge, "press-1", "4242424242424242");
    let answer = in_time("the press is answered", press).await;
    assert_eq!((answer.status, answer.code()), (503, "unavailable"), "{answer:?}");
    assert!(
        network.set(NetworkState::Carries) > 0,
        "nothing was sent to the database"
    );

    let answer = in_time(
        "the next press is answered",
        world.pay(&charge, "press-1", "4242424242424242"),
    )
    .await;
    assert_eq!(answer.status_code(), "succeeded", "{answer:?}");
    assert_eq!(world.provider.approvals(), 1);
}

/// Another process counts the attempt as lost then, and the shopper may pay again.
#[tokio::test]
async fn an_attempt_that_begins_after_its_deadline_is_not_sent_to_the_provider() {
    let (world, file) = on_sqlite().await;
    let charge = world.charge().await;
    let other = locked(&file).await;
    let body = card(&charge, "4242424242424242");
    let pressed = tokio::spawn(send(world.press(&charge, "a", &body)));
    let charges = &world.service.app.charges;
    holds("the press is under way", async || {
        charges.presses.under_way() == 1
    })
    .await;
    for _ in 0..8 {
        // tidy-allow sleep: the press, in the same thread, reads the clock before it waits for the database.
        tokio::task::yield_now().await;
    }
    let timeout = i64::try_from(charges.settings.provider_timeout.as_millis()).unwrap();
    world.clock.advance_ms(timeout);
    drop(other);
    assert_eq!(pressed.await.unwrap().status_code(), "outcome_unknown");
    assert_eq!(world.provider.asked(), 0);
}

#[tokio::test]
async fn a_stopping_node_waits_for_a_press_whose_shopper_has_left() {
    let world = World::new().await;
    let node = world.another_node().await;
    let charge = world.charge().await;
    let body = card(&charge, "4242424242424242");
    world.provider.set(LinkState::HoldsAnswers);
    let shopper = tokio::spawn(send(press_at(&world.http, node.address, &charge, "a", &body)));
    world.provider.arrived(1).await;
    shopper.abort();
    assert!(shopper.await.is_err());
    let mut stopping = Box::pin(node.stop());
    // It never stops before the provider has answered; a node that does not wait stops within this time.
    let stopped = tokio::time::timeout(Duration::from_secs(3), &mut stopping).await;
    assert!(stopped.is_err());
    world.provider.set(LinkState::Works);
    stopping.await;
    let stored = world.service.app.store.charge(&charge.id).await.unwrap();
    assert_eq!(stored.unwrap().status, ChargeStatus::Succeeded);
}
