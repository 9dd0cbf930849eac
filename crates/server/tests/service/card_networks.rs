//! The networks of a card: looked up by eight digits, chosen by the shopper, checked again, sent and stored.

use std::io::Write as _;

use protocol::CreatedCharge;
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::cards::{SHOPPER, card_to_save, id, saved};
use crate::process::{complaint, run};
use crate::provider::LinkState;
use crate::world::{Answer, SECRET_KEY, World, card, send};

const CB_VISA: &str = "4000002500001001";

async fn networks(world: &World, charge: &CreatedCharge, prefix: &str) -> Answer {
    let request = world.request(Method::POST, "/v1/pub/card-networks");
    let request = request.bearer_auth(&charge.client_secret);
    send(request.json(&json!({ "prefix": prefix }))).await
}

/// The direct charge of a new card with this network.
fn over(charge: &CreatedCharge, number: &str, network: &str) -> Value {
    let mut body = card(charge, number);
    body["payment_method"]["card"]["network"] = json!(network);
    body
}

fn file_with(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

#[tokio::test]
async fn networks_are_looked_up_by_eight_digits() {
    let world = World::new().await;
    let charge = world.charge().await;
    let answer = networks(&world, &charge, "40000025").await;
    assert_eq!(
        (answer.status, answer.body),
        (
            200,
            json!({"ranges": [{"length": 16, "networks": ["cb", "visa"]}]})
        )
    );
    assert_eq!(
        networks(&world, &charge, "42424242").await.body,
        json!({"ranges": []})
    );
    for wrong in ["", "4000002", "400000250", "4000002x", CB_VISA, "٤٠٠٠"] {
        let refused = networks(&world, &charge, wrong).await;
        assert_eq!(
            (refused.status, refused.code(), refused.field()),
            (400, "invalid_request", "prefix"),
            "{wrong}"
        );
    }
    let nobody = world.request(Method::POST, "/v1/pub/card-networks");
    let refused = send(nobody.json(&json!({"prefix": "40000025"}))).await;
    assert_eq!((refused.status, refused.code()), (401, "client_secret_missing"));
    assert_eq!(world.provider.asked(), 0);
}

#[tokio::test]
async fn look_ups_for_one_charge_are_limited() {
    let world = World::new().await;
    let charge = world.charge().await;
    for at in 0..20 {
        let prefix = format!("400000{at:02}");
        assert_eq!(networks(&world, &charge, &prefix).await.status, 200);
    }
    let refused = networks(&world, &charge, "40000025").await;
    assert_eq!((refused.status, refused.code()), (429, "too_many_requests"));
    let other = world.charge().await;
    assert_eq!(networks(&world, &other, "40000025").await.status, 200);
    world.clock.advance_ms(60_000);
    assert_eq!(networks(&world, &charge, "40000025").await.status, 200);
}

#[tokio::test]
async fn the_chosen_network_carries_the_payment() {
    let world = World::new().await;
    for (number, chosen) in [
        (CB_VISA, "cb"),
        (CB_VISA, "visa"),
        ("4571000000000001", "dankort"),
        ("4464040000000007", "mada"),
        ("6703444444444449", "bancontact"),
        ("4000050360000001", "eftpos"),
    ] {
        let charge = world.charge().await;
        let paid = send(world.press(&charge, "press-1", &over(&charge, number, chosen))).await;
        assert_eq!(paid.status_code(), "succeeded", "{number}: {paid:?}");
        let view = world.view(&charge.id).await;
        assert_eq!(view["paid_with"]["network"], chosen, "{number}");
        assert_eq!(world.shopper_view(&charge).await["paid_with"]["brand"], chosen);
        let entries = world.provider.simulator.ledger.entries();
        let entry = entries.last().unwrap();
        assert_eq!(entry.asked.facts.network.as_deref(), Some(chosen));
    }
    // Without a choice the provider decides.
    let charge = world.charge().await;
    assert_eq!(world.pay(&charge, "press-1", CB_VISA).await.status, 201);
    let card = &world.view(&charge.id).await["paid_with"];
    assert_eq!(
        (&card["brand"], &card["network"]),
        (&json!("visa"), &json!("visa"))
    );
}

#[tokio::test]
async fn a_network_that_the_number_does_not_have_is_refused() {
    let world = World::new().await;
    for (number, network) in [
        (CB_VISA, "mastercard"),
        (CB_VISA, "mada"),
        ("4242424242424242", "cb"),
        ("4242424242424242", "visa"),
    ] {
        let charge = world.charge().await;
        let refused = send(world.press(&charge, "press-1", &over(&charge, number, network))).await;
        assert_eq!(
            (refused.status, refused.code(), refused.field()),
            (422, "network_unavailable", "payment_method.card.network"),
            "{number} {network}"
        );
        assert_eq!(world.view(&charge.id).await["status"], "created");
    }
    let charge = world.charge().await;
    let unknown = send(world.press(&charge, "press-1", &over(&charge, CB_VISA, "network-x"))).await;
    assert_eq!((unknown.status, unknown.code()), (400, "invalid_request"));
    assert_eq!(world.provider.asked(), 0);
}

#[tokio::test]
async fn a_lost_answer_still_tells_the_network() {
    let world = World::new().await;
    let charge = world.charge().await;
    world.provider.set(LinkState::GarblesAnswers);
    let lost = send(world.press(&charge, "press-1", &over(&charge, CB_VISA, "cb"))).await;
    assert_eq!(lost.status_code(), "outcome_unknown", "{lost:?}");
    world.provider.set(LinkState::Works);
    payments::charges::reconciler::reconcile(&world.service.app.charges)
        .await
        .unwrap();
    assert_eq!(world.view(&charge.id).await["paid_with"]["network"], "cb");
}

#[tokio::test]
async fn a_saved_card_keeps_its_network_until_it_is_changed() {
    let world = World::with_vault().await;
    let charge = world.saving_charge(SHOPPER).await;
    let mut body = card_to_save(&charge, SHOPPER, CB_VISA);
    body["payment_method"]["card"]["network"] = json!("cb");
    let paid = send(world.press(&charge, "press-1", &body)).await;
    assert_eq!(paid.status_code(), "succeeded", "{paid:?}");
    let listed = world.cards_of(SHOPPER).await[0].clone();
    assert_eq!(
        (&listed["networks"], &listed["network"], &listed["brand"]),
        (&json!(["cb", "visa"]), &json!("cb"), &json!("visa"))
    );

    let path = format!("/v1/payment-methods/{}", id(&listed));
    let of_merchant = send(world.request(Method::GET, &path).bearer_auth(SECRET_KEY))
        .await
        .body;
    assert_eq!(
        (&of_merchant["networks"], &of_merchant["network"]),
        (&json!(["cb", "visa"]), &json!("cb"))
    );

    let pay = async |network: Option<&str>| {
        let charge = world.saving_charge(SHOPPER).await;
        let mut body = saved(&charge, SHOPPER, id(&listed), "123");
        if let Some(network) = network {
            body["payment_method"]["card"]["network"] = json!(network);
        }
        let answer = send(world.press(&charge, "press-1", &body)).await;
        (
            answer,
            world.view(&charge.id).await["paid_with"]["network"].clone(),
        )
    };
    assert_eq!(pay(None).await.1, "cb");
    assert_eq!(pay(Some("visa")).await.1, "visa");
    assert_eq!(world.cards_of(SHOPPER).await[0]["network"], "visa");
    assert_eq!(pay(None).await.1, "visa");
    let (refused, _) = pay(Some("mastercard")).await;
    assert_eq!((refused.status, refused.code()), (422, "network_unavailable"));
    assert_eq!(world.cards_of(SHOPPER).await[0]["network"], "visa");
    // Without networks of its own a saved card has no choice.
    let plain = world.save("shopper-8", "4242424242424242").await;
    assert_eq!(
        (&plain["networks"], &plain["network"]),
        (&json!([]), &Value::Null)
    );
}

#[tokio::test]
async fn a_card_saved_again_gets_the_new_network() {
    let world = World::with_vault().await;
    for network in ["cb", "visa"] {
        let charge = world.saving_charge(SHOPPER).await;
        let mut body = card_to_save(&charge, SHOPPER, CB_VISA);
        body["payment_method"]["card"]["network"] = json!(network);
        let paid = send(world.press(&charge, "press-1", &body)).await;
        assert_eq!(paid.status_code(), "succeeded", "{paid:?}");
        let cards = world.cards_of(SHOPPER).await;
        assert_eq!((cards.len(), &cards[0]["network"]), (1, &json!(network)));
    }
}

#[tokio::test]
async fn a_payment_without_the_shopper_uses_the_stored_network() {
    let world = World::with_vault().await;
    let mut fields = crate::world::new_charge();
    fields["shopper_id"] = json!(SHOPPER);
    fields["save_card_usage"] = json!("off_session");
    for flag in [
        "enable_save_payment_method",
        "display_saved_payment_method_list",
        "eligible_save_payment_methods",
    ] {
        fields[flag] = json!(true);
    }
    let charge: CreatedCharge = serde_json::from_value(world.create(&fields, None).await.body).unwrap();
    let mut body = card_to_save(&charge, SHOPPER, CB_VISA);
    body["payment_method"]["card"]["network"] = json!("cb");
    assert_eq!(send(world.press(&charge, "press-1", &body)).await.status, 201);
    let pm = world.cards_of(SHOPPER).await[0]["payment_method_id"].clone();

    let charge = world.saving_charge(SHOPPER).await;
    let path = format!("/v1/charges/{}/pay", charge.id);
    let request = world.request(Method::POST, &path).bearer_auth(SECRET_KEY);
    let body = json!({"payment_method_id": pm, "initiated_by": "merchant", "reason": "recurring"});
    let paid = send(request.header("idempotency-key", "k-1").json(&body)).await;
    assert_eq!(paid.status, 200, "{paid:?}");
    assert_eq!(paid.body["paid_with"]["network"], "cb");
}

#[tokio::test]
async fn the_operators_file_replaces_the_shipped_ranges() {
    let file = file_with("# ours\n42424242,16,mada visa\n");
    let world = World::with(|settings| settings.card_networks_file = Some(file.path().into())).await;
    let charge = world.charge().await;
    assert_eq!(
        networks(&world, &charge, "42424242").await.body["ranges"][0]["networks"],
        json!(["mada", "visa"])
    );
    assert_eq!(
        networks(&world, &charge, "40000025").await.body["ranges"],
        json!([])
    );
    let paid = send(world.press(&charge, "press-1", &over(&charge, "4242424242424242", "mada"))).await;
    assert_eq!(paid.status_code(), "succeeded", "{paid:?}");
}

#[test]
fn a_wrong_line_of_the_file_stops_the_start() {
    let file = file_with("# ours\n42424242,16,mada visa\n4242,11,cb visa\n");
    let path = file.path().display().to_string();
    let serve = "serve --listen 127.0.0.1:0 --provider-url http://127.0.0.1:9 --card-networks-file";
    let arguments: Vec<&str> = serve.split(' ').chain([path.as_str()]).collect();
    let folder = tempfile::tempdir().unwrap();
    let said = complaint(&run(folder.path(), &arguments));
    assert!(
        said.contains(&format!("{path}, line 3: the length must be 12 to 19")),
        "{said}"
    );
    let said = complaint(&run(
        folder.path(),
        &[&arguments[..arguments.len() - 1], &["/nowhere"]].concat(),
    ));
    assert!(said.contains("card_networks_file /nowhere"), "{said}");
}
