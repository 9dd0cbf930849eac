//! The operator's report: charges and queues, access to it, and that it delays no request.

use protocol::charge_state::ChargeEvent;
use protocol::{CreatedCharge, Money, VisitStep};
use reqwest::Method;
use serde_json::{Value, json};
use store::{EndOutcome, LatestWord, StoredWebhookSecret, VISITS_AT_ONCE, Visit, WebhookEndpoint};
use tokio::sync::watch;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::operator_world::{KEY, OperatorWorld};
use crate::waiting::in_time;
use crate::world::{PARTNER_ID, World, card, new_charge, send};

#[tokio::test]
async fn charges_are_counted_by_creation_time_and_status() {
    let world = OperatorWorld::new().await;
    let paid = world.charge().await;
    assert_eq!(world.pay(&paid, "press-1", "4242424242424242").await.status, 201);
    world.clock.advance_ms(60_000);
    let declined = world.charge().await;
    assert_eq!(
        world.pay(&declined, "press-2", "4000000000009995").await.status,
        402
    );
    world.charge().await;
    let now = world.clock.now_ms();
    let report = world
        .report(&format!("?from={}&to={}", now - 3_599_999, now + 1))
        .await;
    let charges = report.charges;
    assert_eq!(charges.bucket_ms, 60_000);
    let counted: Vec<_> = charges
        .buckets
        .iter()
        .filter(|bucket| bucket.outcomes != protocol::ChargeOutcomes::default())
        .map(|bucket| {
            let of = bucket.outcomes;
            (bucket.at - now, of.succeeded, of.declined, of.unpaid)
        })
        .collect();
    assert_eq!(counted, [(-60_000, 1, 0, 0), (0, 0, 1, 1)]);
    let total = charges.total;
    assert_eq!(
        (
            total.succeeded,
            total.declined,
            total.under_way,
            total.unknown,
            total.unpaid
        ),
        (1, 1, 0, 0, 1)
    );
    assert_eq!(charges.declines.len(), 1);
    assert_eq!(charges.declines[0].name, "insufficient_funds");
    assert_eq!(report.now.attempts_open, 0);
}

#[tokio::test]
async fn money_is_summed_by_currency_with_the_period_before() {
    let world = OperatorWorld::new().await;
    let pay = async |value: &str, currency: &str| {
        let mut body = new_charge();
        body["amount_value"] = json!(value);
        body["amount_currency"] = json!(currency);
        let charge: CreatedCharge = serde_json::from_value(world.create(&body, None).await.body).unwrap();
        let mut card = card(&charge, "4242424242424242");
        card["amount_value"] = json!(value);
        card["amount_currency"] = json!(currency);
        let answer = send(world.press(&charge, "press-1", &card)).await;
        assert_eq!(answer.status_code(), "succeeded", "{answer:?}");
    };
    pay("0.10", "USD").await;
    world.clock.advance_ms(60_000);
    for (value, currency) in [("0.10", "USD"), ("0.20", "USD"), ("19.99", "USD"), ("500", "JPY")] {
        pay(value, currency).await;
    }
    // Of a hold only the captured part is paid.
    let hold = world
        .paid_with("4242424242424242", json!({"capture_method": "manual"}))
        .await;
    let captured = world.act(&hold, "capture", json!({"amount_value": "5.00"})).await;
    assert_eq!(captured.status, 200, "{captured:?}");
    // What is given back was paid all the same.
    let refunded = world.act(&hold, "refunds", json!({"amount_value": "1.00"})).await;
    assert_eq!(refunded.status, 201, "{refunded:?}");
    // A declined charge adds nothing.
    let declined = world.charge().await;
    world.pay(&declined, "press-1", "4000000000000002").await;
    let now = world.clock.now_ms();
    let report = world
        .report(&format!("?from={}&to={}", now - 30_000, now + 1))
        .await;
    let money = |currency: &str, amount: &str, charges| Money {
        currency: currency.into(),
        amount: amount.into(),
        charges,
    };
    assert_eq!(
        report.charges.money,
        [money("USD", "25.29", 4), money("JPY", "500", 1)]
    );
    let before = report.before;
    assert_eq!(before.from, now - 60_001);
    assert_eq!(before.money, [money("USD", "0.10", 1)]);
    assert_eq!((before.total.succeeded, before.total.declined), (1, 0));
}

/// Every figure of the report of the last three days, without those of the buckets that are empty.
async fn figures(world: &OperatorWorld) -> Value {
    let now = world.clock.now_ms();
    let report = world
        .report(&format!("?from={}&to={}", now - 3 * 86_400_000, now + 1))
        .await;
    json!([
        report.visits,
        report.experiments,
        report.charges.total,
        report.charges.money,
        report.charges.declines,
        report
            .charges
            .buckets
            .iter()
            .filter(|bucket| bucket.outcomes != protocol::ChargeOutcomes::default())
            .collect::<Vec<_>>(),
        report.before.total,
        report.before.money,
    ])
}

async fn tally_all(world: &OperatorWorld) {
    let store = &world.service.app.store;
    while store.tally_hours(world.clock.now_ms()).await.unwrap() {}
}

#[tokio::test]
async fn figures_stay_the_same_when_their_hours_are_tallied() {
    const HOUR_MS: i64 = 3_600_000;
    // No charge expires by itself.
    let world = OperatorWorld::with(|settings| settings.charge_lifetime_seconds = Some(31_536_000)).await;
    let store = &world.service.app.store;
    let visit = async |number: u128, first_at: i64, step: VisitStep| {
        let mut visit = Visit::new(first_at);
        visit.step = step;
        visit.locale = LatestWord {
            at: 1,
            word: ["en-US", "th-TH"][(number % 2) as usize],
        };
        visit.field = LatestWord {
            at: 1,
            word: "card-number",
        };
        visit.variations.insert("enable-ddc".into(), (number % 2) as i64);
        store
            .put_visits(&[(Uuid::from_u128(number), visit)])
            .await
            .unwrap();
    };
    let mut declined = Vec::new();
    let mut first_at = 0;
    for hour in 0..60_u128 {
        let now = world.clock.now_ms();
        let charge = world.charge().await;
        match hour % 4 {
            0 => assert_eq!(
                world.pay(&charge, "press-1", "4242424242424242").await.status,
                201
            ),
            1 => {
                assert_eq!(
                    world.pay(&charge, "press-1", "4000000000009995").await.status,
                    402
                );
                declined.push(charge.id);
            }
            _ => {}
        }
        visit(hour, now, VisitStep::Started).await;
        if hour == 58 {
            first_at = now;
        }
        world
            .clock
            .advance_ms(if hour == 30 { 20 * HOUR_MS } else { HOUR_MS });
        // Hours are tallied at times while shoppers pay.
        if hour > 40 && hour % 3 == 0 {
            tally_all(&world).await;
        }
    }
    let untallied = figures(&world).await;
    assert!(untallied[2]["declined"].as_i64() > Some(9), "{untallied}");
    tally_all(&world).await;
    assert_eq!(figures(&world).await, untallied);

    // Charges end, and a visit pays, in hours that are tallied already.
    let now = world.clock.now_ms();
    for id in &declined[declined.len() - 3..] {
        let ended = store.end_charge(id, ChargeEvent::Expired, now).await.unwrap();
        assert_eq!(ended, EndOutcome::Moved);
    }
    visit(58, first_at, VisitStep::Paid).await;
    tally_all(&world).await;
    let changed = figures(&world).await;
    let declined = |figures: &Value| figures[2]["declined"].as_i64().unwrap();
    assert_eq!(declined(&changed), declined(&untallied) - 3);
    assert_eq!(changed[0]["funnel"]["paid"], 1);
    tally_all(&world).await;
    assert_eq!(figures(&world).await, changed);

    // Deleted visits are in no figure.
    store.delete_visits(now + 1).await.unwrap();
    assert_eq!(figures(&world).await[0]["funnel"]["viewed"], 0);
    tally_all(&world).await;
    assert_eq!(figures(&world).await[0]["funnel"]["viewed"], 0);
    assert_eq!(figures(&world).await[2], changed[2]);
}

#[tokio::test]
async fn waiting_webhooks_are_reported_with_their_age() {
    let world = OperatorWorld::new().await;
    let store = &world.service.app.store;
    let endpoint = WebhookEndpoint {
        partner_id: PARTNER_ID.into(),
        url: "https://shop.example/hook".into(),
        secret: StoredWebhookSecret::plain("whsec_AAAA"),
        events: None,
        created_at: 0,
    };
    store.put_webhook_endpoint(&endpoint).await.unwrap();
    let since = world.clock.now_ms();
    let charge = world.charge().await;
    world.pay(&charge, "press-1", "4242424242424242").await;
    world.clock.advance_ms(5_000);
    let now = world.report("").await.now;
    assert_eq!(
        (now.webhooks_waiting, now.webhooks_waiting_since),
        (2, Some(since))
    );
}

#[tokio::test]
async fn a_wrong_report_query_is_a_400() {
    let world = OperatorWorld::new().await;
    for query in [
        "?from=x",
        "?from=5&to=4",
        "?from=-1",
        "?to=99999999999999999999",
        "?locale=xx",
        "?from=0",
    ] {
        assert_eq!(world.ask(query, Some(KEY)).await.status, 400, "{query}");
    }
}

#[tokio::test]
async fn without_an_operator_key_there_is_no_report_and_no_page() {
    let world = World::new().await;
    for path in ["/v1/operator/report", "/operator", "/operator/assets/index.js"] {
        let request = world.request(Method::GET, path).bearer_auth(KEY);
        assert_eq!(send(request).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn too_many_wrong_operator_keys_are_refused() {
    let world =
        OperatorWorld::with(|settings| settings.client_ip_header = Some("x-forwarded-for".into())).await;
    let ask = async |client: &str, key: Option<&str>| {
        let request = world.report_request("").header("x-forwarded-for", client);
        let request = match key {
            Some(key) => request.bearer_auth(key),
            None => request,
        };
        request.send().await.unwrap()
    };
    assert_eq!(ask("1.2.3.4", None).await.status(), 401);
    for (number, key) in [
        "sk_test0000000000000000000000000000",
        "x",
        KEY.trim_end_matches('v'),
    ]
    .iter()
    .cycle()
    .take(10)
    .enumerate()
    {
        assert_eq!(ask("1.2.3.4:5678", Some(key)).await.status(), 401, "{number}");
    }
    // The right key is refused, too, so that an attacker cannot find it.
    let refused = ask("1.2.3.4", Some(KEY)).await;
    assert_eq!(refused.status(), 429);
    assert_eq!(refused.headers()["retry-after"], "60");
    assert_eq!(ask("1.2.3.5:5678", Some(KEY)).await.status(), 200);
    world.clock.advance_ms(60_000);
    assert_eq!(ask("1.2.3.4", Some(KEY)).await.status(), 200);
}

/// All requests come from the proxy, or through a proxy that sends no address.
#[tokio::test]
async fn wrong_keys_of_unknown_clients_never_lock_the_operator_out() {
    let world =
        OperatorWorld::with(|settings| settings.client_ip_header = Some("x-forwarded-for".into())).await;
    for client in [None, Some("unknown")] {
        let ask = async |key: &str| {
            let mut request = world.report_request("").bearer_auth(key);
            if let Some(client) = client {
                request = request.header("x-forwarded-for", client);
            }
            send(request).await.status
        };
        for _ in 0..10 {
            assert_eq!(ask("wrong").await, 401);
        }
        assert_eq!(ask("wrong").await, 429, "{client:?}");
        assert_eq!(ask(KEY).await, 200, "{client:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_do_not_delay_charges() {
    let world = OperatorWorld::new().await;
    let store = &world.service.app.store;
    let now = world.clock.now_ms();
    let many: Vec<_> = (0..20_000_u128)
        .map(|number| {
            let mut visit = Visit::new(now);
            visit.locale = LatestWord {
                at: 1,
                word: ["en-US", "th-TH", "ja-JP"][(number % 3) as usize],
            };
            visit.variations.insert("enable-ddc".into(), (number % 2) as i64);
            (Uuid::from_u128(number), visit)
        })
        .collect();
    for some in many.chunks(VISITS_AT_ONCE) {
        store.put_visits(some).await.unwrap();
    }
    let (asked, made) = (40, watch::Sender::new(0));
    let mut reports = JoinSet::new();
    for _ in 0..asked {
        let (request, made) = (world.report_request("").bearer_auth(KEY), made.clone());
        reports.spawn(async move {
            let answer = send(request).await;
            assert_eq!(answer.body["visits"]["funnel"]["viewed"], 20_000);
            made.send_modify(|made| *made += 1);
        });
    }
    // All of them are running.
    let mut first = made.subscribe();
    in_time("a report", first.wait_for(|made| *made > 0))
        .await
        .unwrap();
    let charge = world.charge().await;
    let paid = world.pay(&charge, "press-1", "4242424242424242").await;
    assert_eq!(paid.status, 201);
    let made_before_paid = *made.borrow();
    reports.join_all().await;
    // Reports wait for each other; the charge waits for none of them.
    assert!(
        made_before_paid < asked / 2,
        "{made_before_paid} reports were made first"
    );
}
