//! A charge is paid at most once, however often and on whichever node the shopper presses.

use std::time::Duration;

use payments::charges::reconciler::{Round, reconcile};
use reqwest::Method;

use crate::provider::LinkState;
use crate::waiting::holds;
use crate::world::{PARTNER_ID, World, card, press_at, send};

#[tokio::test]
async fn simultaneous_presses_on_two_nodes_make_one_payment() {
    let world = World::new().await;
    let other = world.another_node().await;
    let charge = world.charge().await;
    let body = card(&charge, "4242424242424242");
    world.provider.set(LinkState::HoldsAnswers);
    let presses: Vec<_> = (0..8)
        .map(|number| {
            let address = if number % 2 == 0 {
                world.service.address
            } else {
                other.address
            };
            let key = format!("press-{}", number / 4);
            tokio::spawn(send(press_at(&world.http, address, &charge, &key, &body)))
        })
        .collect();
    world.provider.arrived(1).await;
    assert_eq!(world.view(&charge.id).await["status"], "processing");
    world.provider.set(LinkState::Works);
    for press in presses {
        let answer = press.await.unwrap();
        assert_eq!(
            (answer.status, answer.status_code()),
            (201, "succeeded"),
            "{answer:?}"
        );
    }
    assert_eq!((world.provider.asked(), world.provider.approvals()), (1, 1));
    other.stop().await;
}

#[tokio::test]
async fn a_second_press_gets_the_first_ones_decline() {
    let world = World::new().await;
    let charge = world.charge().await;
    let first = world.held_press(&charge, "a", "4000000000009995").await;
    let second = tokio::spawn(send(world.press(
        &charge,
        "b",
        &card(&charge, "4242424242424242"),
    )));
    // Until the second press waits.
    let presses = &world.service.app.charges.presses;
    holds("the second press waits", async || {
        (presses.unanswered(), presses.under_way()) == (2, 1)
    })
    .await;
    world.provider.set(LinkState::Works);
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    assert_eq!((first.status, &first), (402, &second));
    assert_eq!((world.provider.asked(), world.provider.approvals()), (1, 0));
}

#[tokio::test]
async fn the_same_press_again_gets_the_same_answer() {
    let world = World::new().await;
    let declined = world.charge().await;
    let first = world.pay(&declined, "a", "4000000000000069").await;
    assert_eq!(world.pay(&declined, "a", "4242424242424242").await, first);
    let paid = world.charge().await;
    let first = world.pay(&paid, "a", "4242424242424242").await;
    assert_eq!(world.pay(&paid, "a", "4242424242424242").await, first);
    assert_eq!(world.pay(&paid, "b", "5555555555554444").await, first);
    assert_eq!(world.provider.asked(), 2);
}

#[tokio::test]
async fn a_press_without_a_key_is_a_new_press() {
    let world = World::new().await;
    let charge = world.charge().await;
    let press = |number: &str| {
        send(
            world
                .request(Method::POST, "/v1/pub/direct/charges")
                .bearer_auth(&charge.client_secret)
                .header("partner-id", PARTNER_ID)
                .json(&card(&charge, number)),
        )
    };
    assert_eq!(press("4000000000000002").await.status, 402);
    assert_eq!(press("4242424242424242").await.status, 201);
    assert_eq!(press("4242424242424242").await.status, 201);
    assert_eq!((world.provider.asked(), world.provider.approvals()), (2, 1));
}

#[tokio::test]
async fn a_shopper_who_closes_the_connection_has_still_paid() {
    let world = World::new().await;
    let charge = world.charge().await;
    let press = world.held_press(&charge, "a", "4242424242424242").await;
    press.abort();
    assert!(press.await.unwrap_err().is_cancelled());
    world.provider.set(LinkState::Works);
    // The next press waits for the first press's outcome.
    let answer = world.pay(&charge, "b", "4242424242424242").await;
    assert_eq!((answer.status, answer.status_code()), (201, "succeeded"));
    assert_eq!(world.provider.asked(), 1);
}

#[tokio::test]
async fn a_running_request_renews_the_lease_of_its_attempt() {
    let world = World::new().await;
    let charge = world.charge().await;
    let press = world.held_press(&charge, "a", "4242424242424242").await;
    let store = &world.service.app.store;
    let attempts = || store.abandoned_attempts(i64::MAX, 1);
    let before = attempts().await.unwrap()[0].owner_until;
    world.clock.advance_ms(before - world.clock.now_ms() - 1);
    holds("the lease is renewed", async || {
        attempts().await.unwrap()[0].owner_until != before
    })
    .await;
    world.clock.advance_ms(1);
    // Without the renewal another process would take it over now.
    assert_eq!(
        reconcile(&world.service.app.charges).await.unwrap(),
        Round::default()
    );
    world.provider.set(LinkState::Works);
    assert_eq!(press.await.unwrap().status_code(), "succeeded");
}

#[tokio::test]
async fn a_stopping_service_records_the_outcomes_of_open_attempts() {
    let world = World::new().await;
    let charge = world.charge().await;
    let press = world.held_press(&charge, "a", "4242424242424242").await;
    let provider = world.provider;
    let database = world.service.app.config.database.clone();
    let stopping = tokio::spawn(world.service.stop());
    provider.set(LinkState::Works);
    stopping.await.unwrap();
    assert_eq!(press.await.unwrap().status, 201);
    let store = store::Store::connect(&database).await.unwrap();
    let charge = store.charge(&charge.id).await.unwrap().unwrap();
    assert_eq!(charge.status, protocol::ChargeStatus::Succeeded);
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_the_charge_is_paid_once() {
    for (line, number, status) in [
        (LinkState::GarblesAnswers, "4242424242424242", "succeeded"),
        (LinkState::GarblesAnswers, "4000000000009995", "failed"),
    ] {
        let world = World::new().await;
        let charge = world.charge().await;
        world.provider.set(line);
        let answer = world.pay(&charge, "a", number).await;
        assert_eq!(
            (answer.status, answer.status_code()),
            (201, "outcome_unknown"),
            "{line:?}"
        );
        assert_eq!(world.view(&charge.id).await["status"], "outcome_unknown");
        // Nobody may pay with any card until it is known.
        let answer = world.pay(&charge, "b", "5555555555554444").await;
        assert_eq!((answer.status, answer.status_code()), (201, "outcome_unknown"));
        let round = reconcile(&world.service.app.charges).await.unwrap();
        assert_eq!(round, Round { resolved: 1, open: 0 });
        assert_eq!(world.view(&charge.id).await["status"], status);
        assert_eq!(world.provider.outcomes().len(), 1);
        // The first press has its answer now.
        world.provider.set(LinkState::Works);
        let answer = world.pay(&charge, "a", number).await;
        assert_eq!(answer.status_code(), status);
        assert_eq!(world.provider.outcomes().len(), 1);
    }
}

#[tokio::test]
async fn a_provider_without_an_answer_in_time_leaves_the_outcome_unknown() {
    let world = World::with(|settings| settings.provider_timeout_ms = Some(1)).await;
    let charge = world.charge().await;
    world.provider.set(LinkState::HoldsAnswers);
    let answer = world.pay(&charge, "a", "4242424242424242").await;
    assert_eq!((answer.status, answer.status_code()), (201, "outcome_unknown"));
    assert_eq!(world.view(&charge.id).await["status"], "outcome_unknown");
}

#[tokio::test]
async fn a_payment_that_never_arrived_may_be_retried_after_the_grace_time() {
    let world = World::new().await;
    let charge = world.charge().await;
    world.provider.set(LinkState::LosesPayments);
    let answer = world.pay(&charge, "a", "4242424242424242").await;
    assert_eq!(answer.status_code(), "outcome_unknown");
    let open = Round { resolved: 0, open: 1 };
    assert_eq!(reconcile(&world.service.app.charges).await.unwrap(), open);
    assert_eq!(world.view(&charge.id).await["status"], "outcome_unknown");
    let config = &world.service.app.config;
    let patience = config.charges.provider_timeout + config.charges.provider_grace;
    let patience = i64::try_from(patience.as_millis()).unwrap();
    world.clock.advance_ms(patience - 1);
    assert_eq!(reconcile(&world.service.app.charges).await.unwrap(), open);
    world
        .clock
        .advance_ms(i64::try_from(Duration::from_secs(2).as_millis()).unwrap());
    assert_eq!(
        reconcile(&world.service.app.charges).await.unwrap(),
        Round { resolved: 1, open: 0 }
    );
    let view = world.view(&charge.id).await;
    assert_eq!(
        (&view["status"], &view["decline_code"]),
        (&"failed".into(), &"processing_error".into())
    );
    world.provider.set(LinkState::Works);
    let answer = world.pay(&charge, "b", "4242424242424242").await;
    assert_eq!(answer.status_code(), "succeeded");
    assert_eq!(world.provider.approvals(), 1);
}
