//! Events go to a Kafka broker with TLS and a password, and to no other broker.

use std::time::Duration;

use harness::own_address::own_address;
use protocol::Sensitive;
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::events_to_kafka::{becomes, post, program};
use crate::kafka_broker::Broker;
use crate::kafka_tls_proxy::{LoginCounts, open};
use crate::world::World;

const USER: &str = "cardform";
const PASSWORD: &str = "correct horse";
/// How long the service may take to reach the broker before a test fails.
const WAIT_MAX: Duration = Duration::from_secs(60);

struct Secured {
    world: World,
    login_counts: watch::Receiver<LoginCounts>,
    _broker: Broker,
}

fn own_certificate() -> CertifiedKey<KeyPair> {
    generate_simple_self_signed(["localhost".to_owned()]).unwrap()
}

/// A service that trusts the certificate `believed`, or else the broker's own, and sends this password.
async fn secured(believed: Option<&CertifiedKey<KeyPair>>, password: &str) -> Secured {
    let certificate = own_certificate();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let door = format!("localhost:{}", listener.local_addr().unwrap().port());
    let broker = Broker::start_behind(&program(), own_address().unwrap(), &door);
    let login_counts = open(listener, broker.address, &certificate, [USER, PASSWORD]);
    let dir = tempfile::tempdir().unwrap();
    let roots = dir.path().join("roots.pem");
    std::fs::write(&roots, believed.unwrap_or(&certificate).cert.pem()).unwrap();
    let password_file = dir.path().join("password");
    std::fs::write(&password_file, format!("{password}\n")).unwrap();
    let world = World::with(|settings| {
        settings.event_sink = Some("kafka".into());
        settings.kafka_brokers = Some(door);
        settings.kafka_tls = Some(true);
        settings.kafka_root_certificates = Some(roots);
        settings.kafka_user = Some(USER.into());
        settings.kafka_password_file = Some(password_file);
        settings.kafka_sasl_mechanism = Some("plain".into());
    })
    .await;
    // The folder must stay, because both files are read for each connection.
    std::mem::forget(dir);
    Secured {
        world,
        login_counts,
        _broker: broker,
    }
}

/// Waits until the proxy has counted `expected`. Returns its counts.
async fn wait_for_logins(secured: &Secured, expected: fn(&LoginCounts) -> bool) -> LoginCounts {
    let mut login_counts = secured.login_counts.clone();
    let seen = tokio::time::timeout(WAIT_MAX, login_counts.wait_for(expected)).await;
    *seen.expect("the service comes to the broker's door").unwrap()
}

async fn refused(secured: Secured) {
    post(&secured.world, &json!([{"value": {"at": 1}}])).await;
    let login_counts = wait_for_logins(&secured, |login_counts| login_counts.refused > 0).await;
    assert_eq!(login_counts.accepted, 0);
    becomes(&secured.world, "cardform_events_waiting", 1).await;
}

#[tokio::test]
async fn events_arrive_by_tls_with_the_users_password() {
    let secured = secured(None, PASSWORD).await;
    post(&secured.world, &json!([{"value": {"at": 1}}])).await;
    let login_counts = wait_for_logins(&secured, |login_counts| login_counts.accepted > 0).await;
    assert_eq!(login_counts.refused, 0);
    becomes(&secured.world, "cardform_events_waiting", 0).await;
}

#[tokio::test]
async fn a_broker_with_another_certificate_gets_no_event() {
    refused(secured(Some(&own_certificate()), PASSWORD).await).await;
}

#[tokio::test]
async fn a_broker_gets_no_event_with_a_wrong_password() {
    refused(secured(None, "battery staple").await).await;
}

#[tokio::test]
async fn unusable_kafka_roots_or_passwords_stop_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let settings = |roots: &str, password: &str| server::config::Settings {
        listen: Some(([127, 0, 0, 1], 0).into()),
        database: Some(format!("sqlite:{}", dir.path().join("cardform.db").display())),
        provider_url: Some("http://127.0.0.1:1".into()),
        event_sink: Some("kafka".into()),
        kafka_brokers: Some("kafka.example:9093".into()),
        kafka_tls: Some(true),
        kafka_root_certificates: Some(dir.path().join(roots)),
        kafka_user: Some(USER.into()),
        kafka_password_file: Some(dir.path().join(password)),
        kafka_password: (password == "set").then(|| Sensitive::new(PASSWORD.into())),
        ..server::config::Settings::default()
    };
    std::fs::write(dir.path().join("empty.pem"), "").unwrap();
    std::fs::write(dir.path().join("roots.pem"), own_certificate().cert.pem()).unwrap();
    for (roots, password, said) in [
        ("empty.pem", "set", "root certificates"),
        ("none.pem", "set", "root certificates"),
        ("roots.pem", "none", "password"),
    ] {
        let config = settings(roots, password).resolve().unwrap();
        let started = server::service::Service::start(config, protocol::clock::Clock::system()).await;
        let message = started.err().unwrap().to_string();
        assert!(message.contains(said) && !message.contains(PASSWORD), "{message}");
    }
}
