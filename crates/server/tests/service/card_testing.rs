//! Limits on attempts stop card testing: per charge, client address, card and merchant, over all nodes, until the
//! window ends.

use protocol::{CreatedCharge, SaveCardUsage, Sensitive};
use reqwest::Method;
use server::config::Settings;
use server::service::housekeeping::delete_old_data;

use crate::cards::{SHOPPER, card_to_save, id, ring, saved};
use crate::merchant_payments::with_card;
use crate::provider::LinkState;
use crate::world::{World, card, press_at, send};

const GOOD: &str = "4242424242424242";
const DECLINED: &str = "4000000000009995";

/// One limit; the others are off.
async fn limited(change: impl FnOnce(&mut Settings)) -> World {
    World::with(|settings| {
        let off = Some("off".parse().unwrap());
        settings.limit_per_charge = off;
        settings.limit_per_address = off;
        settings.limit_per_card = off;
        settings.limit_per_partner = off;
        settings.client_ip_header = Some("x-forwarded-for".into());
        change(settings);
    })
    .await
}

/// The limit of a card alone, with a vault, which cards need to be counted.
async fn limited_card(limit: &str) -> World {
    limited(|settings| {
        settings.limit_per_card = Some(limit.parse().unwrap());
        settings.vault_keys = Some(Sensitive::new(ring("test")));
    })
    .await
}

/// Presses from this address. Returns the status, and for a 429 how many seconds to wait.
async fn press(
    world: &World,
    charge: &CreatedCharge,
    key: &str,
    number: &str,
    address: &str,
) -> (u16, Option<u64>) {
    let request = world
        .press(charge, key, &card(charge, number))
        .header("x-forwarded-for", address);
    let answer = request.send().await.unwrap();
    let wait = answer
        .headers()
        .get("retry-after")
        .map(|wait| wait.to_str().unwrap().parse().unwrap());
    let status = answer.status().as_u16();
    if status == 429 {
        let body: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(body["error"]["code"], "too_many_requests");
    }
    (status, wait)
}

#[tokio::test]
async fn a_charges_attempts_per_window_are_limited() {
    let world = limited(|settings| settings.limit_per_charge = Some("2/600".parse().unwrap())).await;
    let charge = world.charge().await;
    let try_it = async |key: &str, number: &str| press(&world, &charge, key, number, "1.2.3.4").await;
    // The clock is at noon, when a window begins.
    world.clock.advance_ms(100_500);
    assert_eq!(try_it("a", DECLINED).await, (402, None));
    assert_eq!(try_it("b", DECLINED).await, (402, None));
    assert_eq!(try_it("c", GOOD).await, (429, Some(500)), "rounded up");
    assert_eq!(world.view(&charge.id).await["status"], "failed");
    assert_eq!(world.provider.asked(), 2);
    // The same press again is not a new attempt.
    assert_eq!(try_it("a", DECLINED).await, (402, None));
    let other = world.charge().await;
    assert_eq!(press(&world, &other, "a", DECLINED, "1.2.3.4").await.0, 402);
    world.clock.advance_ms(499_500);
    assert_eq!(try_it("c", GOOD).await, (201, None));
}

#[tokio::test]
async fn a_window_counts_over_all_nodes() {
    let world = limited(|settings| settings.limit_per_charge = Some("1/60".parse().unwrap())).await;
    let other = world.another_node().await;
    let charge = world.charge().await;
    assert_eq!(press(&world, &charge, "a", DECLINED, "1.2.3.4").await.0, 402);
    let request = press_at(&world.http, other.address, &charge, "b", &card(&charge, GOOD));
    assert_eq!(request.send().await.unwrap().status(), 429);
    other.stop().await;
}

#[tokio::test]
async fn a_client_address_is_limited_but_not_the_proxys_own() {
    let world = limited(|settings| settings.limit_per_address = Some("2/600".parse().unwrap())).await;
    let try_from = async |address: &str| press(&world, &world.charge().await, "a", GOOD, address).await.0;
    for (address, statuses) in [
        ("1.2.3.4", [201, 201, 429]),
        ("1.2.3.5", [201, 201, 429]),
        ("2606:4700:1:2::1", [201, 201, 429]),
        ("2606:4700:1:3::1", [201, 201, 429]),
        ("127.0.0.1", [201, 201, 201]),
        ("10.0.0.1", [201, 201, 201]),
    ] {
        for status in statuses {
            assert_eq!(try_from(address).await, status, "{address}");
        }
    }
    assert_eq!(try_from("2606:4700:1:2:ffff::9").await, 429, "the same network");
}

#[tokio::test]
async fn a_card_is_limited_over_all_charges_without_its_digest() {
    let world = limited_card("2/3600").await;
    let try_card = async |number: &str| {
        press(&world, &world.charge().await, "a", number, "1.2.3.4")
            .await
            .0
    };
    let statuses = [try_card(GOOD).await, try_card(GOOD).await, try_card(GOOD).await];
    assert_eq!(statuses, [201, 201, 429]);
    assert_eq!(try_card("5555555555554444").await, 201);
}

#[tokio::test]
async fn a_card_is_limited_over_all_shoppers_of_a_merchant() {
    let world = limited_card("2/3600").await;
    let try_card = async |shopper_id: &str| {
        let charge = world.saving_charge(shopper_id).await;
        send(world.press(&charge, "a", &card_to_save(&charge, shopper_id, GOOD)))
            .await
            .status
    };
    let statuses = [
        try_card("ana").await,
        try_card("ben").await,
        try_card("cem").await,
    ];
    assert_eq!(statuses, [201, 201, 429]);
}

#[tokio::test]
async fn a_saved_card_is_limited_over_all_charges() {
    let world = limited_card("2/3600").await;
    let card = world.save(SHOPPER, GOOD).await;
    let try_card = async || {
        let charge = world.saving_charge(SHOPPER).await;
        send(world.press(&charge, "a", &saved(&charge, SHOPPER, id(&card), "123")))
            .await
            .status
    };
    assert_eq!(
        [try_card().await, try_card().await, try_card().await],
        [201, 201, 429]
    );
}

#[tokio::test]
async fn a_merchant_is_limited_over_all_simultaneous_charges() {
    let world = limited(|settings| settings.limit_per_partner = Some("3/600".parse().unwrap())).await;
    world.provider.set(LinkState::HoldsAnswers);
    let mut presses = Vec::new();
    for number in 0..8 {
        let charge = world.charge().await;
        let request = world
            .press(&charge, "a", &card(&charge, GOOD))
            .header("x-forwarded-for", format!("1.2.3.{number}"));
        presses.push(tokio::spawn(async {
            request.send().await.unwrap().status().as_u16()
        }));
    }
    world.provider.arrived(3).await;
    world.provider.set(LinkState::Works);
    let mut statuses = Vec::new();
    for press in presses {
        statuses.push(press.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 201, 201, 429, 429, 429, 429, 429]);
    assert_eq!(world.provider.asked(), 3);
}

/// The merchant's server is no tester of cards, and its attempts do not lock out shoppers.
#[tokio::test]
async fn payments_without_the_shopper_do_not_count() {
    let two = || Some("2/86400".parse().unwrap());
    let world = limited(|settings| {
        settings.limit_per_partner = two();
        settings.limit_per_charge = two();
        settings.limit_per_card = two();
        settings.vault_keys = Some(Sensitive::new(ring("test")));
    })
    .await;
    let poor = world
        .save_card_for(SaveCardUsage::OffSession, "4000000000000341")
        .await;
    let charge = world.charge_of_shopper(SHOPPER).await;
    for key in ["a", "b", "c"] {
        let answer = world.pay_without_shopper(&charge, key, &with_card(&poor)).await;
        assert_eq!((answer.status, &answer.body["status"]), (200, &"failed".into()));
    }
    let mut shoppers = card(&charge, GOOD);
    shoppers["payment_method"]["shopper"] = serde_json::json!({ "id": SHOPPER });
    let paid = send(world.press(&charge, "a", &shoppers)).await;
    assert_eq!(paid.status_code(), "succeeded", "{paid:?}");
    let third = world.charge().await;
    assert_eq!(press(&world, &third, "a", GOOD, "1.2.3.4").await.0, 429);
}

#[tokio::test]
async fn attempt_limits_have_defaults_and_old_counts_are_deleted() {
    let world = World::with(|settings| settings.client_secret_lifetime_seconds = Some(86_400)).await;
    let charge = world.charge().await;
    for number in 0..20 {
        assert_eq!(
            world
                .pay(&charge, &format!("press-{number}"), DECLINED)
                .await
                .status,
            402
        );
    }
    let refused = world.pay(&charge, "press-20", GOOD).await;
    assert_eq!((refused.status, refused.code()), (429, "too_many_requests"));
    assert_eq!(delete_old_data(&world.service.app).await.unwrap(), 0);
    world.clock.advance_ms(3_600_001);
    assert!(delete_old_data(&world.service.app).await.unwrap() > 0);
    assert_eq!(world.pay(&charge, "press-20", GOOD).await.status, 201);
    let known = world.request(Method::GET, "/v1/pub/ip").send().await.unwrap();
    assert_eq!(known.text().await.unwrap(), "127.0.0.1");
}

/// A proxy that writes an invalid address must not switch the limit off.
#[tokio::test]
async fn attempts_from_unreadable_addresses_share_one_limit() {
    let world = limited(|settings| settings.limit_per_address = Some("2/600".parse().unwrap())).await;
    let charge = world.charge().await;
    for (key, address, status) in [
        ("a", "unknown", 402),
        ("b", "_hidden", 402),
        ("c", "1.2.3.4.5", 429),
        ("d", "1.2.3.4:51234", 402),
        ("e", "1.2.3.4:51235", 402),
        ("f", "1.2.3.4", 429),
    ] {
        let answer = press(&world, &charge, key, DECLINED, address).await;
        assert_eq!(answer.0, status, "{address}");
    }
}
