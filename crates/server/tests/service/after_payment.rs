//! After the payment: refunds, holds, captures and releases, with a provider whose answers get lost.

use futures_util::future::join_all;
use payments::operations::holds::settle_holds;
use payments::operations::unfinished::settle_operations;
use protocol::{CreatedCharge, OperationKind, OperationStatus};
use reqwest::Method;
use serde_json::{Value, json};
use store::{BeginOperation, NewOperation, OperationResult};

use crate::provider::LinkState;
use crate::world::{Answer, SECRET_KEY, World, card, new_charge, send};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

impl World {
    /// A charge with these fields, besides those of [`new_charge`].
    pub(crate) async fn charge_with(&self, fields: Value) -> CreatedCharge {
        let mut body = new_charge();
        for (name, value) in fields.as_object().unwrap() {
            body[name] = value.clone();
        }
        let answer = self.create(&body, None).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        serde_json::from_value(answer.body).unwrap()
    }

    async fn paid(&self, fields: Value) -> CreatedCharge {
        self.paid_with("4242424242424242", fields).await
    }

    pub(crate) async fn paid_with(&self, number: &str, fields: Value) -> CreatedCharge {
        let shopper_id = fields["shopper_id"].as_str().map(str::to_owned);
        let charge = self.charge_with(fields).await;
        let mut body = card(&charge, number);
        if let Some(id) = shopper_id {
            body["payment_method"]["shopper"] = json!({ "id": id });
        }
        let paid = send(self.press(&charge, "press-1", &body)).await;
        assert_eq!(paid.status, 201, "{paid:?}");
        charge
    }

    /// A merchant's call about a charge.
    pub(crate) async fn act(&self, charge: &CreatedCharge, action: &str, body: Value) -> Answer {
        let path = format!("/v1/charges/{}/{action}", charge.id);
        send(
            self.request(Method::POST, &path)
                .bearer_auth(SECRET_KEY)
                .json(&body),
        )
        .await
    }

    async fn refund(&self, charge: &CreatedCharge, amount: &str) -> Answer {
        self.act(charge, "refunds", json!({ "amount_value": amount }))
            .await
    }

    pub(crate) async fn settle(&self) {
        settle_operations(&self.service.app.charges).await.unwrap();
        settle_holds(&self.service.app.charges).await.unwrap();
    }

    /// A person captures this amount at the provider.
    async fn capture_by_hand(&self, charge: &CreatedCharge, amount: &str) {
        let held = self.service.app.store.attempt_that_paid(&charge.id).await;
        let key = held.unwrap().unwrap().provider_key;
        let capture = format!("{}/v1/payments/{key}/capture", self.provider.url);
        let id = format!("by-hand-{key}");
        let body = json!({"id": id, "amount_value": amount, "amount_currency": "USD"});
        let request = self.http.post(capture).header("idempotency-key", id);
        let captured = send(request.json(&body)).await;
        assert_eq!(captured.status, 200, "{captured:?}");
    }

    async fn status_of_refund(&self, id: &Value) -> (String, Value) {
        let path = format!("/v1/refunds/{}", id.as_str().unwrap());
        let refund = send(self.request(Method::GET, &path).bearer_auth(SECRET_KEY)).await;
        assert_eq!(refund.status, 200, "{refund:?}");
        (
            refund.body["status"].as_str().unwrap().to_owned(),
            refund.body["failure_code"].clone(),
        )
    }
}

fn sums(view: &Value) -> [&str; 4] {
    [
        "status",
        "amount_capturable",
        "amount_captured",
        "amount_refunded",
    ]
    .map(|name| view[name].as_str().unwrap_or_default())
}

#[tokio::test]
async fn a_typed_postal_code_is_checked_and_reaches_the_provider() {
    let world = World::new().await;
    for (zip_code, typed, checked) in [
        (Value::Null, "94107", "pass"),
        (json!("94107"), "94107-1234", "pass"),
        (Value::Null, "", "unchecked"),
    ] {
        let fields = json!({"shopper_id": "customer-7", "zip_code": zip_code});
        let charge = world.charge_with(fields).await;
        let mut body = card(&charge, "4242424242424242");
        body["payment_method"]["shopper"] = json!({"id": "customer-7", "zip_code": "9410"});
        let refused = send(world.press(&charge, "press-1", &body)).await;
        let field = "payment_method.shopper.zip_code";
        assert_eq!(
            (refused.status, refused.code(), refused.field()),
            (422, "invalid_card", field)
        );
        assert_eq!(refused.body["error"]["reason"], "CardPostalCode_Invalid");
        body["payment_method"]["shopper"]["zip_code"] = json!(typed);
        let paid = send(world.press(&charge, "press-2", &body)).await;
        assert_eq!(paid.status, 201, "{paid:?}");
        let view = world.view(&charge.id).await;
        assert_eq!(view["paid_with"]["checks"]["postal_code"], checked, "{typed}");
    }
}

#[tokio::test]
async fn a_paid_charge_tells_everything_and_can_be_given_back_in_parts() {
    let world = World::new().await;
    let metadata = json!({"floor": "3"});
    let charge = world
        .paid(
            json!({"metadata": metadata, "shopper_id": "customer-7", "zip_code": "94107",
            "statement_descriptor": "ORDER 17"}),
        )
        .await;
    let view = world.view(&charge.id).await;
    assert_eq!(sums(&view), ["succeeded", "0.00", "12.50", "0.00"]);
    assert_eq!(view["metadata"], metadata);
    assert_eq!(view["shopper_id"], "customer-7");
    assert_eq!(view["paid_at"], "2026-07-15T12:00:00Z");
    assert_eq!(view["capture_method"], "automatic");
    let card = &view["paid_with"];
    assert_eq!(
        [
            &card["brand"],
            &card["last_four"],
            &card["first_six"],
            &card["expiration_month"],
            &card["expiration_year"]
        ],
        ["visa", "4242", "424242", "12", "2030"]
    );
    assert_eq!(
        card["checks"],
        json!({"security_code": "pass", "postal_code": "pass"})
    );
    assert_eq!(
        (&card["funding"], &card["country"]),
        (&json!("credit"), &json!("US"))
    );
    assert_eq!(view["provider"]["name"], "simulator");
    assert!(
        view["provider"]["reference"].is_string() && view["provider"]["network_transaction_id"].is_string()
    );
    // What the shopper's page may see has not grown.
    let shopper = world.shopper_view(&charge).await;
    assert_eq!(
        shopper["paid_with"],
        json!({"brand": "visa", "last_four": "4242"})
    );
    assert!(shopper.get("metadata").is_none() && shopper.get("provider").is_none());

    let body = json!({"amount_value": "2.50", "reason": "broken", "metadata": {"case": "9"}});
    let refund = world.act(&charge, "refunds", body).await;
    assert_eq!(refund.status, 201, "{refund:?}");
    let id = &refund.body["id"];
    assert!(id.as_str().unwrap().starts_with("re_"));
    for (name, value) in [
        ("charge_id", json!(charge.id)),
        ("status", json!("succeeded")),
        ("amount_value", json!("2.50")),
        ("amount_currency", json!("USD")),
        ("reason", json!("broken")),
        ("failure_code", Value::Null),
        ("metadata", json!({"case": "9"})),
    ] {
        assert_eq!(refund.body[name], value, "{name}");
    }
    // The refunds are listed in the order of their times.
    world.clock.advance_ms(1);
    let too_large = world.refund(&charge, "10.01").await;
    assert_eq!((too_large.status, too_large.code()), (422, "amount_too_large"));
    assert!(
        too_large.body["error"]["message"]
            .as_str()
            .unwrap()
            .contains("10.00")
    );
    let rest = world.act(&charge, "refunds", json!({})).await;
    assert_eq!(rest.body["amount_value"], "10.00");
    let view = world.view(&charge.id).await;
    assert_eq!(sums(&view), ["succeeded", "0.00", "12.50", "12.50"]);
    assert_eq!(
        view["refunds"][0],
        json!({"id": id, "status": "succeeded", "amount_value": "2.50"})
    );
    let path = format!("/v1/charges/{}/refunds", charge.id);
    let listed = send(world.request(Method::GET, &path).bearer_auth(SECRET_KEY)).await;
    assert_eq!(listed.body["items"].as_array().unwrap().len(), 2);
    assert_eq!(listed.body["items"][0]["reason"], "broken");
}

#[tokio::test]
async fn two_nodes_give_back_no_more_than_was_taken() {
    let world = World::new().await;
    let other = world.another_node().await;
    let charge = world.paid(json!({})).await;
    let refunds = (0..60).map(|number| {
        let address = if number % 2 == 0 {
            world.service.address
        } else {
            other.address
        };
        let url = format!("http://{address}/v1/charges/{}/refunds", charge.id);
        let request = world.http.post(url).bearer_auth(SECRET_KEY);
        send(request.json(&json!({"amount_value": "0.50"})))
    });
    let answers = join_all(refunds).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    let refused = answers
        .iter()
        .filter(|answer| answer.code() == "amount_too_large")
        .count();
    assert_eq!((made, refused), (25, 35));
    assert_eq!(sums(&world.view(&charge.id).await)[3], "12.50");
    let ledger = send(world.http.get(format!("{}/ledger", world.provider.url))).await;
    assert_eq!(ledger.body[0]["amount_refunded"], "12.50");
}

/// Neither a lost answer nor a lost request gives money back twice, and the merchant's key repeats no refund.
#[tokio::test]
async fn a_lost_answer_about_a_refund_is_found_again() {
    for link in [LinkState::GarblesAnswers, LinkState::LosesPayments] {
        let world = World::new().await;
        let charge = world.paid(json!({})).await;
        world.provider.set(link);
        let path = format!("/v1/charges/{}/refunds", charge.id);
        let ask = async || {
            let request = world.request(Method::POST, &path).bearer_auth(SECRET_KEY);
            send(
                request
                    .header("idempotency-key", "case-9")
                    .json(&json!({"amount_value": "3.00"})),
            )
            .await
        };
        let lost = ask().await;
        assert_eq!(
            (lost.status, &lost.body["status"]),
            (201, &json!("outcome_unknown")),
            "{link:?}"
        );
        // What may be given back already cannot be given back again.
        assert_eq!(world.refund(&charge, "9.51").await.code(), "amount_too_large");
        world.provider.set(LinkState::Works);
        // Longer than the first request may be on its way.
        world.clock.advance_ms(60_000);
        world.settle().await;
        assert_eq!(
            world.status_of_refund(&lost.body["id"]).await.0,
            "succeeded",
            "{link:?}"
        );
        assert_eq!(ask().await.body["id"], lost.body["id"]);
        let operations = send(world.http.get(format!("{}/operations", world.provider.url))).await;
        assert_eq!(operations.body.as_array().unwrap().len(), 1, "{link:?}");
        let other_body = world.request(Method::POST, &path).bearer_auth(SECRET_KEY);
        let other_body = other_body
            .header("idempotency-key", "case-9")
            .json(&json!({"amount_value": "4.00"}));
        assert_eq!(send(other_body).await.code(), "idempotency_conflict");
    }
}

#[tokio::test]
async fn a_refund_is_pending_or_fails_days_later_as_the_provider_says() {
    let world = World::new().await;
    let charge = world.paid(json!({})).await;
    let pending = world.refund(&charge, "1.77").await;
    assert_eq!(pending.body["status"], "pending");
    let late = world.refund(&charge, "1.78").await;
    assert_eq!(late.body["status"], "succeeded");
    let failed = world.refund(&charge, "1.79").await;
    assert_eq!(
        (&failed.body["status"], &failed.body["failure_code"]),
        (&json!("failed"), &json!("insufficient_funds"))
    );
    assert_eq!(sums(&world.view(&charge.id).await)[3], "1.78");
    world.clock.advance_ms(HOUR_MS);
    world.settle().await;
    assert_eq!(world.status_of_refund(&pending.body["id"]).await.0, "succeeded");
    assert_eq!(sums(&world.view(&charge.id).await)[3], "3.55");
    for _ in 0..12 {
        world.clock.advance_ms(DAY_MS);
        world.settle().await;
    }
    let failed = ("failed".to_owned(), json!("expired_or_canceled_card"));
    assert_eq!(world.status_of_refund(&late.body["id"]).await, failed);
    assert_eq!(
        sums(&world.view(&charge.id).await),
        ["succeeded", "0.00", "12.50", "1.77"]
    );
    // Nothing is left to ask for.
    let due = world.service.app.store.due_operations(i64::MAX, 9).await.unwrap();
    assert_eq!(due, []);
}

/// The provider tells it only ten days after the refund, at the last look.
#[tokio::test]
async fn a_late_failure_of_a_refund_is_learned_after_an_outage() {
    let world = World::new().await;
    let charge = world.paid(json!({})).await;
    let late = world.refund(&charge, "1.78").await;
    assert_eq!(late.body["status"], "succeeded");
    world.provider.set(LinkState::Down);
    for _ in 0..12 {
        world.clock.advance_ms(DAY_MS);
        world.settle().await;
    }
    assert_eq!(world.status_of_refund(&late.body["id"]).await.0, "succeeded");
    world.provider.set(LinkState::Works);
    world.clock.advance_ms(2 * DAY_MS);
    world.settle().await;
    let failed = ("failed".to_owned(), json!("expired_or_canceled_card"));
    assert_eq!(world.status_of_refund(&late.body["id"]).await, failed);
}

#[tokio::test]
async fn held_money_is_captured_once_and_the_rest_released() {
    let world = World::new().await;
    let charge = world.charge_with(json!({"capture_method": "manual"})).await;
    let paid = world.pay(&charge, "press-1", "4242424242424242").await;
    assert_eq!((paid.status, paid.status_code()), (201, "authorized"));
    let view = world.view(&charge.id).await;
    assert_eq!(sums(&view), ["authorized", "12.50", "0.00", "0.00"]);
    assert_eq!(view["capture_before"], "2026-07-22T12:00:00Z");
    assert_eq!(
        world.shopper_view(&charge).await["paid_with"]["last_four"],
        "4242"
    );
    // The shopper has paid: another press gets the same answer, and nothing is held twice.
    let again = world.pay(&charge, "press-2", "4242424242424242").await;
    assert_eq!((again.status, again.status_code()), (201, "authorized"));
    assert_eq!(
        world.refund(&charge, "1.00").await.code(),
        "charge_not_refundable"
    );
    let other_terms = send(
        world
            .request(Method::POST, &format!("/v1/charges/{}", charge.id))
            .bearer_auth(SECRET_KEY)
            .json(&json!({"amount_value": "1.00"})),
    );
    assert_eq!(other_terms.await.code(), "charge_not_changeable");

    for (body, status, code) in [
        (json!({"amount_value": "12.51"}), 422, "amount_too_large"),
        (json!({"amount_value": "1.001"}), 422, "invalid_amount"),
        (json!({"amount_value": "0"}), 422, "invalid_amount"),
        (json!({"amount": "1.00"}), 400, "invalid_request"),
    ] {
        let refused = world.act(&charge, "capture", body.clone()).await;
        assert_eq!((refused.status, refused.code()), (status, code), "{body}");
    }
    let captured = world
        .act(&charge, "capture", json!({"amount_value": "10.00"}))
        .await;
    assert_eq!(captured.status, 200, "{captured:?}");
    assert_eq!(sums(&captured.body), ["succeeded", "0.00", "10.00", "0.00"]);
    let again = world
        .act(&charge, "capture", json!({"amount_value": "10.00"}))
        .await;
    assert_eq!(
        (again.status, sums(&again.body)),
        (200, ["succeeded", "0.00", "10.00", "0.00"])
    );
    let more = world
        .act(&charge, "capture", json!({"amount_value": "2.50"}))
        .await;
    assert_eq!((more.status, more.code()), (409, "charge_not_capturable"));
    assert_eq!(
        world.act(&charge, "cancel", json!({})).await.code(),
        "charge_not_cancelable"
    );
    assert_eq!(world.refund(&charge, "10.01").await.code(), "amount_too_large");
    assert_eq!(world.refund(&charge, "10.00").await.status, 201);
}

#[tokio::test]
async fn a_hold_is_released_or_ends_by_itself() {
    let world = World::new().await;
    let released = world.paid(json!({"capture_method": "manual"})).await;
    let answer = world.act(&released, "cancel", json!({})).await;
    assert_eq!(
        (answer.status, sums(&answer.body)),
        (200, ["canceled", "0.00", "0.00", "0.00"])
    );
    assert_eq!(world.act(&released, "cancel", json!({})).await.status, 200);
    assert_eq!(
        world.act(&released, "capture", json!({})).await.code(),
        "charge_not_capturable"
    );

    let ends = world.paid(json!({"capture_method": "manual"})).await;
    let late = world.paid(json!({"capture_method": "manual"})).await;
    let given_up = world.paid(json!({"capture_method": "manual"})).await;
    world.clock.advance_ms(7 * DAY_MS);
    // A merchant who releases it then has what it wants.
    for _ in 0..2 {
        let answer = world.act(&given_up, "cancel", json!({})).await;
        assert_eq!((answer.status, &answer.body["status"]), (200, &json!("canceled")));
    }
    // The merchant is faster than the service, and too late all the same.
    let capture = world.act(&late, "capture", json!({})).await;
    assert_eq!(
        (capture.status, capture.code()),
        (409, "capture_expired"),
        "{capture:?}"
    );
    world.settle().await;
    for charge in [&ends, &late] {
        assert_eq!(
            sums(&world.view(&charge.id).await),
            ["expired", "0.00", "0.00", "0.00"]
        );
        assert_eq!(
            world.act(charge, "capture", json!({})).await.code(),
            "capture_expired"
        );
    }
}

/// A provider keeps idempotency keys only for a while, so a refund that it has confirmed is never sent again, even if the
/// provider does not find it any more.
#[tokio::test]
async fn a_confirmed_refund_is_never_sent_again() {
    let world = World::new().await;
    let charge = world.paid(json!({})).await;
    let store = &world.service.app.store;
    let now_ms = world.clock.now_ms();
    let confirmed = NewOperation {
        id: "re_confirmed".into(),
        kind: OperationKind::Refund,
        charge_id: charge.id.clone(),
        amount_value: Some("3.00".into()),
        reason: None,
        metadata: None,
        provider_key: "pay_that_the_provider_has_forgotten".into(),
        idempotency_key: None,
        keys_from: 0,
        body_sha256: String::new(),
        now_ms,
        owner_until: now_ms,
    };
    let BeginOperation::Started(started) = store.begin_operation(&confirmed).await.unwrap() else {
        panic!("the refund did not begin");
    };
    let result = OperationResult {
        state: OperationStatus::Succeeded,
        reference: None,
        failure_code: None,
        hold_ended: false,
        look_at: Some(now_ms),
    };
    store
        .finish_operation(&started.operation, &result, now_ms)
        .await
        .unwrap();
    for _ in 0..12 {
        world.clock.advance_ms(DAY_MS);
        world.settle().await;
    }
    let operations = send(world.http.get(format!("{}/operations", world.provider.url))).await;
    assert_eq!(operations.body, json!([]));
    assert_eq!(
        world.status_of_refund(&json!("re_confirmed")).await.0,
        "succeeded"
    );
}

/// Also after an outage, and once over all nodes.
#[tokio::test]
async fn the_service_captures_by_itself_at_the_time_that_the_merchant_chose() {
    let world = World::new().await;
    let other = world.another_node().await;
    let charge = world
        .paid(json!({"capture_method": "manual", "capture_after_hours": 48}))
        .await;
    world.clock.advance_ms(48 * HOUR_MS - 1);
    world.settle().await;
    assert_eq!(sums(&world.view(&charge.id).await)[0], "authorized");
    world.provider.set(LinkState::LosesPayments);
    world.clock.advance_ms(1);
    world.settle().await;
    assert_eq!(sums(&world.view(&charge.id).await)[0], "authorized");
    world.provider.set(LinkState::Works);
    world.clock.advance_ms(2 * 60_000);
    let both = [&world.service, &other].map(|node| async {
        settle_operations(&node.app.charges).await.unwrap();
        settle_holds(&node.app.charges).await.unwrap();
    });
    join_all(both).await;
    assert_eq!(
        sums(&world.view(&charge.id).await),
        ["succeeded", "0.00", "12.50", "0.00"]
    );
    let operations = send(world.http.get(format!("{}/operations", world.provider.url))).await;
    assert_eq!(operations.body.as_array().unwrap().len(), 1);
}

/// The hold ends after the same time.
#[tokio::test]
async fn a_capture_that_would_come_with_the_holds_end_comes_before() {
    let world = World::new().await;
    let charge = world
        .paid(json!({"capture_method": "manual", "capture_after_hours": 168}))
        .await;
    world.clock.advance_ms(7 * DAY_MS - 2 * HOUR_MS - 1);
    world.settle().await;
    assert_eq!(sums(&world.view(&charge.id).await)[0], "authorized");
    world.clock.advance_ms(1);
    world.settle().await;
    assert_eq!(
        sums(&world.view(&charge.id).await),
        ["succeeded", "0.00", "12.50", "0.00"]
    );
}

/// Otherwise the service would try to capture it every hour, and nobody could refund it here.
#[tokio::test]
async fn a_hold_that_was_captured_at_the_provider_is_not_captured_for_ever() {
    let world = World::new().await;
    let charge = world
        .paid(json!({"capture_method": "manual", "capture_after_hours": 48}))
        .await;
    world.capture_by_hand(&charge, "5.00").await;
    world.clock.advance_ms(48 * HOUR_MS);
    world.settle().await;
    assert_eq!(
        sums(&world.view(&charge.id).await),
        ["succeeded", "0.00", "5.00", "0.00"]
    );
}

/// A person captured it at the provider, so the provider refuses.
#[tokio::test]
async fn a_refused_capture_or_release_has_the_hold_looked_at_again() {
    let world = World::new().await;
    for (action, code) in [
        ("cancel", "charge_not_cancelable"),
        ("capture", "charge_not_capturable"),
    ] {
        let charge = world.paid(json!({"capture_method": "manual"})).await;
        world.capture_by_hand(&charge, "5.00").await;
        let refused = world.act(&charge, action, json!({})).await;
        assert_eq!((refused.status, refused.code()), (409, code), "{refused:?}");
        world.settle().await;
        assert_eq!(
            sums(&world.view(&charge.id).await),
            ["succeeded", "0.00", "5.00", "0.00"],
            "{action}"
        );
        let late = world.act(&charge, action, json!({})).await;
        assert_eq!((late.status, late.code()), (409, code), "{late:?}");
    }
}

#[tokio::test]
async fn a_lost_answer_about_a_capture_is_found_again() {
    let world = World::new().await;
    let charge = world.paid(json!({"capture_method": "manual"})).await;
    world.provider.set(LinkState::GarblesAnswers);
    let lost = world.act(&charge, "capture", json!({})).await;
    assert_eq!((lost.status, &lost.body["status"]), (202, &json!("authorized")));
    assert_eq!(
        world.act(&charge, "cancel", json!({})).await.code(),
        "operation_in_progress"
    );
    world.provider.set(LinkState::Works);
    world.clock.advance_ms(2_000);
    world.settle().await;
    assert_eq!(
        sums(&world.view(&charge.id).await),
        ["succeeded", "0.00", "12.50", "0.00"]
    );
}

#[tokio::test]
async fn wishes_that_cannot_be_kept_are_refused_by_name() {
    let world = World::new().await;
    let many: Value = (0..51)
        .map(|number| (number.to_string(), json!("x")))
        .collect::<serde_json::Map<_, _>>()
        .into();
    for (name, value) in [
        ("capture", json!("manual")),
        ("capture_method", json!("later")),
        ("capture_after_hours", json!(1)),
        ("metadata", many),
        ("metadata", json!({"a": "x".repeat(501)})),
        ("metadata", json!({"": "x"})),
        ("metadata", json!({"a": 1})),
        ("metadata", json!("a")),
        ("statement_descriptor", json!("abcd")),
        ("statement_descriptor", json!("12345")),
        ("statement_descriptor", json!("a".repeat(23))),
        ("statement_descriptor", json!("a*bcd")),
        ("statement_descriptor", json!("café au lait")),
    ] {
        let mut body = new_charge();
        body[name] = value.clone();
        let refused = world.create(&body, None).await;
        assert_eq!(
            (refused.status, refused.code()),
            (400, "invalid_request"),
            "{name} {value}"
        );
        assert!(
            refused.field().starts_with(name),
            "{} {name} {value}",
            refused.field()
        );
    }
    for hours in [0, 169] {
        let mut body = new_charge();
        body["capture_method"] = json!("manual");
        body["capture_after_hours"] = json!(hours);
        assert_eq!(world.create(&body, None).await.field(), "capture_after_hours");
    }
    let unpaid = world.charge().await;
    for (action, code) in [
        ("refunds", "charge_not_refundable"),
        ("capture", "charge_not_capturable"),
    ] {
        let refused = world.act(&unpaid, action, json!({})).await;
        assert_eq!((refused.status, refused.code()), (409, code));
        let foreign = world
            .request(Method::POST, &format!("/v1/charges/ch_unknown/{action}"))
            .bearer_auth(SECRET_KEY);
        assert_eq!(send(foreign).await.code(), "charge_not_found");
    }
    let unknown = world
        .request(Method::GET, "/v1/refunds/re_unknown")
        .bearer_auth(SECRET_KEY);
    assert_eq!(send(unknown).await.code(), "refund_not_found");
    // What the page says never decides when money is taken.
    let mut page = card(&unpaid, "4242424242424242");
    page["setting"]["card"]["capture_grace_period"] = json!(3_600);
    let refused = send(world.press(&unpaid, "press-1", &page)).await;
    assert_eq!(
        (refused.status, refused.field()),
        (400, "setting.card.capture_grace_period")
    );
}
