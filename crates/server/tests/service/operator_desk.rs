//! The operator's desk: what each role may do, whose charges a key sees, and that an act moves money once and is in the audit
//! log by the person's name.

use payments::operations::listed_disputes::record_listed_disputes;
use protocol::{CreatedCharge, OperatorAct, OperatorStory};
use reqwest::Method;
use serde_json::{Value, json};
use store::{Actor, Partner};
use tempfile::TempDir;

use crate::charge_story::show;
use crate::other_program::OtherProgram;
use crate::webhooks::{GOOD, all_are, endpoint_for, events};
use crate::world::{Answer, NOW, PARTNER_ID, World, new_charge, send};
use harness::receiver::WebhookReceiver;

const READER: &str = "reader_0123456789abcdefghijklmnopqrst";
const SUPPORT: &str = "support_0123456789abcdefghijklmnopqrs";
const ADMIN: &str = "admin_0123456789abcdefghijklmnopqrstu";
const DAY_MS: i64 = 24 * 3_600_000;
/// Sees only another merchant.
const FOREIGN: &str = "foreign_0123456789abcdefghijklmnopqrs";
const WRONG: &str = "wrong_0123456789abcdefghijklmnopqrstu";
const OTHER_PARTNER: &str = "partner_other";

struct Desk {
    world: World,
    _keys: TempDir,
}

impl Desk {
    async fn new() -> Self {
        let keys = tempfile::tempdir().unwrap();
        for (key, name, more) in [
            (READER, "Rita", "role = \"reader\""),
            (SUPPORT, "Sam", "role = \"support\""),
            (ADMIN, "Ada", "role = \"admin\""),
            (
                FOREIGN,
                "Finn",
                "role = \"admin\"\nmerchants = [\"partner_other\"]",
            ),
        ] {
            let text = format!("key = \"{key}\"\nname = \"{name}\"\n{more}\n");
            std::fs::write(keys.path().join(name), text).unwrap();
        }
        let folder = keys.path().to_owned();
        let world = World::with(|settings| {
            settings.operator_keys = Some(folder);
            settings.webhook_private_networks = Some(true);
        })
        .await;
        let other = Partner {
            id: OTHER_PARTNER.into(),
            name: "Other".into(),
            allowed_origins: Vec::new(),
            site_ids: Vec::new(),
            active: true,
            created_at: 0,
        };
        let store = &world.service.app.store;
        let secret = "sk_other000000000000000000000000000000";
        store.put_partner(&other, secret).await.unwrap();
        Self { world, _keys: keys }
    }

    async fn get(&self, key: &str, path: &str) -> Answer {
        let request = self.world.request(Method::GET, &format!("/v1/operator/{path}"));
        send(request.bearer_auth(key)).await
    }

    async fn act(&self, key: &str, path: &str, once: &str, body: &Value) -> Answer {
        let request = self.world.request(Method::POST, &format!("/v1/operator/{path}"));
        let request = request.bearer_auth(key).header("idempotency-key", once);
        send(request.json(body)).await
    }

    async fn paid(&self, reference: &str) -> CreatedCharge {
        let mut body = new_charge();
        body["partner_reference"] = json!(reference);
        let charge: CreatedCharge =
            serde_json::from_value(self.world.create(&body, None).await.body).unwrap();
        let mut card = crate::world::card(&charge, GOOD);
        card["partner_reference"] = json!(reference);
        let paid = send(self.world.press(&charge, "press-1", &card)).await;
        assert_eq!(paid.status, 201, "{paid:?}");
        charge
    }

    async fn story(&self, key: &str, id: &str) -> OperatorStory {
        let answer = self.get(key, &format!("charges/{id}")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_value(answer.body).unwrap()
    }

    /// The acts in the audit log, the oldest first: who, what, and the detail.
    async fn acts(&self, charge_id: &str) -> Vec<(String, String, Value)> {
        let store = &self.world.service.app.store;
        let lines = store.audit_lines_of(charge_id, None, 100).await.unwrap();
        let acts = lines.into_iter().rev().map(|line| {
            let detail = serde_json::from_str(&line.detail).unwrap();
            (line.actor, line.action, detail)
        });
        acts.collect()
    }
}

fn because(reason: &str) -> Value {
    json!({ "reason": reason })
}

#[tokio::test]
async fn each_role_may_do_what_it_is_for() {
    let desk = Desk::new().await;
    let receiver = WebhookReceiver::start().await.unwrap();
    endpoint_for(&desk.world, PARTNER_ID, &receiver.url, None).await;
    let charge = desk.paid("order-1").await;
    let told = events(&desk.world.service, &charge, all_are("delivered")).await;
    let (show, resend) = (
        format!("charges/{}", charge.id),
        format!("events/{}/resend", told[0].id),
    );
    let act = |what: &str| format!("charges/{}/{what}", charge.id);
    // The answers to the reader, the support, the admin, a key of another merchant, and a wrong key.
    let keys = [READER, SUPPORT, ADMIN, FOREIGN, WRONG];
    for (path, expected) in [
        ("me", [200, 200, 200, 200, 401]),
        ("charges", [200, 200, 200, 200, 401]),
        ("report", [200, 200, 200, 403, 401]),
        ("audit", [403, 403, 200, 403, 401]),
        (&*show, [200, 200, 200, 404, 401]),
        ("charges/ch_none", [404, 404, 404, 404, 401]),
    ] {
        for (key, status) in keys.iter().zip(expected) {
            assert_eq!(desk.get(key, path).await.status, status, "{path} {key}");
        }
    }
    // The limit of wrong keys begins again.
    desk.world.clock.advance_ms(60_000);
    for (path, expected) in [
        (&*resend, [403, 202, 202, 404, 401]),
        // A paid charge is not held, and cannot be canceled.
        (&act("capture"), [403, 409, 409, 404, 401]),
        (&act("cancel"), [403, 409, 409, 404, 401]),
        (&act("refunds"), [403, 201, 422, 404, 401]),
    ] {
        for (place, (key, status)) in keys.iter().zip(expected).enumerate() {
            let once = format!("once-{place}");
            let answer = desk.act(key, path, &once, &because("asked by the shopper")).await;
            assert_eq!(answer.status, status, "{path} {key}: {answer:?}");
        }
    }
    let refused = desk.act(READER, &act("refunds"), "once", &because("no")).await;
    assert_eq!(refused.code(), "operator_forbidden");
    // The report of a key for some merchants would have the others' figures.
    assert_eq!(desk.get(FOREIGN, "report").await.code(), "operator_forbidden");
    assert_eq!(
        desk.get(FOREIGN, &format!("charges?merchant={PARTNER_ID}"))
            .await
            .status,
        404
    );
    let none = desk.get(FOREIGN, &format!("charges?text={}", charge.id)).await;
    assert_eq!(none.body["items"], json!([]));
    // Nothing that was refused is in the audit log.
    let acts = desk.acts(&charge.id).await;
    let names: Vec<&str> = acts.iter().map(|(actor, ..)| actor.as_str()).collect();
    assert!(
        !names.contains(&"operator Rita") && !names.contains(&"operator Finn"),
        "{names:?}"
    );
}

#[tokio::test]
async fn while_payments_are_closed_an_unknown_charge_is_a_503() {
    let desk = Desk::new().await;
    let charge = desk.paid("order-1").await;
    let app = &desk.world.service.app;
    let by = Actor::service(desk.world.clock.now_ms());
    app.store.close_payments(by.at, &by).await.unwrap();
    app.charges.expiry.gate.refresh().await.unwrap();
    for path in ["charges", "charges?text=ch_none", "charges/ch_none"] {
        let answer = desk.get(READER, path).await;
        assert_eq!((answer.status, answer.code()), (503, "unavailable"), "{path}");
    }
    desk.story(READER, &charge.id).await;
}

#[tokio::test]
async fn a_repeated_refund_gives_back_once_and_is_told_by_name() {
    let desk = Desk::new().await;
    let charge = desk.paid("order-17").await;
    let path = format!("charges/{}/refunds", charge.id);
    let body = json!({"amount_value": "2.50", "reason": "one gem was missing"});
    let first = desk.act(SUPPORT, &path, "once-1", &body).await;
    assert_eq!(
        (first.status, first.body["status"].as_str()),
        (201, Some("succeeded")),
        "{first:?}"
    );
    let again = desk.act(SUPPORT, &path, "once-1", &body).await;
    assert_eq!((again.status, &again.body["id"]), (201, &first.body["id"]));
    let view = desk.world.view(&charge.id).await;
    assert_eq!(view["amount_refunded"], "2.50");
    assert_eq!(view["refunds"].as_array().unwrap().len(), 1);

    let too_much = desk
        .act(
            SUPPORT,
            &path,
            "once-2",
            &json!({"amount_value": "10.01", "reason": "x"}),
        )
        .await;
    assert_eq!((too_much.status, too_much.code()), (422, "amount_too_large"));
    let without_key = desk.world.request(Method::POST, &format!("/v1/operator/{path}"));
    let without_key = send(without_key.bearer_auth(SUPPORT).json(&body)).await;
    assert_eq!(
        (without_key.status, without_key.field()),
        (400, "idempotency-key")
    );
    for (wrong, field) in [
        (json!({"amount_value": "2.50"}), "reason"),
        (json!({"reason": " "}), "reason"),
        (json!({"reason": "card 4242 4242 4242 4242"}), "reason"),
        (json!({"reason": "x", "amount_value": "1.001"}), "amount_value"),
        (json!({"reason": "x", "amount": "1"}), "amount"),
    ] {
        let answer = desk.act(SUPPORT, &path, "once-3", &wrong).await;
        assert_eq!(answer.field(), field, "{answer:?}");
    }

    let acts = desk.acts(&charge.id).await;
    // The clock stands still, so the lines are in no order.
    let is_told = |detail: &Value| detail["amount_value"] == "2.50";
    let told = acts.iter().find(|(.., detail)| is_told(detail));
    let (actor, action, detail) = told.unwrap();
    assert_eq!(
        (actor.as_str(), action.as_str()),
        ("operator Sam", "refund_requested")
    );
    assert_eq!(
        *detail,
        json!({"charge_id": charge.id, "partner_id": PARTNER_ID, "amount_value": "2.50",
               "amount_currency": "USD", "reason": "one gem was missing"})
    );
    let story = desk.story(SUPPORT, &charge.id).await;
    assert_eq!(story.amount_refundable, "10.00");
    assert_eq!(story.acts, [OperatorAct::Refund]);
    assert_eq!(story.operations[0].reason.as_deref(), Some("one gem was missing"));
    let topics: Vec<&str> = story
        .timeline
        .iter()
        .map(|moment| moment.topic.as_str())
        .collect();
    assert!(
        topics.contains(&"operation") && topics.contains(&"audit"),
        "{topics:?}"
    );
    assert_eq!(desk.story(READER, &charge.id).await.acts, []);
}

#[tokio::test]
async fn an_act_is_in_the_audit_log_before_it_happens() {
    let desk = Desk::new().await;
    let charge = desk.paid("order-1").await;
    let path = format!("charges/{}/refunds", charge.id);
    desk.world.provider.set(crate::provider::LinkState::Down);
    let lost = desk
        .act(ADMIN, &path, "once", &because("the answer is lost"))
        .await;
    assert_eq!(
        (lost.status, lost.body["status"].as_str()),
        (201, Some("outcome_unknown")),
        "{lost:?}"
    );
    let acts = desk.acts(&charge.id).await;
    assert_eq!(acts.len(), 1);
    assert_eq!(acts[0].0, "operator Ada");
}

#[tokio::test]
async fn a_hold_is_captured_or_released_and_an_unpaid_charge_canceled() {
    let desk = Desk::new().await;
    let held = async || {
        let mut body = new_charge();
        body["capture_method"] = json!("manual");
        let charge: CreatedCharge =
            serde_json::from_value(desk.world.create(&body, None).await.body).unwrap();
        desk.world.pay(&charge, "press-1", GOOD).await;
        charge
    };
    let charge = held().await;
    let story = desk.story(SUPPORT, &charge.id).await;
    assert_eq!(story.acts, [OperatorAct::Capture, OperatorAct::Release]);
    let body = json!({"amount_value": "10.00", "reason": "sent"});
    let path = format!("charges/{}/capture", charge.id);
    let captured = desk.act(SUPPORT, &path, "once", &body).await;
    assert_eq!(captured.body["amount_captured"], "10.00", "{captured:?}");
    assert_eq!(desk.acts(&charge.id).await[0].1, "capture_requested");

    let charge = held().await;
    let path = format!("charges/{}/cancel", charge.id);
    let released = desk.act(SUPPORT, &path, "once", &because("out of stock")).await;
    assert_eq!(released.body["status"], "canceled", "{released:?}");
    assert_eq!(desk.acts(&charge.id).await[0].1, "cancel_requested");

    let charge = desk.world.charge().await;
    assert_eq!(desk.story(SUPPORT, &charge.id).await.acts, [OperatorAct::Cancel]);
    let path = format!("charges/{}/cancel", charge.id);
    let canceled = desk.act(SUPPORT, &path, "once", &because("made twice")).await;
    assert_eq!(canceled.body["status"], "canceled", "{canceled:?}");
}

#[tokio::test]
async fn charges_are_found_by_what_support_knows() {
    let desk = Desk::new().await;
    let first = desk.paid("order-17").await;
    desk.world.clock.advance_ms(1_000);
    let mut body = new_charge();
    body["shopper_id"] = json!("customer-7");
    body["partner_reference"] = json!("=HYPERLINK(1)");
    let second: CreatedCharge = serde_json::from_value(desk.world.create(&body, None).await.body).unwrap();
    let path = format!("charges/{}/refunds", first.id);
    let refund = desk.act(SUPPORT, &path, "once", &because("asked")).await;
    let refund = refund.body["id"].as_str().unwrap().to_owned();
    let both = vec![second.id.as_str(), &first.id];
    for (query, expected) in [
        ("", both.clone()),
        ("text=order-17", vec![&*first.id]),
        ("text=4242", vec![&*first.id]),
        ("text=customer-7", vec![&*second.id]),
        (&format!("text={}", second.id), vec![&*second.id]),
        (&format!("text={refund}"), vec![&*first.id]),
        ("status=succeeded", vec![&*first.id]),
        ("amount=12.5", both.clone()),
        ("amount=12.51", vec![]),
        ("merchant=partner_test", both.clone()),
        (&format!("created_to={NOW}"), vec![]),
        ("limit=1", vec![&*second.id]),
    ] {
        let answer = desk.get(READER, &format!("charges?{query}")).await;
        let found = answer.body["items"]
            .as_array()
            .unwrap_or_else(|| panic!("{query} {answer:?}"));
        let found: Vec<&str> = found
            .iter()
            .map(|item| item["charge"]["id"].as_str().unwrap())
            .collect();
        assert_eq!(found, expected, "{query}");
    }
    let page = desk.get(READER, "charges?limit=1").await;
    let next = page.body["next"].as_str().unwrap();
    let page = desk.get(READER, &format!("charges?limit=1&after={next}")).await;
    assert_eq!(page.body["items"][0]["charge"]["id"], first.id.as_str());

    let request = desk.world.request(Method::GET, "/v1/operator/charges");
    let table = send(request.bearer_auth(READER).header("accept", "text/csv")).await;
    let table = table.body.as_str().unwrap();
    assert!(table.starts_with("\"partner_id\",\"id\","), "{table}");
    assert_eq!(table.lines().count(), 3);
    assert!(table.contains("\"'=HYPERLINK(1)\""), "{table}");
}

#[tokio::test]
async fn a_resend_that_the_database_fails_does_not_say_that_the_event_is_missing() {
    let desk = Desk::new().await;
    let receiver = WebhookReceiver::start().await.unwrap();
    endpoint_for(&desk.world, PARTNER_ID, &receiver.url, None).await;
    let charge = desk.paid("order-1").await;
    let told = events(&desk.world.service, &charge, all_are("delivered")).await;
    let other = OtherProgram::connect(desk.world.database()).await;
    other.run("ALTER TABLE charges RENAME TO lost").await.unwrap();
    let path = format!("events/{}/resend", told[0].id);
    let answer = desk
        .act(ADMIN, &path, "once", &because("asked by the shop"))
        .await;
    assert!(answer.status >= 500, "{answer:?}");
}

/// The bank gives the shopper the money of a dispute.
#[tokio::test]
async fn a_disputed_charge_shows_its_dispute_and_offers_no_refund() {
    let desk = Desk::new().await;
    let charges = &desk.world.service.app.charges;
    let lost = desk.world.paid_with("4000000000000259", json!({})).await;
    let won = desk.world.paid_with("4000000000002685", json!({})).await;
    let story = async |charge: &CreatedCharge| -> OperatorStory {
        let answer = desk.get(SUPPORT, &format!("charges/{}", charge.id)).await;
        serde_json::from_value(answer.body).unwrap()
    };
    let disputes = |story: &OperatorStory| {
        let moments = story.timeline.iter().filter(|moment| moment.topic == "dispute");
        moments
            .map(|moment| moment.fields["what"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(story(&lost).await.acts, [OperatorAct::Refund]);
    desk.world.clock.advance_ms(3 * DAY_MS);
    record_listed_disputes(charges, &mut 0).await.unwrap();
    for charge in [&lost, &won] {
        let open = story(charge).await;
        assert_eq!((&*open.acts, disputes(&open)), (&[][..], vec![json!("open")]));
        let asks = "the shopper's bank asks for 12.50 USD back; answer at the provider";
        assert!(open.now[1].starts_with(asks), "{:?}", open.now);
    }
    let (document, text) = show(&desk.world, &lost.id).await;
    assert!(text.contains("dispute of 12.50 USD began: fraudulent"), "{text}");
    assert!(
        document["now"][1].as_str().unwrap().contains("asks for"),
        "{document}"
    );
    desk.world.clock.advance_ms(30 * DAY_MS);
    record_listed_disputes(charges, &mut 0).await.unwrap();
    for (charge, end, acts) in [(&lost, "lost", vec![]), (&won, "won", vec![OperatorAct::Refund])] {
        let ended = story(charge).await;
        assert_eq!((ended.acts.clone(), ended.now.len()), (acts, 1), "{end}");
        assert_eq!(disputes(&ended), [json!("open"), json!(end)]);
    }
}
