//! A shopper pays, or pays after a decline, and the merchant sees the same outcome.

use demo::simulator::cards::TEST_CARDS;
use protocol::{ChargeIntent, CreatedCharge, DeclineCode};
use reqwest::Method;
use serde_json::json;

use crate::world::{PARTNER_ID, SECRET_KEY, World, card, send};

#[tokio::test]
async fn every_test_card_has_the_outcome_of_its_table() {
    let world = World::new().await;
    let unchallenged = || {
        TEST_CARDS
            .iter()
            .filter(|card| !card.challenge && !card.soft_decline)
    };
    for test_card in unchallenged() {
        let charge = world.charge().await;
        let answer = world.pay(&charge, "press-1", test_card.number).await;
        let view = world.view(&charge.id).await;
        match test_card.decline {
            None => {
                assert_eq!(answer.status, 201, "{} {answer:?}", test_card.label());
                assert_eq!(
                    answer.body,
                    json!({"status_code": "succeeded", "shopper_action": null})
                );
                assert_eq!(view["status"], "succeeded");
                assert!(view["decline_code"].is_null());
            }
            Some(code) => {
                assert_eq!(answer.status, 402, "{} {answer:?}", test_card.label());
                assert_eq!(answer.body, serde_json::to_value(code.body()).unwrap());
                assert_eq!(view["status"], "failed");
                assert_eq!(view["decline_code"], code.as_str());
            }
        }
    }
    assert_eq!(world.provider.outcomes().len(), unchallenged().count());
}

#[tokio::test]
async fn after_a_decline_another_card_pays_and_there_is_one_approval() {
    let world = World::new().await;
    let charge = world.charge().await;
    let declined = world.pay(&charge, "press-1", "4000000000009995").await;
    assert_eq!(
        declined.body["decline_code"],
        DeclineCode::InsufficientFunds.as_str()
    );
    let paid = world.pay(&charge, "press-2", "5555555555554444").await;
    assert_eq!((paid.status, paid.status_code()), (201, "succeeded"));
    assert_eq!(world.provider.approvals(), 1);
    let entry = &world.provider.simulator.ledger.entries()[1];
    assert_eq!(
        (
            entry.asked.charge_id.as_str(),
            entry.asked.amount_value.as_str(),
            entry.asked.amount_currency.as_str()
        ),
        (charge.id.as_str(), "12.50", "USD")
    );
}

#[tokio::test]
async fn the_shoppers_page_sees_its_charges_status() {
    let world = World::new().await;
    let charge = world.charge().await;
    let get_charge = || {
        let request = world.request(Method::GET, &format!("/v1/pub/charges/{}", charge.id));
        send(request.bearer_auth(&charge.client_secret))
    };
    let body = |status: &str, decline: Option<&str>| json!({"id": charge.id, "status": status, "decline_code": decline, "return_url": null, "shopper_action": null});
    assert_eq!(get_charge().await.body, body("created", None));
    world.pay(&charge, "press-1", "4000000000000127").await;
    assert_eq!(get_charge().await.body, body("failed", Some("incorrect_cvc")));
    world.pay(&charge, "press-2", "4242424242424242").await;
    // The parts of the card that a receipt shows.
    let mut paid = body("succeeded", None);
    paid["paid_with"] = json!({"brand": "visa", "last_four": "4242"});
    assert_eq!(get_charge().await.body, paid);
}

#[tokio::test]
async fn a_fresh_client_secret_pays_when_the_first_has_expired() {
    let world = World::new().await;
    let charge = world.charge().await;
    world.clock.advance_ms(3_600_000);
    let late = world.pay(&charge, "press-1", "4242424242424242").await;
    assert_eq!((late.status, late.code()), (401, "client_secret_expired"));
    let path = format!("/v1/charges/{}/client-secret", charge.id);
    let fresh = send(world.request(Method::POST, &path).bearer_auth(SECRET_KEY)).await;
    assert_eq!(fresh.status, 201, "{fresh:?}");
    let fresh: CreatedCharge = serde_json::from_value(fresh.body).unwrap();
    assert_eq!(world.pay(&fresh, "press-1", "4242424242424242").await.status, 201);
}

#[tokio::test]
async fn an_expired_client_secret_still_reads_the_outcome_but_pays_nothing() {
    let world = World::new().await;
    let charge = world.charge().await;
    let path = format!("/v1/pub/charges/{}", charge.id);
    let look = || {
        send(
            world
                .request(Method::GET, &path)
                .bearer_auth(&charge.client_secret),
        )
    };
    world.pay(&charge, "press-1", "4000000000000127").await;
    world.clock.advance_ms(3_600_000);
    assert_eq!(look().await.body["status"], "failed");
    let late = world.pay(&charge, "press-2", "4242424242424242").await;
    assert_eq!((late.status, late.code()), (401, "client_secret_expired"));
    let fresh = format!("/v1/charges/{}/client-secret", charge.id);
    let fresh = send(world.request(Method::POST, &fresh).bearer_auth(SECRET_KEY)).await;
    let fresh: CreatedCharge = serde_json::from_value(fresh.body).unwrap();
    world.pay(&fresh, "press-2", "4242424242424242").await;
    assert_eq!(look().await.body["status"], "succeeded");
    // A signature that is wrong reads nothing.
    let forged = format!("{}x", charge.client_secret);
    let answer = send(world.request(Method::GET, &path).bearer_auth(forged)).await;
    assert_eq!((answer.status, answer.code()), (401, "client_secret_invalid"));
}

#[tokio::test]
async fn a_shopper_with_an_id_is_sent_by_id_alone() {
    let world = World::new().await;
    let charge = world.charge_of_shopper("shopper-7").await;
    let mut body = card(&charge, "4242424242424242");
    body["payment_method"]["shopper"] = json!({"id": "shopper-7"});
    assert_eq!(send(world.press(&charge, "press-1", &body)).await.status, 201);
}

#[tokio::test]
async fn without_a_vault_no_saved_card_is_found() {
    let world = World::new().await;
    let charge = world.charge_of_shopper("shopper-7").await;
    let mut body = card(&charge, "4242424242424242");
    body["user_initiated"] = json!(true);
    body["payment_method"] =
        json!({"id": "pm_1", "type": "card", "shopper_id": "shopper-7", "card": {"security_code": "123"}});
    let answer = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!((answer.status, answer.code()), (404, "payment_method_not_found"));
    assert_eq!(world.provider.asked(), 0);
}

/// A merchant may send the address by e-mail: it holds nothing that runs out before the charge.
#[tokio::test]
async fn a_link_gets_client_secrets_as_long_as_its_charge_lives() {
    let world = World::new().await;
    let charge = world.charge().await;
    let (_, link) = charge.url.split_once("#link=").unwrap();
    let path = format!("/v1/pub/charges/{}/client-secret", charge.id);
    let open = async |link: &str| send(world.request(Method::POST, &path).bearer_auth(link)).await;
    // The first client secret has run out since.
    world.clock.advance_ms(23 * 3_600_000);
    let expired = send(
        world
            .request(Method::GET, &format!("/v1/pub/charges/{}", charge.id))
            .bearer_auth(&charge.client_secret),
    );
    assert_eq!(expired.await.code(), "client_secret_expired");
    let opened = open(link).await;
    assert_eq!(opened.status, 201);
    let secret = opened.body["client_secret"].as_str().unwrap().to_owned();
    let fresh = CreatedCharge {
        client_secret: secret,
        ..charge.clone()
    };
    let paid = send(world.press(&fresh, "press-1", &card(&fresh, "4242424242424242"))).await;
    assert_eq!((paid.status, world.provider.asked()), (201, 1));

    // The link itself pays nothing, a client secret is no link, and another charge's link opens nothing.
    let as_secret = CreatedCharge {
        client_secret: link.to_owned(),
        ..charge.clone()
    };
    let refused = send(world.press(&as_secret, "press-2", &card(&as_secret, "4242424242424242"))).await;
    assert_eq!((refused.status, refused.code()), (401, "client_secret_invalid"));
    assert_eq!(open(&charge.client_secret).await.code(), "client_secret_invalid");
    let other = world.charge().await;
    let (_, others) = other.url.split_once("#link=").unwrap();
    assert_eq!(open(others).await.code(), "charge_mismatch");
    // Somebody who found the link cannot make client secrets without end.
    let mut last = open(link).await;
    for _ in 0..60 {
        last = open(link).await;
    }
    assert_eq!((last.status, last.code()), (429, "too_many_requests"));
}

#[tokio::test]
async fn the_url_opens_the_charge_and_keeps_its_link_in_the_fragment() {
    let world = World::new().await;
    let charge = world.charge().await;
    let (page, fragment) = charge.url.split_once('#').unwrap();
    assert_eq!(page, world.url(&format!("/?payload={}", charge.payload)));
    assert!(fragment.starts_with("link="), "{fragment}");
    assert_eq!(charge.expires_at, "2026-07-15T13:00:00Z");
    let intent = ChargeIntent::from_payload(&charge.payload).unwrap();
    assert_eq!(
        (intent.charge_id, intent.partner_id),
        (charge.id, PARTNER_ID.to_owned())
    );
    assert_eq!(
        (intent.item_name.as_str(), intent.amount_value.as_str()),
        ("100 gems ✨", "12.50")
    );
    assert_eq!(intent.payment_method_country_code, "US");
    assert!(intent.user_initiated);
}

#[tokio::test]
async fn the_clients_address_is_answered_as_text() {
    let world = World::new().await;
    let answer = send(world.request(Method::GET, "/v1/pub/ip")).await;
    assert_eq!((answer.status, answer.body), (200, json!("127.0.0.1")));
    // Only the header that the operator named is used.
    let claimed = world
        .request(Method::GET, "/v1/pub/ip")
        .header("x-forwarded-for", "203.0.113.7");
    assert_eq!(send(claimed).await.body, json!("127.0.0.1"));
}

#[tokio::test]
async fn behind_a_proxy_the_proxys_header_gives_the_address() {
    let world = World::with(|settings| settings.client_ip_header = Some("x-forwarded-for".into())).await;
    for (told, seen) in [
        ("203.0.113.7", "203.0.113.7"),
        ("198.51.100.1, 203.0.113.7", "203.0.113.7"),
        ("2001:db8::1", "2001:db8::1"),
        ("203.0.113.7:51234", "203.0.113.7"),
        ("nonsense", ""),
    ] {
        let request = world
            .request(Method::GET, "/v1/pub/ip")
            .header("x-forwarded-for", told);
        assert_eq!(send(request).await.body, json!(seen), "{told}");
    }
}

#[tokio::test]
async fn an_address_header_that_is_not_the_proxys_is_ignored() {
    let world = World::with(|settings| {
        settings.client_ip_header = Some("x-forwarded-for".into());
        settings.client_ip_proxies = Some("192.0.2.0/24, 2001:db8::/32".into());
    })
    .await;
    let request = world
        .request(Method::GET, "/v1/pub/ip")
        .header("x-forwarded-for", "203.0.113.7");
    assert_eq!(send(request).await.body, json!("127.0.0.1"));
}
