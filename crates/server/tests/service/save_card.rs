//! A card is saved only if it has paid and may be saved, and once per shopper.

use payments::charges::reconciler::reconcile;
use payments::saved_cards::save::settle_abandoned_cards;
use serde_json::{Value, json};
use store::CardOwner;

use crate::cards::{SHOPPER, card_to_save, id};
use crate::challenges::{CHALLENGE, CHALLENGE_THEN_DECLINED, answer_challenge};
use crate::provider::LinkState;
use crate::world::{PARTNER_ID, World, new_charge, send};

#[tokio::test]
async fn a_saved_card_in_the_list_shows_only_allowed_digits() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, "378282246310005").await;
    let pm = id(&card);
    assert!(pm.starts_with("pm_") && card["id"].as_str().unwrap().starts_with("card_"));
    assert_eq!(
        card,
        json!({
            "id": card["id"], "payment_method_id": pm, "first_six": "378282", "last_four": "0005",
            "brand": "american-express", "networks": [], "network": null, "expiration_month": "12", "expiration_year": "2030",
            "nickname": null, "default": false,
        })
    );
}

#[tokio::test]
async fn the_newest_card_comes_first_and_pages_follow_each_other() {
    let world = World::with_vault().await;
    let numbers = [
        "4242424242424242",
        "4111111111111111",
        "4012888888881881",
        "4000056655665556",
        "5555555555554444",
        "5105105105105100",
        "5200828282828210",
    ];
    for number in numbers {
        world.clock.advance_ms(1);
        world.save(SHOPPER, number).await;
    }
    let charge = world.saving_charge(SHOPPER).await;
    let page = async |query: &str| {
        let answer = world.list(&charge, SHOPPER, query).await;
        let items = answer.body["items"].as_array().unwrap().clone();
        let last_four = |item: &Value| item["card"]["last_four"].as_str().unwrap().to_owned();
        items.iter().map(last_four).collect::<Vec<_>>()
    };
    assert_eq!(page("").await, ["8210", "5100", "4444", "5556", "1881"]);
    assert_eq!(page("?page_size=5&page_number=2").await, ["1111", "4242"]);
    assert_eq!(page("?page_size=3&page_number=2").await, ["5556", "1881", "1111"]);
    assert!(page("?page_number=3").await.is_empty());
    for wrong in [
        "?page_size=0",
        "?page_size=51",
        "?page_size=five",
        "?page_number=0",
        "?page_number=-1",
        "?page_size=5&page_size=6",
    ] {
        let answer = world.list(&charge, SHOPPER, wrong).await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, "invalid_request"),
            "{wrong}"
        );
    }
}

#[tokio::test]
async fn a_card_saved_again_stays_one_card_and_becomes_the_newest() {
    let world = World::with_vault().await;
    let first = world.save(SHOPPER, "4242424242424242").await;
    world.clock.advance_ms(1);
    world.save(SHOPPER, "5555555555554444").await;
    world.clock.advance_ms(1);
    let charge = world.saving_charge(SHOPPER).await;
    let mut body = card_to_save(&charge, SHOPPER, "4242424242424242");
    body["payment_method"]["card"]["expiration_year"] = json!("2034");
    assert_eq!(send(world.press(&charge, "press-1", &body)).await.status, 201);

    let cards = world.cards_of(SHOPPER).await;
    assert_eq!(cards.len(), 2, "{cards:?}");
    assert_eq!(id(&cards[0]), id(&first));
    assert_eq!(cards[0]["expiration_year"], "2034");
    assert_eq!(cards[1]["last_four"], "4444");
}

#[tokio::test]
async fn two_shoppers_each_save_the_same_card() {
    let world = World::with_vault().await;
    let (mine, theirs) = (
        world.save(SHOPPER, "4242424242424242").await,
        world.save("shopper-8", "4242424242424242").await,
    );
    assert_ne!(id(&mine), id(&theirs));
    assert_eq!(world.cards_of(SHOPPER).await, [mine]);
}

/// Whether a card is saved after paying this charge with this flag.
async fn leaves_a_card(world: &World, changed: &Value, wanted: &Value, number: &str) -> bool {
    let mut new = new_charge();
    for flag in ["enable_save_payment_method", "eligible_save_payment_methods"] {
        new[flag] = json!(true);
    }
    new["shopper_id"] = json!(SHOPPER);
    new.as_object_mut()
        .unwrap()
        .extend(changed.as_object().unwrap().clone());
    let charge = serde_json::from_value(world.create(&new, None).await.body).unwrap();
    let shopper = new["shopper_id"].as_str().unwrap_or_default();
    let mut body = card_to_save(&charge, shopper, number);
    body["payment_method"]["save_payment_method"] = wanted.clone();
    let answer = send(world.press(&charge, "press-1", &body)).await;
    assert!([201, 402].contains(&answer.status), "{answer:?}");
    !world.cards_of(SHOPPER).await.is_empty()
}

#[tokio::test]
async fn a_card_is_saved_only_if_it_paid_and_all_flags_allow_it() {
    let world = World::with_vault().await;
    let good = "4242424242424242";
    for (changed, wanted, number) in [
        (json!({}), json!(false), good),
        (json!({}), json!(null), good),
        (json!({"enable_save_payment_method": false}), json!(true), good),
        (json!({"enable_save_payment_method": null}), json!(true), good),
        (json!({"eligible_save_payment_methods": false}), json!(true), good),
        (json!({"eligible_save_payment_methods": null}), json!(true), good),
        (json!({"shopper_id": null}), json!(true), good),
        (json!({"shopper_id": ""}), json!(true), good),
        (json!({}), json!(true), "4000000000000002"),
    ] {
        let left = leaves_a_card(&world, &changed, &wanted, number).await;
        assert!(!left, "{changed} {wanted} {number}");
    }
    assert!(leaves_a_card(&world, &json!({}), &json!(true), good).await);
}

#[tokio::test]
async fn a_card_with_a_lost_outcome_is_saved_when_it_is_known() {
    let world = World::with_vault().await;
    let charge = world.saving_charge(SHOPPER).await;
    world.provider.set(LinkState::GarblesAnswers);
    let body = card_to_save(&charge, SHOPPER, "4242424242424242");
    let answer = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!(answer.status_code(), "outcome_unknown");
    assert!(world.cards_of(SHOPPER).await.is_empty());

    world.provider.set(LinkState::Works);
    let round = reconcile(&world.service.app.charges).await.unwrap();
    assert_eq!(round.resolved, 1);
    assert_eq!(world.cards_of(SHOPPER).await.len(), 1);
}

#[tokio::test]
async fn a_challenged_card_is_saved_after_it_has_paid() {
    let world = World::with_vault().await;
    for (number, answer, is_saved) in [
        (CHALLENGE, "reject", false),
        (CHALLENGE_THEN_DECLINED, "approve", false),
        (CHALLENGE, "approve", true),
    ] {
        let charge = world.saving_charge(SHOPPER).await;
        let body = card_to_save(&charge, SHOPPER, number);
        let waiting = send(world.press(&charge, "press-1", &body)).await;
        assert_eq!(waiting.status_code(), "waiting_for_shopper_action");
        assert!(world.cards_of(SHOPPER).await.is_empty(), "not while it waits");
        let url = waiting.body["shopper_action"]["url"].as_str().unwrap();
        let back = answer_challenge(url, answer).await;
        world.http.get(back).send().await.unwrap();
        let cards = world.cards_of(SHOPPER).await;
        assert_eq!(cards.len(), usize::from(is_saved), "{number} {answer}");
    }
    let store = &world.service.app.store;
    assert_eq!(store.cards_of_other_keys("", "", 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_declined_card_is_not_saved() {
    let world = World::with_vault().await;
    let charge = world.saving_charge(SHOPPER).await;
    let body = card_to_save(&charge, SHOPPER, "4000000000009995");
    assert_eq!(send(world.press(&charge, "press-1", &body)).await.status, 402);
    let held = world
        .service
        .app
        .store
        .cards_of_other_keys("", "", 10)
        .await
        .unwrap();
    assert!(held.is_empty(), "{held:?}");
}

#[tokio::test]
async fn a_pending_card_of_a_dead_process_is_settled_by_the_next_one() {
    let world = World::with_vault().await;
    let (paid, declined) = (
        world.saving_charge(SHOPPER).await,
        world.saving_charge(SHOPPER).await,
    );
    // Finishes the attempt in the database without the process that has the pending card.
    for (charge, number) in [(&paid, "4242424242424242"), (&declined, "5555555555554444")] {
        world.provider.set(LinkState::GarblesAnswers);
        let body = card_to_save(charge, SHOPPER, number);
        send(world.press(charge, "press-1", &body)).await;
    }
    let store = &world.service.app.store;
    let owner = CardOwner {
        partner_id: PARTNER_ID.into(),
        shopper_id: SHOPPER.into(),
    };
    let now = world.clock.now_ms();
    for attempt in store.abandoned_attempts(now, 10).await.unwrap() {
        let outcome = if attempt.charge_id == paid.id {
            store::AttemptOutcome::Succeeded("sim_1".into())
        } else {
            store::AttemptOutcome::Declined(protocol::DeclineCode::GenericDecline.into())
        };
        store.finish_attempt(&attempt, &outcome, &[], now).await.unwrap();
    }
    let first = store::CardRange { skip: 0, take: 10 };
    assert!(store.stored_cards(&owner, first).await.unwrap().is_empty());

    settle_abandoned_cards(&world.service.app.saved_cards)
        .await
        .unwrap();
    let cards = store.stored_cards(&owner, first).await.unwrap();
    assert_eq!(cards.len(), 1);
    assert_eq!(cards[0].card.last_four, "4242");
    assert!(store.attempts_to_settle(10).await.unwrap().is_empty());
    assert_eq!(store.cards_of_other_keys("", "", 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn without_a_vault_charges_are_paid_but_no_card_is_saved() {
    let world = World::new().await;
    let charge = world.saving_charge(SHOPPER).await;
    let intent = protocol::ChargeIntent::from_payload(&charge.payload).unwrap();
    assert_eq!(intent.enable_save_payment_method, Some(false));
    let body = card_to_save(&charge, SHOPPER, "4242424242424242");
    assert_eq!(send(world.press(&charge, "press-1", &body)).await.status, 201);
    assert!(world.cards_of(SHOPPER).await.is_empty());
}
