//! A saved card pays with its security code, for its own shopper, until it expires or is removed.

use protocol::CreatedCharge;
use reqwest::Method;
use serde_json::{Value, json};
use store::Actor;

use crate::cards::{SHOPPER, card_to_save, id, saved};
use crate::challenges::{CHALLENGE, answer_challenge};
use crate::world::{Answer, SECRET_KEY, World, card, new_charge, send};

#[tokio::test]
async fn a_saved_card_pays() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, "4242424242424242").await;
    let charge = world.saving_charge(SHOPPER).await;
    let answer = send(world.press(&charge, "press-1", &saved(&charge, SHOPPER, id(&card), "123"))).await;
    assert_eq!(
        (answer.status, answer.status_code()),
        (201, "succeeded"),
        "{answer:?}"
    );
    assert_eq!(world.provider.approvals(), 2);
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
}

#[tokio::test]
async fn the_provider_gets_the_number_that_was_saved() {
    let world = World::with_vault().await;
    // The simulator approves only its own card numbers.
    for (number, code) in [("378282246310005", "1234"), ("6205500000000000004", "123")] {
        let card = world.save(SHOPPER, number).await;
        let charge = world.saving_charge(SHOPPER).await;
        let answer = send(world.press(&charge, "press-1", &saved(&charge, SHOPPER, id(&card), code))).await;
        assert_eq!(answer.status_code(), "succeeded", "{number}: {answer:?}");
    }
}

#[tokio::test]
async fn a_removed_card_cannot_pay_or_be_removed_again() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, "4242424242424242").await;
    let charge = world.saving_charge(SHOPPER).await;
    assert_eq!(world.remove(&charge, id(&card), SHOPPER).await.status, 204);
    assert!(world.cards_of(SHOPPER).await.is_empty());

    let again = world.remove(&charge, id(&card), SHOPPER).await;
    assert_eq!((again.status, again.code()), (404, "payment_method_not_found"));
    let asked = world.provider.asked();
    let answer = send(world.press(&charge, "press-1", &saved(&charge, SHOPPER, id(&card), "123"))).await;
    assert_eq!((answer.status, answer.code()), (404, "payment_method_not_found"));
    assert_eq!(answer.field(), "payment_method.id");
    assert_eq!(world.provider.asked(), asked);

    // The same card can be saved again, as a new card.
    let fresh = world.save(SHOPPER, "4242424242424242").await;
    assert_ne!(id(&fresh), id(&card));
}

#[tokio::test]
async fn an_expired_saved_card_cannot_pay() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, "4242424242424242").await;
    // Moves the clock from July 2026 past December 2030.
    world.clock.advance_ms(5 * 365 * 24 * 3_600_000);
    let charge = world.saving_charge(SHOPPER).await;
    let answer = send(world.press(&charge, "press-1", &saved(&charge, SHOPPER, id(&card), "123"))).await;
    assert_eq!(
        (answer.status, answer.code()),
        (404, "payment_method_not_found"),
        "{answer:?}"
    );
    assert_eq!(answer.body["error"]["field"], "payment_method.id");
    assert_eq!(world.cards_of(SHOPPER).await.len(), 1, "it can still be removed");
}

/// The body that pays with a saved card and gives it a new date.
fn renewed(charge: &CreatedCharge, id: &str, month: &str, year: &str) -> Value {
    let mut body = saved(charge, SHOPPER, id, "123");
    let card = &mut body["payment_method"]["card"];
    card["expiration_month"] = json!(month);
    card["expiration_year"] = json!(year);
    body
}

/// The dates of the shopper's only card, as the page and the merchant see them.
async fn dates(world: &World) -> [String; 2] {
    let of = |card: &Value| {
        let part = |name: &str| card[name].as_str().unwrap().to_owned();
        part("expiration_month") + "/" + &part("expiration_year")
    };
    let path = format!("/v1/shoppers/{SHOPPER}/payment-methods");
    let request = world.request(Method::GET, &path).bearer_auth(SECRET_KEY);
    let listed = send(request).await.body;
    [of(&world.cards_of(SHOPPER).await[0]), of(&listed["items"][0])]
}

#[tokio::test]
async fn an_expired_card_pays_with_its_new_date_and_keeps_it() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, "4242424242424242").await;
    world.clock.advance_ms(5 * 365 * 24 * 3_600_000);
    let charge = world.saving_charge(SHOPPER).await;
    let opened = || async {
        world
            .service
            .app
            .store
            .audit_lines(None, 100)
            .await
            .unwrap()
            .len()
    };
    let before = opened().await;
    for (month, year, field) in [
        ("06", "2031", "expiration_year"),
        ("13", "2033", "expiration_month"),
        ("", "2033", "expiration_month"),
        ("01", "", "expiration_year"),
        ("01", "2099", "expiration_year"),
    ] {
        let answer = send(world.press(&charge, "press-1", &renewed(&charge, id(&card), month, year))).await;
        assert_eq!(
            (answer.status, answer.code(), answer.field()),
            (422, "invalid_card", &*format!("payment_method.card.{field}")),
            "{month}/{year}"
        );
    }
    assert_eq!(opened().await, before, "no card was opened");
    let paid = send(world.press(&charge, "press-1", &renewed(&charge, id(&card), "03", "2033"))).await;
    assert_eq!((paid.status, paid.status_code()), (201, "succeeded"), "{paid:?}");
    assert_eq!(dates(&world).await, ["03/2033", "03/2033"]);
    let cards = world.cards_of(SHOPPER).await;
    assert_eq!((cards.len(), id(&cards[0])), (1, id(&card)));

    // From now on the code is enough.
    let next = world.saving_charge(SHOPPER).await;
    let again = send(world.press(&next, "press-1", &saved(&next, SHOPPER, id(&card), "123"))).await;
    assert_eq!(again.status_code(), "succeeded", "{again:?}");
}

#[tokio::test]
async fn a_card_whose_renewal_is_declined_keeps_its_date() {
    let world = World::with_vault().await;
    let charge = world.saving_charge(SHOPPER).await;
    let saving = send(world.press(&charge, "press-1", &card_to_save(&charge, SHOPPER, CHALLENGE))).await;
    answered(&world, &saving, "approve").await;
    assert_eq!(seen(&world, &charge).await, "succeeded");
    let card = id(&world.cards_of(SHOPPER).await[0]).to_owned();
    for (answer, status, date) in [
        ("reject", "failed", "12/2030"),
        ("approve", "succeeded", "03/2033"),
    ] {
        let charge = world.saving_charge(SHOPPER).await;
        let waiting = send(world.press(&charge, "press-1", &renewed(&charge, &card, "03", "2033"))).await;
        assert_eq!(waiting.status_code(), "waiting_for_shopper_action", "{waiting:?}");
        assert_eq!(dates(&world).await, ["12/2030", "12/2030"]);
        answered(&world, &waiting, answer).await;
        assert_eq!(seen(&world, &charge).await, status);
        assert_eq!(dates(&world).await, [date, date]);
    }
}

/// The shopper answers the challenge of this press and comes back.
async fn answered(world: &World, press: &Answer, answer: &str) {
    let url = press.body["shopper_action"]["url"].as_str().unwrap();
    let back = answer_challenge(url, answer).await;
    assert_eq!(world.http.get(back).send().await.unwrap().status(), 200);
}

/// The status that the shopper's page sees.
async fn seen(world: &World, charge: &CreatedCharge) -> String {
    let path = format!("/v1/pub/charges/{}", charge.id);
    let request = world
        .request(Method::GET, &path)
        .bearer_auth(&charge.client_secret);
    send(request).await.body["status"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_security_code_is_checked_for_the_saved_brand() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, "378282246310005").await;
    let charge = world.saving_charge(SHOPPER).await;
    for (code, reason) in [
        ("123", "CardSecurityCode_IncompleteSecurityCode"),
        ("", "CardSecurityCode_EmptySecurityCode"),
        ("12x4", "CardSecurityCode_ContainsNonNumber"),
    ] {
        let answer = send(world.press(&charge, "press-1", &saved(&charge, SHOPPER, id(&card), code))).await;
        assert_eq!((answer.status, answer.code()), (422, "invalid_card"), "{code}");
        assert_eq!(answer.field(), "payment_method.card.security_code");
        assert_eq!(answer.body["error"]["reason"], reason);
    }
}

#[tokio::test]
async fn a_card_is_saved_or_new_and_not_both() {
    let world = World::with_vault().await;
    let saved_card = world.save(SHOPPER, "4242424242424242").await;
    let charge = world.saving_charge(SHOPPER).await;
    let mut body = saved(&charge, SHOPPER, id(&saved_card), "123");
    body["payment_method"]["card"]["number"] = json!("5555555555554444");
    let answer = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!(
        (answer.status, answer.field()),
        (400, "payment_method.card.number")
    );
}

#[tokio::test]
async fn a_guest_has_no_saved_cards() {
    let world = World::with_vault().await;
    let theirs = world.save(SHOPPER, "4242424242424242").await;
    let charge = world.charge().await;
    let mut body = saved(&charge, "", id(&theirs), "123");
    for shopper in [json!(""), json!(null)] {
        body["payment_method"]["shopper_id"] = shopper;
        let answer = send(world.press(&charge, "press-1", &body)).await;
        assert_eq!((answer.status, answer.code()), (404, "payment_method_not_found"));
    }
    for shopper in ["", "%20", SHOPPER] {
        let answer = world.list(&charge, shopper, "").await;
        assert!([403, 404].contains(&answer.status), "{shopper:?} {answer:?}");
        assert_eq!(world.remove(&charge, id(&theirs), shopper).await.status, 403);
    }
    assert_eq!(
        send(world.press(&charge, "press-1", &card(&charge, "4242424242424242")))
            .await
            .status,
        201
    );
}

#[tokio::test]
async fn a_sealed_number_moved_to_another_card_cannot_pay() {
    let world = World::with_vault().await;
    let mine = world.save(SHOPPER, "4242424242424242").await;
    let theirs = world.save("shopper-8", "5555555555554444").await;
    let store = &world.service.app.store;
    let all = store.cards_of_other_keys("", "", 10).await.unwrap();
    let of = |card| all.iter().find(|row| row.id == id(card)).unwrap();
    let swapped = store::RewrappedCard {
        before: of(&mine).clone(),
        sealed: of(&theirs).sealed.clone(),
        fingerprint: "another".into(),
    };
    store.rewrap_cards(&[swapped], &Actor::service(0)).await.unwrap();

    let charge = world.saving_charge(SHOPPER).await;
    let asked = world.provider.asked();
    let answer = send(world.press(&charge, "press-1", &saved(&charge, SHOPPER, id(&mine), "123"))).await;
    assert_eq!((answer.status, answer.code()), (404, "payment_method_not_found"));
    assert_eq!(world.provider.asked(), asked);
}

#[tokio::test]
async fn saved_cards_need_a_charge_that_offers_them() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, "4242424242424242").await;
    let refused = async |charge: &CreatedCharge| {
        let list = world.list(charge, SHOPPER, "").await;
        let remove = world.remove(charge, id(&card), SHOPPER).await;
        for answer in [list, remove] {
            assert_eq!((answer.status, answer.code()), (403, "saved_cards_not_offered"));
        }
    };
    let unpayable = async |charge: &CreatedCharge| {
        let asked = world.provider.asked();
        let pay = send(world.press(charge, "press-1", &saved(charge, SHOPPER, id(&card), "123"))).await;
        assert_eq!((pay.status, pay.code()), (403, "saved_cards_not_offered"));
        assert_eq!(world.provider.asked(), asked);
    };
    // Without both flags, then with one of them.
    let none = world.charge_of_shopper(SHOPPER).await;
    refused(&none).await;
    unpayable(&none).await;
    for flag in [
        "display_saved_payment_method_list",
        "eligible_save_payment_methods",
    ] {
        let mut body = new_charge();
        body["shopper_id"] = json!(SHOPPER);
        body[flag] = json!(true);
        let created = world.create(&body, None).await.body;
        let charge = serde_json::from_value(created).unwrap();
        refused(&charge).await;
        unpayable(&charge).await;
    }
    // A charge that is over: paid, canceled.
    let paid = world.saving_charge(SHOPPER).await;
    let body = saved(&paid, SHOPPER, id(&card), "123");
    assert_eq!(send(world.press(&paid, "press-1", &body)).await.status, 201);
    refused(&paid).await;
    let canceled = world.saving_charge(SHOPPER).await;
    let cancel = world
        .request(Method::POST, &format!("/v1/charges/{}/cancel", canceled.id))
        .bearer_auth(SECRET_KEY);
    assert_eq!(send(cancel).await.status, 200);
    refused(&canceled).await;
    assert_eq!(world.cards_of(SHOPPER).await, std::slice::from_ref(&card));
}
