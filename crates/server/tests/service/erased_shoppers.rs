//! A merchant erases a shopper: no name, address or card is left in the database's files or in a backup, and the sums stay.

use std::path::Path;

use protocol::CreatedCharge;
use reqwest::Method;
use serde_json::{Value, json};

use crate::cards::card_to_save;
use crate::challenges::{CHALLENGE, answer_challenge};
use crate::memory::contains;
use crate::process::run;
use crate::provider::LinkState;
use crate::webhooks::endpoint_for;
use crate::world::{Answer, PARTNER_ID, SECRET_KEY, World, new_charge, send};

/// Words that stand for one shopper and for nobody else.
const SHOPPER: &str = "shopper-erika-4711";
const EMAIL: &str = "erika4711@example.com";
const HOLDER: &str = "ERIKA MUSTERMANN";
const NICKNAME: &str = "Erika's blue card";
const NUMBER: &str = "4000000000003055";
const LAST_FOUR: &str = "3055";

/// Fields of a charge that name the shopper, with their values.
const FIELDS: [(&str, &str); 7] = [
    ("shopper_id", SHOPPER),
    ("shopper_email", EMAIL),
    ("zip_code", "04711"),
    ("partner_shopper_id", "crm-erika-4711"),
    ("partner_custom_data", r#"{"note":"erika-4711"}"#),
    ("return_url", "https://shop.example/thanks?erika-4711"),
    ("cancel_url", "https://shop.example/back?erika-4711"),
];

impl World {
    async fn erase(&self, secret_key: &str, shopper_id: &str) -> Answer {
        let path = format!("/v1/shoppers/{shopper_id}");
        send(self.request(Method::DELETE, &path).bearer_auth(secret_key)).await
    }

    async fn charge_of_erika(&self) -> CreatedCharge {
        let mut body = new_charge();
        for (name, value) in FIELDS {
            body[name] = json!(value);
        }
        body["metadata"] = json!({ "who": "metadata-erika-4711" });
        for flag in [
            "enable_save_payment_method",
            "display_saved_payment_method_list",
            "eligible_save_payment_methods",
        ] {
            body[flag] = json!(true);
        }
        let answer = self.create(&body, None).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        serde_json::from_value(answer.body).unwrap()
    }

    async fn for_merchant(&self, path: &str) -> Value {
        let answer = send(self.request(Method::GET, path).bearer_auth(SECRET_KEY)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body
    }

    /// Saves a card with a name, pays with it, refunds a part, and names the card.
    async fn life_of_erika(&self) -> CreatedCharge {
        let charge = self.charge_of_erika().await;
        let mut body = card_to_save(&charge, SHOPPER, NUMBER);
        body["payment_method"]["card"]["holder_name"] = json!(HOLDER);
        let paid = send(self.press(&charge, "press-1", &body)).await;
        assert_eq!(paid.status_code(), "succeeded", "{paid:?}");
        let refund = json!({
            "amount_value": "1.00", "reason": "reason-erika-4711", "metadata": { "who": "refund-erika-4711" },
        });
        let path = format!("/v1/charges/{}/refunds", charge.id);
        let refunded = send(
            self.request(Method::POST, &path)
                .bearer_auth(SECRET_KEY)
                .json(&refund),
        )
        .await;
        assert_eq!(refunded.status, 201, "{refunded:?}");
        let card = &self
            .for_merchant(&format!("/v1/shoppers/{SHOPPER}/payment-methods"))
            .await["items"][0];
        let named = self
            .request(
                Method::POST,
                &format!("/v1/payment-methods/{}", card["id"].as_str().unwrap()),
            )
            .json(&json!({ "nickname": NICKNAME }));
        assert_eq!(send(named.bearer_auth(SECRET_KEY)).await.status, 200);
        charge
    }
}

/// The words of the shopper that stand in a file of this folder.
fn words_in_files(dir: &Path) -> Vec<String> {
    let words = ["erika", EMAIL, HOLDER, NICKNAME, NUMBER, "04711"];
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for word in words.iter().filter(|word| contains(&bytes, word)) {
            found.push(format!("{word} in {}", path.display()));
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erased_shopper_is_in_no_file_and_in_no_backup() {
    let world = World::with_vault().await;
    // An endpoint that nobody answers, so that all events wait.
    endpoint_for(&world, PARTNER_ID, "http://127.0.0.1:9/hook", None).await;
    let paid = world.life_of_erika().await;
    let open = world.charge_of_erika().await;
    let is_file = !world.database().starts_with("postgres");
    if is_file {
        assert_ne!(
            words_in_files(world.dir.path()),
            Vec::<String>::new(),
            "the search finds the shopper"
        );
    }
    let before = world.for_merchant(&format!("/v1/charges/{}", paid.id)).await;
    let erased = world.erase(SECRET_KEY, SHOPPER).await;
    assert_eq!(
        (erased.status, erased.body),
        (200, json!({ "payment_methods": 1, "charges": 2 }))
    );
    if is_file {
        assert_eq!(words_in_files(world.dir.path()), Vec::<String>::new());
        let backup = tempfile::tempdir().unwrap();
        let copy = backup.path().join("copy.db");
        let made = run(
            world.dir.path(),
            &[
                "backup",
                "--database",
                world.database(),
                &copy.display().to_string(),
            ],
        );
        assert!(made.status.success(), "{made:?}");
        assert_eq!(words_in_files(backup.path()), Vec::<String>::new());
    }

    // The sums, the item and the references stay.
    let after = world.for_merchant(&format!("/v1/charges/{}", paid.id)).await;
    for kept in [
        "status",
        "amount_value",
        "amount_captured",
        "amount_refunded",
        "item_code",
        "partner_reference",
        "paid_at",
        "refunds",
        "provider",
    ] {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    assert_eq!(
        (&after["shopper_id"], &after["paid_with"], &after["metadata"]),
        (&Value::Null, &Value::Null, &json!({}))
    );
    let canceled = world.for_merchant(&format!("/v1/charges/{}", open.id)).await;
    assert_eq!(canceled["status"], "canceled");
    let cards = world
        .for_merchant(&format!("/v1/shoppers/{SHOPPER}/payment-methods"))
        .await;
    assert_eq!(cards, json!({ "items": [] }));

    // No answer and no event that is still to be sent names the shopper.
    let mut told = after.to_string() + &canceled.to_string();
    for path in ["/v1/events?limit=100", "/v1/charges", "/v1/disputes"] {
        told += &world.for_merchant(path).await.to_string();
    }
    told += &world
        .for_merchant(&format!("/v1/charges/{}/refunds", paid.id))
        .await
        .to_string();
    for word in ["erika", EMAIL, HOLDER, LAST_FOUR, "payment_method."] {
        assert!(
            !told.to_lowercase().contains(&word.to_lowercase()),
            "{word}: {told}"
        );
    }
    for event in ["charge.succeeded", "refund.succeeded", "charge.canceled"] {
        assert!(told.contains(event), "{event}: {told}");
    }

    // What is left can still be refunded, and no more.
    let path = format!("/v1/charges/{}/refunds", paid.id);
    let rest = send(
        world
            .request(Method::POST, &path)
            .bearer_auth(SECRET_KEY)
            .json(&json!({})),
    )
    .await;
    assert_eq!(
        (rest.status, &rest.body["amount_value"]),
        (201, &json!("11.50")),
        "{rest:?}"
    );
}

#[tokio::test]
async fn erasing_leaves_others_alone_and_can_be_repeated() {
    let world = World::with_vault().await;
    let other_key = world.another_merchant().await;
    world.save(SHOPPER, NUMBER).await;
    world.save("shopper-8", NUMBER).await;
    let other = world.saving_charge_of(other_key, SHOPPER).await;
    let press = world
        .request(Method::POST, "/v1/pub/direct/charges")
        .bearer_auth(&other.client_secret)
        .header("partner-id", "partner_other")
        .header("cookie-id", "cookie-1")
        .header("idempotency-key", "press-1")
        .json(&card_to_save(&other, SHOPPER, NUMBER));
    let saved = send(press).await;
    assert_eq!(saved.status_code(), "succeeded", "{saved:?}");

    assert_eq!(world.erase(SECRET_KEY, SHOPPER).await.body["payment_methods"], 1);
    let again = world.erase(SECRET_KEY, SHOPPER).await;
    assert_eq!(
        (again.status, again.body),
        (200, json!({ "payment_methods": 0, "charges": 0 }))
    );
    assert_eq!(world.cards_of("shopper-8").await.len(), 1);
    let next = world.saving_charge_of(other_key, SHOPPER).await;
    let theirs = world.cards(&next, SHOPPER).await;
    assert_eq!(theirs.len(), 1, "another merchant's shopper");
    // The same person may come back as a new shopper.
    world.save(SHOPPER, NUMBER).await;
    assert_eq!(world.cards_of(SHOPPER).await.len(), 1);
}

#[tokio::test]
async fn a_shopper_who_is_paying_is_erased_afterwards() {
    let world = World::with_vault().await;
    let charge = world.charge_of_erika().await;
    let waiting = send(world.press(&charge, "press-1", &card_to_save(&charge, SHOPPER, CHALLENGE))).await;
    assert_eq!(waiting.status_code(), "waiting_for_shopper_action", "{waiting:?}");
    let refused = world.erase(SECRET_KEY, SHOPPER).await;
    assert_eq!(
        (refused.status, refused.code()),
        (409, "operation_in_progress"),
        "{refused:?}"
    );
    let shown = world.for_merchant(&format!("/v1/charges/{}", charge.id)).await;
    assert_eq!(shown["shopper_id"], SHOPPER, "nothing is half done");

    let url = waiting.body["shopper_action"]["url"].as_str().unwrap();
    let back = answer_challenge(url, "approve").await;
    assert_eq!(world.http.get(back).send().await.unwrap().status(), 200);
    let path = format!("/v1/pub/charges/{}", charge.id);
    let paid = send(
        world
            .request(Method::GET, &path)
            .bearer_auth(&charge.client_secret),
    )
    .await;
    assert_eq!(paid.body["status"], "succeeded", "{paid:?}");
    assert_eq!(world.erase(SECRET_KEY, SHOPPER).await.status, 200);
}

#[tokio::test]
async fn a_shopper_whose_refund_has_no_result_is_erased_afterwards() {
    let world = World::with_vault().await;
    let charge = world.charge_of_erika().await;
    let paid = send(world.press(&charge, "press-1", &card_to_save(&charge, SHOPPER, NUMBER))).await;
    assert_eq!(paid.status_code(), "succeeded", "{paid:?}");
    world.provider.set(LinkState::LosesPayments);
    let path = format!("/v1/charges/{}/refunds", charge.id);
    let refund = world.request(Method::POST, &path).bearer_auth(SECRET_KEY);
    let lost = send(refund.json(&json!({ "reason": "duplicate" }))).await;
    assert_eq!(lost.body["status"], "outcome_unknown", "{lost:?}");
    assert_eq!(
        world.erase(SECRET_KEY, SHOPPER).await.code(),
        "operation_in_progress"
    );
    world.provider.set(LinkState::Works);
    world.clock.advance_ms(60_000);
    world.settle().await;
    let refunds = world.for_merchant(&path).await;
    assert_eq!(refunds["items"][0]["reason"], "duplicate", "{refunds}");
    assert_eq!(world.erase(SECRET_KEY, SHOPPER).await.status, 200);
}

#[tokio::test]
async fn only_the_merchant_erases_its_shoppers() {
    let world = World::with_vault().await;
    let other_key = world.another_merchant().await;
    let charge = world.charge_of_erika().await;
    for (key, status) in [("", 401), (charge.client_secret.as_str(), 401), ("sk_wrong", 401)] {
        assert_eq!(world.erase(key, SHOPPER).await.status, status, "{key}");
    }
    let foreign = world.erase(other_key, SHOPPER).await;
    assert_eq!(
        (foreign.status, foreign.body),
        (200, json!({ "payment_methods": 0, "charges": 0 }))
    );
    let shown = world.for_merchant(&format!("/v1/charges/{}", charge.id)).await;
    assert_eq!(shown["shopper_id"], SHOPPER);
    let audit = world
        .service
        .app
        .store
        .audit_lines_of(PARTNER_ID, None, 100)
        .await
        .unwrap();
    assert!(audit.iter().all(|line| line.action != "shopper_erased"));
    world.erase(SECRET_KEY, SHOPPER).await;
    let audit = world
        .service
        .app
        .store
        .audit_lines_of(PARTNER_ID, None, 100)
        .await
        .unwrap();
    let line = audit.iter().find(|line| line.action == "shopper_erased").unwrap();
    assert_eq!(line.detail, r#"{"charges":1,"payment_methods":0}"#);
}
