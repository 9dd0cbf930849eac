//! Which of a charge's events a merchant gets, and in which order.

use store::ListedEvent;

use crate::waiting::found;
use crate::webhooks::{
    DECLINED, GOOD, LEASE_MS, all_are, endpoint_for, events, paid_with_a_claimed_event, pass, world,
};
use crate::world::PARTNER_ID;
use harness::receiver::ReceiverBehavior;

#[tokio::test]
async fn an_event_waits_only_for_earlier_events_of_its_charge() {
    let (world, receiver) = world().await;
    receiver.set(ReceiverBehavior::Answers(500));
    let charge = world.charge().await;
    assert_eq!(world.pay(&charge, "a", GOOD).await.status, 201);
    receiver.arrived(1).await;
    let seen = events(&world.service, &charge, |events| events[0].last_result.is_some()).await;
    let states: Vec<_> = seen
        .iter()
        .map(|event| (event.state.as_str(), event.tries))
        .collect();
    assert_eq!(states, [("due", 1), ("queued", 0)]);
    assert_eq!(seen[0].last_result.as_deref(), Some("500"));

    receiver.set(ReceiverBehavior::Answers(200));
    let other = world.charge().await;
    world.pay(&other, "a", GOOD).await;
    events(&world.service, &other, all_are("delivered")).await;
    assert_eq!(receiver.kinds_of(&charge.id), ["charge.processing"]);

    pass(&world, seen[0].next_try_at - world.clock.now_ms());
    events(&world.service, &charge, all_are("delivered")).await;
    let told = receiver.kinds_of(&charge.id);
    assert_eq!(
        told,
        ["charge.processing", "charge.processing", "charge.succeeded"]
    );
}

#[tokio::test]
async fn a_refused_event_delays_later_ones_a_minute_at_most() {
    let (world, receiver) = world().await;
    receiver.set(ReceiverBehavior::DoesNotKnow("charge.processing"));
    let charge = world.charge().await;
    world.pay(&charge, "a", DECLINED).await;
    world.pay(&charge, "b", GOOD).await;
    let written = world.clock.now_ms();
    let is_tried = |event: &ListedEvent| event.last_result.is_some();
    let seen = events(&world.service, &charge, |events| is_tried(&events[0])).await;
    let states: Vec<_> = seen.iter().map(|event| event.state.as_str()).collect();
    assert_eq!(states, ["due", "queued", "queued", "queued"]);

    // The events that were refused are tried as they are due, and the clock never passes the minute.
    let succeeded = found("the success arrives", async || {
        let seen = events(&world.service, &charge, |events| {
            events
                .iter()
                .all(|event| event.state != "due" || event.next_try_at != world.clock.now_ms() + LEASE_MS)
        })
        .await;
        let now = world.clock.now_ms();
        let waiting = seen
            .iter()
            .filter(|event| event.state == "due" || event.state == "queued");
        let next = waiting
            .map(|event| event.next_try_at)
            .filter(|at| *at > now)
            .min();
        if let Some(next) = next.filter(|next| *next <= written + 60_000) {
            pass(&world, next - now);
        }
        let success = seen.into_iter().find(|event| event.kind == "charge.succeeded");
        success.filter(|event| event.state == "delivered")
    })
    .await;
    assert_eq!(succeeded.number, 4);
    assert!(world.clock.now_ms() <= written + 60_000);
    let told = receiver.all();
    let failed = told.iter().find(|event| event.kind() == "charge.failed").unwrap();
    assert_eq!(failed.body["sequence"], 2, "by it the receiver can order them");

    // The one that was refused is not forgotten.
    receiver.set(ReceiverBehavior::Answers(204));
    let last = events(&world.service, &charge, |_| true).await.remove(0);
    assert_eq!(last.state, "due");
    pass(&world, last.next_try_at - world.clock.now_ms());
    pass(&world, 10 * 60_000);
    events(&world.service, &charge, all_are("delivered")).await;
}

#[tokio::test]
async fn a_node_that_dies_while_sending_delays_no_retry() {
    let (world, receiver) = world().await;
    receiver.set(ReceiverBehavior::Answers(500));
    let charge = paid_with_a_claimed_event(&world).await;

    pass(&world, LEASE_MS);
    let seen = events(&world.service, &charge, |events| events[0].last_result.is_some()).await;
    let pause = seen[0].next_try_at - world.clock.now_ms();
    assert!((5_000..=5_500).contains(&pause), "the first refusal: {pause} ms");
    receiver.set(ReceiverBehavior::Answers(200));
    pass(&world, pause);
    events(&world.service, &charge, all_are("delivered")).await;
    assert_eq!(
        receiver.kinds_of(&charge.id),
        ["charge.processing", "charge.processing", "charge.succeeded"]
    );
}

#[tokio::test]
async fn an_endpoint_gets_only_its_chosen_events() {
    let (world, receiver) = world().await;
    let wanted = vec!["charge.failed".to_owned(), "charge.succeeded".to_owned()];
    endpoint_for(&world, PARTNER_ID, &receiver.url, Some(wanted)).await;
    let charge = world.charge().await;
    world.pay(&charge, "a", DECLINED).await;
    world.pay(&charge, "b", GOOD).await;
    let written = events(&world.service, &charge, all_are("delivered")).await;
    assert_eq!(written.len(), 2, "the others are not even written");
    assert_eq!(
        receiver.kinds_of(&charge.id),
        ["charge.failed", "charge.succeeded"]
    );
}
