//! Old charges are removed with their rows in all tables, except charges that a merchant or a dispute may still need.

use std::collections::BTreeMap;
use std::path::Path;

use harness::postgres::{Durability, Postgres};
use jiff::Timestamp;
use payments::operations::unfinished::settle_operations;
use protocol::charge_state::ChargeEvent;
use protocol::{ChargeStatus, CreatedCharge, DisputeStatus, ProviderDispute, Sensitive};
use serde_json::{Value, json};
use server::service::retention::{RetentionProgress, remove_old_charges};
use store::{Charge, Creation, EndpointKey, Partner, RemovedCharges, Store, WebhookEndpoint, amount_text};
use tokio::sync::watch;

use crate::cards::{SHOPPER, card_to_save, ring};
use crate::other_program::OtherProgram;
use crate::process::{complaint, run};
use crate::provider::LinkState;
use crate::waiting::holds;
use crate::world::{NOW, PARTNER_ID, World, new_charge, send};

const GOOD: &str = "4242424242424242";
const BAD: &str = "4000000000009995";
const DAY_MS: i64 = 86_400_000;

#[tokio::test]
async fn old_charges_are_deleted_from_sqlite_and_reports_stay_true() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("live.db");
    Box::pin(scenario(format!("sqlite:{}", file.display()))).await;
    // No row belongs to a deleted charge.
    store::check_copy(&file).await.unwrap();
}

#[tokio::test]
async fn old_charges_are_deleted_from_postgresql_and_reports_stay_true() {
    let postgres = Postgres::start(Durability::None).unwrap();
    Box::pin(scenario(postgres.new_database().unwrap())).await;
}

async fn scenario(database: String) {
    let exports = tempfile::tempdir().unwrap();
    let world = World::with(|settings| {
        settings.database = Some(database);
        settings.vault_keys = Some(Sensitive::new(ring("key-1")));
        settings.charge_retention_days = Some(30);
        settings.charge_export = Some(exports.path().to_owned());
    })
    .await;
    let mut progress = RetentionProgress::default();
    let begin = world.clock.now_ms();
    let [paid, expired, canceled, saved] = first_charges(&world).await;
    let reported = report(&world, begin).await;
    assert_eq!(reported["succeeded"], (2, String::new()));
    assert_eq!(reported["paid USD"], (2, "25".to_owned()));

    // After 29 days all are there.
    world.clock.advance_ms(29 * DAY_MS);
    assert_eq!(remove(&world, &mut progress).await, RemovedCharges::default());

    world.clock.advance_ms(2 * DAY_MS + 1);
    let removed = remove(&world, &mut progress).await;
    assert_eq!((removed.charges, removed.attempts), (2, 1));
    for (charge, status) in [(&paid, 200), (&expired, 404), (&canceled, 404), (&saved, 200)] {
        assert_eq!(look(&world, charge).await, status, "{}", charge.id);
    }
    assert_eq!(report(&world, begin).await, reported);
    assert_exported(exports.path(), &[&expired, &canceled]);

    // A charge with an event that waits for its merchant, and one whose outcome is not known.
    let waiting = charge_with_waiting_event(&world).await;
    let unknown = world.charge().await;
    world.provider.set(LinkState::GarblesAnswers);
    assert_eq!(
        world.pay(&unknown, "a", GOOD).await.status_code(),
        "outcome_unknown"
    );
    world.provider.set(LinkState::Down);
    let reported = report(&world, begin).await;

    // Paid charges stay for the time of disputes.
    world.clock.advance_ms(400 * DAY_MS);
    assert_eq!(remove(&world, &mut progress).await.charges, 0);
    world.clock.advance_ms(200 * DAY_MS);
    assert_eq!(remove(&world, &mut progress).await.charges, 1);
    for (charge, status) in [(&paid, 404), (&saved, 200), (&waiting, 200), (&unknown, 200)] {
        assert_eq!(look(&world, charge).await, status, "{}", charge.id);
    }
    assert_eq!(report(&world, begin).await, reported);
    // The saved card is still there.
    assert_eq!(world.cards_of(SHOPPER).await.len(), 1);

    // The audit log has the deletion, and the paid charge is in the file of a later day.
    let lines = world
        .service
        .app
        .store
        .audit_lines_of("charges", None, 10)
        .await
        .unwrap();
    let details: Vec<Value> = lines
        .iter()
        .map(|line| serde_json::from_str(&line.detail).unwrap())
        .collect();
    assert_eq!(lines[0].action, "charges_removed");
    assert_eq!(
        (&details[0]["charges"], &details[1]["charges"]),
        (&1.into(), &2.into())
    );
    assert_exported(exports.path(), &[&expired, &canceled, &paid]);
}

/// Creates four charges: paid, expired after a decline, canceled, and paid with a card that was saved.
async fn first_charges(world: &World) -> [CreatedCharge; 4] {
    let answer = world.create(&new_charge(), Some("order-1")).await;
    let paid: CreatedCharge = serde_json::from_value(answer.body).unwrap();
    assert_eq!(world.pay(&paid, "a", GOOD).await.status_code(), "succeeded");
    let saved = world.saving_charge(SHOPPER).await;
    let answer = send(world.press(&saved, "a", &card_to_save(&saved, SHOPPER, GOOD))).await;
    assert_eq!(answer.status_code(), "succeeded");
    let store = &world.service.app.store;
    let expired = world.charge().await;
    assert_eq!(world.pay(&expired, "a", BAD).await.status, 402);
    let canceled = world.charge().await;
    for (charge, event) in [
        (&expired, ChargeEvent::Expired),
        (&canceled, ChargeEvent::Canceled),
    ] {
        store
            .end_charge(&charge.id, event, world.clock.now_ms())
            .await
            .unwrap();
    }
    [paid, expired, canceled, saved]
}

async fn charge_with_waiting_event(world: &World) -> CreatedCharge {
    let now = world.clock.now_ms();
    let store = &world.service.app.store;
    let endpoint = WebhookEndpoint {
        partner_id: PARTNER_ID.into(),
        url: "https://shop.example/events".into(),
        secret: store::StoredWebhookSecret::plain("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        events: None,
        created_at: now,
    };
    store.put_webhook_endpoint(&endpoint).await.unwrap();
    store
        .pause_webhook_endpoint(&EndpointKey::first(PARTNER_ID), 1, now + 3_650 * DAY_MS)
        .await
        .unwrap();
    let charge = world.charge().await;
    assert_eq!(world.pay(&charge, "a", GOOD).await.status_code(), "succeeded");
    charge
}

async fn remove(world: &World, progress: &mut RetentionProgress) -> RemovedCharges {
    let (_stop, stopped) = watch::channel(false);
    remove_old_charges(&world.service.app, progress, &stopped)
        .await
        .unwrap()
}

async fn look(world: &World, charge: &CreatedCharge) -> u16 {
    let path = format!("/v1/charges/{}", charge.id);
    let request = world.request(reqwest::Method::GET, &path);
    send(request.bearer_auth(crate::world::SECRET_KEY)).await.status
}

/// Tallies all hours that are over.
async fn tally(world: &World) {
    let now = world.clock.now_ms();
    while world.service.app.store.tally_hours(now).await.unwrap() {}
}

/// Charges by status and sums by currency, of a range with odd ends.
async fn report(world: &World, begin: i64) -> BTreeMap<String, (i64, String)> {
    let store = &world.service.app.store;
    let (from, to) = (begin - 7_000_123, begin + 35 * DAY_MS + 777);
    let time = store.tallied_time().await.unwrap();
    let mut sums = BTreeMap::<String, (i64, i128)>::new();
    for tally in store.charge_tallies(&time, (from, to), None).await.unwrap() {
        let paid = (tally.topic == "succeeded").then(|| format!("paid {}", tally.word));
        for (name, amount) in paid
            .map(|name| (name, tally.amount))
            .into_iter()
            .chain([(tally.topic, 0)])
        {
            let sum = sums.entry(name).or_default();
            *sum = (sum.0 + tally.counts[0], sum.1 + amount);
        }
    }
    let text = |name: &str, amount| {
        if name.starts_with("paid ") {
            amount_text(amount)
        } else {
            String::new()
        }
    };
    sums.into_iter()
        .map(|(name, (charges, amount))| (name.clone(), (charges, text(&name, amount))))
        .collect()
}

/// The files have each of these charges once, with its attempts, and no card number.
fn assert_exported(folder: &Path, charges: &[&CreatedCharge]) {
    use std::os::unix::fs::PermissionsExt as _;

    let mut ids = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            assert!(!line.contains(GOOD) && !line.contains(BAD));
            let record: Value = serde_json::from_str(line).unwrap();
            let attempts = record["attempts"].as_array().unwrap();
            assert!(
                attempts
                    .iter()
                    .all(|attempt| attempt["charge_id"] == record["id"])
            );
            ids.push(record["id"].as_str().unwrap().to_owned());
        }
    }
    let mut expected: Vec<String> = charges.iter().map(|charge| charge.id.clone()).collect();
    ids.sort();
    expected.sort();
    assert_eq!(ids, expected);
}

/// A charge is changed a day after it was made, when it expires, so it leaves a day later than those made with it.
#[tokio::test]
async fn a_young_charge_is_deleted_in_a_later_round() {
    let world = World::with(|settings| settings.charge_retention_days = Some(30)).await;
    let mut progress = RetentionProgress::default();
    let forgotten = world.charge().await;
    canceled_charge(&world).await;
    let lifetime = i64::try_from(world.service.app.config.charges.lifetime.as_millis()).unwrap();
    world.clock.advance_ms(lifetime);
    assert_eq!(world.service.app.charges.expiry.sweep().await.unwrap(), 1);
    world.clock.advance_ms(30 * DAY_MS - lifetime + 1);
    assert_eq!(remove(&world, &mut progress).await.charges, 1);
    assert_eq!(look(&world, &forgotten).await, 200);
    assert_eq!(remove(&world, &mut progress).await.charges, 0);
    world.clock.advance_ms(lifetime);
    assert_eq!(remove(&world, &mut progress).await.charges, 1);
    assert_eq!(look(&world, &forgotten).await, 404);
}

/// The hours of these charges are tallied before and after the charges leave.
#[tokio::test]
async fn tallies_of_removed_charges_stay_true() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("old.db");
    let now: Timestamp = NOW.parse().unwrap();
    let made = now.as_millisecond() - 600 * DAY_MS;
    old_charges(&Store::open(&file).await.unwrap(), made).await;
    let world = World::with(|settings| {
        settings.database = Some(format!("sqlite:{}", file.display()));
        settings.charge_retention_days = Some(30);
    })
    .await;
    let mut progress = RetentionProgress::default();
    tally(&world).await;
    let reported = report(&world, made).await;
    assert_eq!(reported["paid USD"], (1, "7.5".to_owned()));
    assert_eq!((reported["expired"].0, reported["canceled"].0), (1, 1));
    remove(&world, &mut progress).await;
    assert_eq!(world.service.app.store.charge("ch_old0").await.unwrap(), None);
    assert_eq!(report(&world, made).await, reported);
    tally(&world).await;
    assert_eq!(report(&world, made).await, reported);
}

/// Creates three charges from before the service began: paid, expired and canceled.
async fn old_charges(store: &Store, made: i64) {
    let partner = Partner {
        id: PARTNER_ID.into(),
        name: "Shop".into(),
        allowed_origins: vec![],
        site_ids: vec![],
        active: true,
        created_at: made,
    };
    store.put_partner(&partner, "sk_old").await.unwrap();
    for (number, status) in [
        ChargeStatus::Succeeded,
        ChargeStatus::Expired,
        ChargeStatus::Canceled,
    ]
    .into_iter()
    .enumerate()
    {
        let charge = Charge {
            status,
            item_code: "gems-100".into(),
            item_name: "100 gems".into(),
            amount_value: "12.50".into(),
            amount_currency: "USD".into(),
            // A part of the held money was captured.
            amount_captured: Some("7.50".into()),
            partner_reference: "order-1".into(),
            ..Charge::unknown(format!("ch_old{number}"), PARTNER_ID.into(), made)
        };
        let creation = Creation {
            charge_id: charge.id.clone(),
            body_sha256: String::new(),
            token_id: String::new(),
            signing_key_id: String::new(),
            expires_at: made,
            created_at: made,
        };
        store.add_charge(&charge, &creation, None).await.unwrap();
    }
    store.close().await;
}

async fn canceled_charge(world: &World) -> CreatedCharge {
    let charge = world.charge().await;
    let store = &world.service.app.store;
    let ended = store.end_charge(&charge.id, ChargeEvent::Canceled, world.clock.now_ms());
    ended.await.unwrap();
    charge
}

#[tokio::test]
async fn a_charge_is_deleted_after_its_export_is_written() {
    let exports = tempfile::tempdir().unwrap();
    let world = World::with(|settings| {
        settings.charge_retention_days = Some(30);
        settings.charge_export = Some(exports.path().to_owned());
    })
    .await;
    let charge = canceled_charge(&world).await;
    world.clock.advance_ms(31 * DAY_MS);
    exports.close().unwrap();
    let (_stop, stopped) = watch::channel(false);
    let refused = remove_old_charges(&world.service.app, &mut RetentionProgress::default(), &stopped).await;
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("charges-2026-08-15.jsonl")
    );
    assert_eq!(look(&world, &charge).await, 200);
}

/// A full disk or a crash in the middle of a line.
#[tokio::test]
async fn an_export_after_half_a_line_begins_on_a_new_line() {
    let exports = tempfile::tempdir().unwrap();
    let world = World::with(|settings| {
        settings.charge_retention_days = Some(30);
        settings.charge_export = Some(exports.path().to_owned());
    })
    .await;
    let charge = canceled_charge(&world).await;
    let file = exports.path().join("charges-2026-08-15.jsonl");
    std::fs::write(&file, r#"{"id":"ch_"#).unwrap();
    world.clock.advance_ms(31 * DAY_MS);
    remove(&world, &mut RetentionProgress::default()).await;
    // The service's own round may be the one that removes the charge.
    holds("the charge is removed", async || {
        look(&world, &charge).await == 404
    })
    .await;
    let text = std::fs::read_to_string(&file).unwrap();
    let record: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(record["id"], charge.id);
}

/// Charges without a payment leave first; then the paid one cannot be removed.
#[tokio::test]
async fn removed_charges_are_in_the_audit_log_although_a_later_step_fails() {
    let dir = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", dir.path().join("books.db").display());
    let world = World::with(|settings| {
        settings.database = Some(database.clone());
        settings.charge_retention_days = Some(30);
    })
    .await;
    let paid = world.charge().await;
    assert_eq!(world.pay(&paid, "a", GOOD).await.status_code(), "succeeded");
    canceled_charge(&world).await;
    let refusing = "CREATE TRIGGER kept BEFORE DELETE ON charges WHEN OLD.status = 'succeeded' \
                    BEGIN SELECT RAISE(ABORT, 'kept'); END";
    let other = OtherProgram::connect(&database).await;
    other.run(refusing).await.unwrap();
    world.clock.advance_ms(600 * DAY_MS);
    let app = &world.service.app;
    let (_stop, stopped) = watch::channel(false);
    let mut progress = RetentionProgress::default();
    let removed = remove_old_charges(app, &mut progress, &stopped).await;
    removed.unwrap_err();
    // The service's own round may be the one that removes the charge.
    holds("the removed charge is in the audit log", async || {
        let lines = app.store.audit_lines_of("charges", None, 10).await.unwrap();
        lines.iter().any(|line| line.detail.contains(r#""charges":1"#))
    })
    .await;
}

#[tokio::test]
async fn a_disputed_charge_stays_until_the_dispute_ends_and_is_exported_with_it() {
    let exports = tempfile::tempdir().unwrap();
    let world = World::with(|settings| {
        settings.charge_retention_days = Some(30);
        settings.charge_export = Some(exports.path().to_owned());
    })
    .await;
    let charge = world.charge().await;
    assert_eq!(world.pay(&charge, "a", GOOD).await.status_code(), "succeeded");
    let refund = world
        .act(&charge, "refunds", json!({ "amount_value": "2.50" }))
        .await;
    assert_eq!(refund.body["status"], "succeeded");
    let store = &world.service.app.store;
    let paid = store.attempt_that_paid(&charge.id).await.unwrap().unwrap();
    let tell = async |status| {
        let dispute = ProviderDispute {
            reference: "dispute_1".into(),
            status,
            amount_value: "10.00".into(),
            amount_currency: "USD".into(),
            reason: None,
            respond_before: None,
        };
        let told = store.record_dispute(&paid.provider_key, &dispute, world.clock.now_ms());
        assert_eq!(told.await.unwrap(), Some(true));
    };
    tell(DisputeStatus::Open).await;
    world.clock.advance_ms(600 * DAY_MS);
    settle_operations(&world.service.app.charges).await.unwrap();
    // Each process begins a new search.
    let removed = async || remove(&world, &mut RetentionProgress::default()).await.charges;
    assert_eq!(removed().await, 0, "its dispute is open");
    tell(DisputeStatus::Lost).await;
    assert_eq!(removed().await, 1);

    let file = std::fs::read_dir(exports.path()).unwrap().next().unwrap();
    let line = std::fs::read_to_string(file.unwrap().path()).unwrap();
    let record: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(record["operations"][0]["id"], refund.body["id"]);
    assert_eq!(record["disputes"][0]["status"], "lost");
}

#[tokio::test]
async fn without_the_setting_no_charge_is_deleted() {
    let world = World::new().await;
    let charge = canceled_charge(&world).await;
    world.clock.advance_ms(10_000 * DAY_MS);
    assert_eq!(
        remove(&world, &mut RetentionProgress::default()).await,
        RemovedCharges::default()
    );
    assert_eq!(look(&world, &charge).await, 200);
}

#[test]
fn impossible_retention_settings_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| complaint(&run(dir.path(), &[&["migrate"], arguments].concat()));
    assert!(said(&["--charge-retention-days", "29"]).contains("must be 30 to 36500"));
    assert!(said(&["--charge-export", "."]).contains("needs charge_retention_days"));
    let missing = ["--charge-retention-days", "30", "--charge-export", "missing"];
    assert!(said(&missing).contains("must be a folder that exists"));
}
