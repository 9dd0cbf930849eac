//! A merchant gets every change of its charges, in order and signed, whatever its server does meanwhile.

use protocol::ids::sha256_hex;
use protocol::{CreatedCharge, Sensitive};
use server::service::Service;
use standardwebhooks::Webhook;
use store::{EndpointKey, EventSelection, ListedEvent, WebhookEndpoint};

use crate::provider::LinkState;
use crate::waiting::found;
use crate::world::{NOW, PARTNER_ID, World, card, send};
use harness::receiver::{ReceivedEvent, ReceiverBehavior, WebhookReceiver};
use webhooks::secret_at_rest::stored;

const SECRET: &str = "whsec_plJ3nmyCDGBKInavdOK15jsl";
pub(crate) const GOOD: &str = "4242424242424242";
pub(crate) const DECLINED: &str = "4000000000009995";
const HOUR_MS: i64 = 3_600_000;
/// How long a node leases an event that it sends.
pub(crate) const LEASE_MS: i64 = 15_000;

pub(crate) async fn world() -> (World, WebhookReceiver) {
    let world = World::with(|settings| settings.webhook_private_networks = Some(true)).await;
    let receiver = WebhookReceiver::start().await.unwrap();
    endpoint(&world, PARTNER_ID, &receiver.url).await;
    (world, receiver)
}

async fn endpoint(world: &World, partner_id: &str, url: &str) {
    endpoint_for(world, partner_id, url, None).await;
}

pub(crate) async fn endpoint_for(world: &World, partner_id: &str, url: &str, events: Option<Vec<String>>) {
    let ring = world
        .service
        .app
        .saved_cards
        .vault
        .as_ref()
        .map(|vault| vault.ring());
    let endpoint = WebhookEndpoint {
        partner_id: partner_id.into(),
        url: url.into(),
        secret: stored(ring.as_deref(), partner_id, &Sensitive::new(SECRET.into())).unwrap(),
        events,
        created_at: world.clock.now_ms(),
    };
    world
        .service
        .app
        .store
        .put_webhook_endpoint(&endpoint)
        .await
        .unwrap();
}

/// A second merchant with its own endpoint and a paid charge.
pub(crate) async fn other_merchant_is_paid(world: &World, url: &str) {
    let other_key = world.another_merchant().await;
    endpoint(world, "partner_other", url).await;
    let request = world
        .request(reqwest::Method::POST, "/v1/charges")
        .bearer_auth(other_key);
    let made = send(request.json(&crate::world::new_charge())).await;
    let charge: CreatedCharge = serde_json::from_value(made.body).unwrap();
    let press = world.press(&charge, "a", &card(&charge, GOOD));
    let mut press = press.build().unwrap();
    // Replaces the other merchant's endpoint.
    press
        .headers_mut()
        .insert("partner-id", "partner_other".parse().unwrap());
    assert_eq!(world.http.execute(press).await.unwrap().status(), 201);
}

/// The events of a charge in order, as soon as `done` is true for them.
pub(crate) async fn events(
    service: &Service,
    charge: &CreatedCharge,
    done: impl Fn(&[ListedEvent]) -> bool,
) -> Vec<ListedEvent> {
    found("the charge's events", async || {
        let mut events = service
            .app
            .store
            .webhook_events(EventSelection::OfCharge(&charge.id), 100)
            .await
            .unwrap();
        events.reverse();
        done(&events).then_some(events)
    })
    .await
}

pub(crate) fn all_are(state: &'static str) -> impl Fn(&[ListedEvent]) -> bool {
    move |events| !events.is_empty() && events.iter().all(|event| event.state == state)
}

/// A paid charge whose first event another node has claimed. That node died before it sent the event.
pub(crate) async fn paid_with_a_claimed_event(world: &World) -> CreatedCharge {
    // Nothing is sent while the endpoint is paused, so that the test can claim the event before the node does.
    let store = &world.service.app.store;
    let now = world.clock.now_ms();
    store
        .pause_webhook_endpoint(&EndpointKey::first(PARTNER_ID), 1, now + 1)
        .await
        .unwrap();
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    let first = EndpointKey::first(PARTNER_ID);
    let claimed = store.claim_due_events(&first, 10, now, now + LEASE_MS);
    assert_eq!(
        claimed.await.unwrap().len(),
        1,
        "the second event waits for the first"
    );
    charge
}

pub(crate) fn pass(world: &World, ms: i64) {
    world.clock.advance_ms(ms);
    world.service.app.webhooks.wake();
}

#[tokio::test]
async fn every_change_is_sent_in_order_and_signed() {
    let (world, receiver) = world().await;
    let charge = world.charge().await;
    world.pay(&charge, "a", DECLINED).await;
    world.pay(&charge, "b", GOOD).await;
    let arrived = receiver.arrived(4).await;
    let kinds: Vec<_> = arrived.iter().map(ReceivedEvent::kind).collect();
    assert_eq!(
        kinds,
        [
            "charge.processing",
            "charge.failed",
            "charge.processing",
            "charge.succeeded"
        ]
    );
    assert_eq!(arrived[1].body["data"]["decline_code"], "insufficient_funds");
    let sequence: Vec<_> = arrived.iter().map(|event| &event.body["sequence"]).collect();
    assert_eq!(sequence, [1, 2, 3, 4]);
    let last = &arrived[3];
    assert_eq!(last.body["data"], world.view(&charge.id).await);
    assert_eq!(last.body["timestamp"], NOW);
    assert_eq!(last.headers["content-type"], "application/json");
    let seconds = world.clock.now_seconds();
    assert_eq!(last.headers["webhook-timestamp"], seconds.to_string());
    let signed = Webhook::new(SECRET).unwrap();
    let signed = signed.sign(last.id(), seconds, last.text.as_bytes()).unwrap();
    assert_eq!(last.headers["webhook-signature"], signed);
    let ids: std::collections::HashSet<_> = arrived
        .iter()
        .map(|event| sha256_hex(event.id().as_bytes()))
        .collect();
    assert_eq!(ids.len(), 4);
    events(&world.service, &charge, all_are("delivered")).await;
}

#[tokio::test]
async fn finished_events_are_kept_for_the_time_in_the_settings() {
    const DAY_MS: i64 = 24 * HOUR_MS;
    let world = World::with(|settings| {
        settings.webhook_private_networks = Some(true);
        settings.webhook_retention_days = Some(2);
    })
    .await;
    let receiver = WebhookReceiver::start().await.unwrap();
    endpoint(&world, PARTNER_ID, &receiver.url).await;
    let charge = world.charge().await;
    assert_eq!(world.pay(&charge, "a", GOOD).await.status, 201);
    events(&world.service, &charge, all_are("delivered")).await;
    let kept = async || {
        server::service::housekeeping::delete_old_data(&world.service.app)
            .await
            .unwrap();
        let store = &world.service.app.store;
        let events = store.webhook_events(EventSelection::OfCharge(&charge.id), 100);
        events.await.unwrap().len()
    };
    world.clock.advance_ms(2 * DAY_MS);
    assert_eq!(kept().await, 2);
    world.clock.advance_ms(1);
    assert_eq!(kept().await, 0);
}

#[tokio::test]
async fn a_silent_receiver_delays_no_charge_and_no_other_merchant() {
    let (world, silent) = world().await;
    silent.set(ReceiverBehavior::SaysNothing);
    let mut silenced = Vec::new();
    for number in 0..6 {
        let charge = world.charge().await;
        assert_eq!(
            world.pay(&charge, "a", GOOD).await.status_code(),
            "succeeded",
            "{number}"
        );
        silenced.push(charge);
    }
    // At most four calls at the same time to one merchant.
    assert_eq!(silent.arrived(4).await.len(), 4);

    let heard = WebhookReceiver::start().await.unwrap();
    other_merchant_is_paid(&world, &heard.url).await;
    assert_eq!(heard.arrived(2).await.len(), 2);
    assert_eq!(silent.all().len(), 4);

    silent.set(ReceiverBehavior::Answers(204));
    for charge in &silenced {
        events(&world.service, charge, all_are("delivered")).await;
    }
}

#[tokio::test]
async fn an_event_is_given_up_after_three_days_and_can_be_replayed() {
    let (world, receiver) = world().await;
    receiver.set(ReceiverBehavior::Answers(500));
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    let written = world.clock.now_ms();
    let mut now = written;
    loop {
        let nothing_is_sent = |events: &[ListedEvent]| {
            let is_sent = |event: &ListedEvent| {
                event.state == "due" && (event.next_try_at <= now || event.next_try_at == now + LEASE_MS)
            };
            !events.iter().any(is_sent)
        };
        let seen = events(&world.service, &charge, nothing_is_sent).await;
        let unfinished = seen.iter().filter(|event| event.state != "given_up");
        let Some(next) = unfinished.map(|event| event.next_try_at).min() else {
            break;
        };
        pass(&world, next - now);
        now = next;
    }
    assert_eq!(now - written, 72 * HOUR_MS);
    let seen = events(&world.service, &charge, all_are("given_up")).await;
    // One more try if the event's id gives the shortest pauses. The second event waited for the first one.
    assert!(
        seen.iter().all(|event| (16..=18).contains(&event.tries)),
        "{seen:?}"
    );

    receiver.set(ReceiverBehavior::Answers(200));
    let before = receiver.all();
    let store = &world.service.app.store;
    assert_eq!(
        store
            .replay_events(EventSelection::GivenUp(PARTNER_ID), now)
            .await
            .unwrap(),
        2
    );
    world.service.app.webhooks.wake();
    events(&world.service, &charge, all_are("delivered")).await;
    let replayed: Vec<_> = receiver.all()[before.len()..]
        .iter()
        .map(|event| event.id().to_owned())
        .collect();
    assert_eq!(replayed, [seen[0].id.as_str(), seen[1].id.as_str()]);
    assert_eq!(
        store
            .replay_events(EventSelection::GivenUp(PARTNER_ID), now)
            .await
            .unwrap(),
        0
    );
}

#[tokio::test]
async fn an_event_is_tried_every_eleven_minutes_while_the_server_is_down() {
    const ELEVEN_MINUTES_MS: i64 = 660_000;
    let (world, receiver) = world().await;
    endpoint(&world, PARTNER_ID, "http://127.0.0.1:9/").await;
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    for tries in 1..=12 {
        let now = world.clock.now_ms();
        let has_failed = |events: &[ListedEvent]| {
            (events[0].tries, events[0].next_try_at == now + LEASE_MS) == (tries, false)
        };
        let seen = events(&world.service, &charge, has_failed).await;
        let pause = seen[0].next_try_at - now;
        assert!(pause <= ELEVEN_MINUTES_MS, "{pause} ms after {tries} tries");
        if tries == 6 {
            // A proxy answers for the server.
            receiver.set(ReceiverBehavior::Answers(502));
            endpoint(&world, PARTNER_ID, &receiver.url).await;
        }
        pass(&world, ELEVEN_MINUTES_MS);
    }
    receiver.set(ReceiverBehavior::Answers(204));
    pass(&world, ELEVEN_MINUTES_MS);
    events(&world.service, &charge, all_are("delivered")).await;
}

#[tokio::test]
async fn the_events_of_a_node_that_died_are_sent_by_another_after_its_lease() {
    let (world, receiver) = world().await;
    let charge = paid_with_a_claimed_event(&world).await;
    let now = world.clock.now_ms();
    pass(&world, LEASE_MS - 1);
    assert!(
        world
            .service
            .app
            .store
            .claim_due_events(
                &EndpointKey::first(PARTNER_ID),
                10,
                now + LEASE_MS - 1,
                now + 2 * LEASE_MS
            )
            .await
            .unwrap()
            .is_empty()
    );
    assert!(receiver.all().is_empty());
    pass(&world, 1);
    events(&world.service, &charge, all_are("delivered")).await;
    assert_eq!(
        receiver.kinds_of(&charge.id),
        ["charge.processing", "charge.succeeded"]
    );
}

#[tokio::test]
async fn two_nodes_send_each_event_once() {
    let (world, receiver) = world().await;
    let other = world.another_node().await;
    let mut charges = Vec::new();
    for number in 0..12 {
        let charge = world.charge().await;
        world
            .pay(&charge, "a", if number % 3 == 0 { DECLINED } else { GOOD })
            .await;
        other.app.webhooks.wake();
        charges.push(charge);
    }
    for charge in &charges {
        events(&world.service, charge, all_are("delivered")).await;
        assert_eq!(receiver.kinds_of(&charge.id).len(), 2);
    }
    other.stop().await;
}

#[tokio::test]
async fn a_lost_outcome_and_its_result_are_both_sent() {
    let world = World::with(|settings| {
        settings.webhook_private_networks = Some(true);
        settings.provider_timeout_ms = Some(400);
    })
    .await;
    let receiver = WebhookReceiver::start().await.unwrap();
    endpoint(&world, PARTNER_ID, &receiver.url).await;
    let charge = world.charge().await;
    world.provider.set(LinkState::HoldsAnswers);
    world.pay(&charge, "a", GOOD).await;
    payments::charges::reconciler::reconcile(&world.service.app.charges)
        .await
        .unwrap();
    receiver.arrived(3).await;
    assert_eq!(
        receiver.kinds_of(&charge.id),
        ["charge.processing", "charge.outcome_unknown", "charge.succeeded"]
    );
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let (world, receiver) = world().await;
    let elsewhere = WebhookReceiver::start().await.unwrap();
    receiver.set(ReceiverBehavior::RedirectsTo(elsewhere.url.clone()));
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    let seen = events(&world.service, &charge, |events| events[0].last_result.is_some()).await;
    assert_eq!(seen[0].last_result.as_deref(), Some("307"));
    assert!(elsewhere.all().is_empty());
}

#[tokio::test]
async fn webhooks_reach_private_networks_only_if_allowed() {
    let world = World::new().await;
    let receiver = WebhookReceiver::start().await.unwrap();
    endpoint(&world, PARTNER_ID, &receiver.url).await;
    let charge = world.charge().await;
    assert_eq!(world.pay(&charge, "a", GOOD).await.status, 201);
    let seen = events(&world.service, &charge, |events| events[0].last_result.is_some()).await;
    assert_eq!(
        seen[0].last_result.as_deref(),
        Some("the endpoint cannot be used")
    );
    assert!(receiver.all().is_empty());
}

#[tokio::test]
async fn events_are_written_only_while_there_is_an_endpoint() {
    let world = World::with(|settings| settings.webhook_private_networks = Some(true)).await;
    let charge = world.charge().await;
    world.pay(&charge, "a", DECLINED).await;
    let store = &world.service.app.store;
    assert_eq!(
        store
            .webhook_events(EventSelection::OfCharge(&charge.id), 9)
            .await
            .unwrap(),
        []
    );
    let receiver = WebhookReceiver::start().await.unwrap();
    receiver.set(ReceiverBehavior::Answers(500));
    endpoint(&world, PARTNER_ID, &receiver.url).await;
    world.pay(&charge, "b", GOOD).await;
    receiver.arrived(1).await;
    assert!(
        store
            .remove_webhook_endpoint(&EndpointKey::first(PARTNER_ID), None, world.clock.now_ms())
            .await
            .unwrap()
    );
    let seen = events(&world.service, &charge, |_| true).await;
    assert!(
        seen.len() == 2 && seen.iter().all(|event| event.state == "given_up"),
        "{seen:?}"
    );
    let first = EndpointKey::first(PARTNER_ID);
    assert!(!store.remove_webhook_endpoint(&first, None, 0).await.unwrap());
}

#[tokio::test]
async fn a_former_secret_signs_too_until_its_time_is_over() {
    let (world, receiver) = world().await;
    let (new, until) = (
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        world.clock.now_seconds() + 60,
    );
    let endpoint = WebhookEndpoint {
        partner_id: PARTNER_ID.into(),
        url: receiver.url.clone(),
        secret: stored(None, PARTNER_ID, &format!("{new} {SECRET} {until}").into()).unwrap(),
        events: None,
        created_at: 0,
    };
    world
        .service
        .app
        .store
        .put_webhook_endpoint(&endpoint)
        .await
        .unwrap();
    let first = world.charge().await;
    world.pay(&first, "a", GOOD).await;
    let event = &receiver.arrived(1).await[0];
    let signed_by = |event: &ReceivedEvent, secret: &str| {
        let key = Webhook::new(secret).unwrap();
        let now = event.header("webhook-timestamp").parse().unwrap();
        let signature = key.sign(event.id(), now, event.text.as_bytes()).unwrap();
        event
            .header("webhook-signature")
            .split(' ')
            .any(|one| one == signature)
    };
    assert!(signed_by(event, new) && signed_by(event, SECRET));
    let before = receiver.arrived(2).await.len();
    pass(&world, 61_000);
    let second = world.charge().await;
    world.pay(&second, "a", GOOD).await;
    let event = &receiver.arrived(before + 1).await[before];
    assert!(signed_by(event, new) && !signed_by(event, SECRET));
}

#[tokio::test]
async fn a_receiver_that_is_gone_gets_no_more_events() {
    let (world, receiver) = world().await;
    receiver.set(ReceiverBehavior::Answers(410));
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    receiver.arrived(1).await;
    events(&world.service, &charge, all_are("given_up")).await;
    let store = &world.service.app.store;
    let is_removed = async || {
        store
            .webhook_endpoint(PARTNER_ID)
            .await
            .unwrap()
            .is_none()
            .then_some(())
    };
    found("the endpoint is removed", is_removed).await;
    let logged = async || {
        let lines = store.audit_lines_of(PARTNER_ID, None, 9).await.unwrap();
        lines.into_iter().find(|line| line.action == "webhook_removed")
    };
    let line = found("the audit log has the removal", logged).await;
    assert!(line.detail.contains("410"), "{line:?}");
    world.pay(&world.charge().await, "b", GOOD).await;
    pass(&world, HOUR_MS);
    assert_eq!(receiver.all().len(), 1);
}

#[tokio::test]
async fn a_receiver_that_asks_to_wait_gets_no_event_before() {
    let (world, receiver) = world().await;
    receiver.set(ReceiverBehavior::AsksToWait(429, 600));
    let charge = world.charge().await;
    world.pay(&charge, "a", GOOD).await;
    receiver.arrived(1).await;
    let waits = |events: &[ListedEvent]| {
        events
            .iter()
            .any(|event| event.last_result.as_deref() == Some("429"))
    };
    events(&world.service, &charge, waits).await;
    receiver.set(ReceiverBehavior::Answers(204));
    pass(&world, 599_000);
    let store = &world.service.app.store;
    let due = store
        .endpoints_with_due_events(&EndpointKey::first(""), world.clock.now_ms(), 9)
        .await
        .unwrap();
    assert_eq!(due, []);
    pass(&world, 2_000);
    receiver.arrived(3).await;
    events(&world.service, &charge, all_are("delivered")).await;
}
