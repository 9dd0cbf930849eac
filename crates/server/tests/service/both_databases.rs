//! The same scenario on every database: a merchant's charges are paid, declined, lost, canceled and expire, on two
//! nodes.

use harness::postgres::{Durability, Postgres};
use payments::charges::reconciler::{Round, reconcile};
use protocol::CreatedCharge;
use reqwest::Method;
use serde_json::{Value, json};
use store::Store;

use crate::provider::LinkState;
use crate::world::{Answer, SECRET_KEY, World, card, new_charge, press_at, send};

const GOOD: &str = "4242424242424242";
const BAD: &str = "4000000000009995";

#[tokio::test]
async fn the_scenario_passes_on_sqlite() {
    Box::pin(scenario(World::new().await)).await;
}

#[tokio::test]
async fn the_scenario_passes_on_postgresql() {
    let postgres = Postgres::start(Durability::None).unwrap();
    Box::pin(scenario(World::on(postgres.new_database().unwrap()).await)).await;
    // Databases that only have the serializable level must work, too.
    let serializable =
        postgres.new_database().unwrap() + "&options[default_transaction_isolation]=serializable";
    Box::pin(scenario(World::on(serializable).await)).await;
}

/// A second node starts on the world's database now, and both serve.
pub(crate) async fn scenario(world: World) {
    let other = world.another_node().await;
    let nodes = [world.service.address, other.address];
    let before = counts(&world);

    // The merchant creates a charge and reads the same data; the same key gives the same charge on both nodes.
    let mut body = new_charge();
    body["shopper_id"] = json!("shopper_1");
    body["enable_save_payment_method"] = json!(true);
    body["display_saved_payment_method_list"] = json!(false);
    body["zip_code"] = json!("94107");
    let made = world.create(&body, Some("order-1")).await;
    for _ in 0..6 {
        assert_eq!(world.create(&body, Some("order-1")).await, made);
    }
    let first: CreatedCharge = serde_json::from_value(made.body).unwrap();
    let stored = other.app.store.charge(&first.id).await.unwrap().unwrap();
    assert_eq!(
        (
            stored.user_initiated,
            stored.enable_save_payment_method,
            stored.display_saved_payment_method_list
        ),
        (true, Some(true), false)
    );
    assert_eq!(
        (stored.zip_code.as_deref(), stored.return_url),
        (Some("94107"), None)
    );

    // Simultaneous presses from one tab and from several, on two nodes, make one payment, and all get its outcome.
    let charge = world.charge().await;
    let tabs: Vec<_> = (0..12)
        .map(|number| {
            let key = format!("press-{}", number / 3);
            let request = press_at(
                &world.http,
                nodes[number % 2],
                &charge,
                &key,
                &card(&charge, GOOD),
            );
            tokio::spawn(send(request))
        })
        .collect();
    for tab in tabs {
        assert_eq!(tab.await.unwrap().status_code(), "succeeded");
    }
    assert_eq!(counts(&world), (before.0 + 1, before.1 + 1));

    // Declined, then paid with another card; the first press is still declined.
    let charge = world.charge().await;
    let declined = world.pay(&charge, "a", BAD).await;
    assert_eq!((declined.status, declined.status_code()), (402, "failed"));
    assert_eq!(world.pay(&charge, "b", GOOD).await.status_code(), "succeeded");
    assert_eq!(world.pay(&charge, "a", GOOD).await, declined);

    // An answer is lost. No shopper can pay until a node has the outcome, and both nodes may ask at the same time.
    let lost = world.charge().await;
    world.provider.set(LinkState::GarblesAnswers);
    assert_eq!(world.pay(&lost, "a", GOOD).await.status_code(), "outcome_unknown");
    world.provider.set(LinkState::Works);
    assert_eq!(world.pay(&lost, "b", GOOD).await.status_code(), "outcome_unknown");
    assert_eq!(cancel(&world, &lost).await.code(), "charge_not_cancelable");
    let (here, there) = tokio::join!(
        reconcile(&world.service.app.charges),
        reconcile(&other.app.charges)
    );
    let (here, there): (Round, Round) = (here.unwrap(), there.unwrap());
    assert_eq!((here.resolved + there.resolved, here.open + there.open), (1, 0));
    assert_eq!(world.view(&lost.id).await["status"], "succeeded");

    // The merchant cancels a charge twice, because the first answer may be lost. No shopper can pay it.
    let canceled = world.charge().await;
    for _ in 0..2 {
        let answer = cancel(&world, &canceled).await;
        assert_eq!((answer.status, &answer.body["status"]), (200, &json!("canceled")));
    }
    assert_eq!(world.pay(&canceled, "a", GOOD).await.code(), "charge_not_payable");
    assert_eq!(cancel(&world, &charge).await.code(), "charge_not_cancelable");

    // A cancellation and a press at the same time: the later request sees the effect of the earlier one.
    for number in 0..6 {
        let charge = world.charge().await;
        let before = world.provider.approvals();
        let body = card(&charge, GOOD);
        let press = send(press_at(&world.http, nodes[number % 2], &charge, "a", &body));
        let (answer, withdrawn) = tokio::join!(press, cancel(&world, &charge));
        let paid = answer.status_code() == "succeeded";
        assert_ne!(paid, withdrawn.status == 200, "{answer:?} {withdrawn:?}");
        assert_eq!(world.provider.approvals() - before, usize::from(paid));
    }

    // Charges expire: one that is read, one that is paid, and one that is not used.
    let (seen, late, forgotten) = (world.charge().await, world.charge().await, world.charge().await);
    assert_eq!(world.pay(&seen, "a", BAD).await.status, 402);
    let lifetime = i64::try_from(world.service.app.config.charges.lifetime.as_millis()).unwrap();
    world.clock.advance_ms(lifetime - 1);
    assert_eq!(other.app.charges.expiry.sweep().await.unwrap(), 0);
    assert_eq!(world.view(&seen.id).await["status"], "failed");
    world.clock.advance_ms(1);
    assert_eq!(world.view(&seen.id).await["status"], "expired");
    let secret = world.request(Method::POST, &format!("/v1/charges/{}/client-secret", late.id));
    let renewed = send(secret.bearer_auth(SECRET_KEY)).await;
    let renewed: CreatedCharge = serde_json::from_value(renewed.body).unwrap();
    assert_eq!(world.pay(&renewed, "a", GOOD).await.code(), "charge_not_payable");
    other.app.charges.expiry.sweep().await.unwrap();
    assert_eq!(status(&other.app.store, &forgotten.id).await, "expired");
    assert_eq!(cancel(&world, &forgotten).await.code(), "charge_not_cancelable");
    assert_eq!(status(&other.app.store, &canceled.id).await, "canceled");

    assert_eq!(world.provider.asked(), world.provider.outcomes().len());
    other.stop().await;
    world.service.stop().await;
}

/// How many payments the provider was asked for, and approved.
fn counts(world: &World) -> (usize, usize) {
    (world.provider.asked(), world.provider.approvals())
}

async fn cancel(world: &World, charge: &CreatedCharge) -> Answer {
    let path = format!("/v1/charges/{}/cancel", charge.id);
    send(world.request(Method::POST, &path).bearer_auth(SECRET_KEY)).await
}

/// The status in the database, without checking the charge's expiry.
async fn status(store: &Store, id: &str) -> Value {
    json!(store.charge(id).await.unwrap().unwrap().status)
}
