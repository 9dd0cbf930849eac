//! Attempts whose process died are taken over after their lease, and never before.

use std::sync::Arc;
use std::time::Duration;

use payments::charges::reconciler::{Round, reconcile};
use protocol::CreatedCharge;

use crate::dead_process::{LEASE_MS, leave_attempt, payment_of};
use crate::provider::{LinkState, simulator_at};
use crate::waiting::holds;
use crate::world::World;

/// A process dies during a press: it leaves an attempt, and with `sent` the payment.
async fn die_while_paying(world: &World, charge: &CreatedCharge, number: &str, sent: bool) {
    let attempt = leave_attempt(world, charge).await;
    if sent {
        let url = world.provider.url.parse().unwrap();
        let connector = simulator_at(&url);
        let payment = payment_of(&attempt, number);
        connector.charge(&payment, None, Duration::from_secs(5)).await;
    }
}

async fn round(world: &World) -> (usize, usize) {
    let Round { resolved, open } = reconcile(&world.service.app.charges).await.unwrap();
    (resolved, open)
}

#[tokio::test]
async fn an_attempt_with_a_valid_lease_is_not_reconciled() {
    let world = World::new().await;
    let charge = world.charge().await;
    die_while_paying(&world, &charge, "4242424242424242", true).await;
    world.clock.advance_ms(LEASE_MS - 1);
    assert_eq!(round(&world).await, (0, 0));
    assert_eq!(world.view(&charge.id).await["status"], "processing");
    world.clock.advance_ms(1);
    assert_eq!(round(&world).await, (1, 0));
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
    assert_eq!(round(&world).await, (0, 0));
}

#[tokio::test]
async fn a_decline_with_a_lost_answer_is_recorded() {
    let world = World::new().await;
    let charge = world.charge().await;
    die_while_paying(&world, &charge, "4000000000009995", true).await;
    world.clock.advance_ms(LEASE_MS);
    assert_eq!(round(&world).await, (1, 0));
    let view = world.view(&charge.id).await;
    assert_eq!(view["status"], "failed");
    assert_eq!(view["decline_code"], "insufficient_funds");
}

#[tokio::test]
async fn a_payment_that_was_never_sent_fails_after_the_grace_time() {
    let world = World::new().await;
    let charge = world.charge().await;
    die_while_paying(&world, &charge, "4242424242424242", false).await;
    world.clock.advance_ms(LEASE_MS);
    assert_eq!(round(&world).await, (0, 1));
    assert_eq!(world.view(&charge.id).await["status"], "outcome_unknown");
    // It is not looked up again at once.
    assert_eq!(round(&world).await, (0, 0));
    world.clock.advance_ms(45_000 - LEASE_MS);
    assert_eq!(round(&world).await, (1, 0));
    assert_eq!(world.view(&charge.id).await["decline_code"], "processing_error");
    assert_eq!(
        world.pay(&charge, "press-2", "4242424242424242").await.status,
        201
    );
    assert_eq!(world.provider.approvals(), 1);
}

/// A node pauses before its call to the provider for longer than its lease and the grace time, and then continues.
#[tokio::test]
async fn a_payment_that_a_woken_node_sends_late_takes_no_money() {
    let world = Arc::new(World::new().await);
    let charge = Arc::new(world.charge().await);
    world.provider.set(LinkState::HoldsPayments);
    let press = {
        let (world, charge) = (Arc::clone(&world), Arc::clone(&charge));
        tokio::spawn(async move { world.pay(&charge, "a", "4242424242424242").await })
    };
    world.provider.arrived(1).await;
    // The node in this process may renew its lease, so the clock advances until another node has the attempt.
    holds("the others give the attempt up", async || {
        world.clock.advance_ms(2 * LEASE_MS);
        round(&world).await;
        world.view(&charge.id).await["status"] == "failed"
    })
    .await;

    world.provider.set(LinkState::Works);
    let late = press.await.unwrap();
    assert_ne!(late.status_code(), "succeeded", "{late:?}");
    assert_eq!(world.provider.approvals(), 0);
    assert_eq!(world.view(&charge.id).await["status"], "failed");
    let again = world.pay(&charge, "b", "4242424242424242").await;
    assert_eq!(again.status_code(), "succeeded");
    assert_eq!(world.provider.approvals(), 1);
}

#[tokio::test]
async fn an_unreachable_provider_leaves_attempts_open() {
    let world = World::new().await;
    let charge = world.charge().await;
    die_while_paying(&world, &charge, "4242424242424242", true).await;
    world.provider.set(LinkState::Down);
    for _ in 0..3 {
        world.clock.advance_ms(3_600_000);
        assert_eq!(round(&world).await, (0, 1));
        assert_eq!(world.view(&charge.id).await["status"], "outcome_unknown");
    }
    world.provider.set(LinkState::Works);
    world.clock.advance_ms(LEASE_MS);
    assert_eq!(round(&world).await, (1, 0));
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
}

#[tokio::test]
async fn two_nodes_resolve_each_attempt_once() {
    let world = World::new().await;
    let other = world.another_node().await;
    for _ in 0..5 {
        let charge = world.charge().await;
        die_while_paying(&world, &charge, "4242424242424242", true).await;
    }
    world.clock.advance_ms(LEASE_MS);
    let (here, there) = tokio::join!(
        reconcile(&world.service.app.charges),
        reconcile(&other.app.charges)
    );
    let (here, there) = (here.unwrap(), there.unwrap());
    assert_eq!((here.resolved + there.resolved, here.open + there.open), (5, 0));
    assert_eq!(world.provider.approvals(), 5);
    other.stop().await;
}

#[tokio::test]
async fn a_service_reconciles_when_it_starts() {
    let world = World::new().await;
    let charge = world.charge().await;
    die_while_paying(&world, &charge, "4242424242424242", true).await;
    world.clock.advance_ms(LEASE_MS);
    let other = world.restarted_node().await;
    // A press on either node waits for the outcome that the starting node finds.
    let answer = world.pay(&charge, "press-2", "4242424242424242").await;
    assert_eq!((answer.status, answer.status_code()), (201, "succeeded"));
    assert_eq!(world.provider.outcomes().len(), 1);
    other.stop().await;
}

#[tokio::test]
async fn many_lost_outcomes_are_asked_for_at_the_same_time() {
    const LOST: usize = 20;
    const AT_ONCE: usize = 16;
    let world = World::new().await;
    for _ in 0..LOST {
        die_while_paying(&world, &world.charge().await, "4242424242424242", true).await;
    }
    world.clock.advance_ms(LEASE_MS);
    world.provider.set(LinkState::HoldsLookups);
    let charges = Arc::clone(&world.service.app.charges);
    let reconciling = tokio::spawn(async move { reconcile(&charges).await.unwrap() });
    holds(format!("{AT_ONCE} are asked for at once"), async || {
        world.provider.lookups() >= AT_ONCE
    })
    .await;
    world.provider.set(LinkState::Works);
    let all = Round {
        resolved: LOST,
        open: 0,
    };
    assert_eq!(reconciling.await.unwrap(), all);
}

#[tokio::test]
async fn a_start_after_an_outage_resolves_more_than_a_round() {
    const LOST: usize = 130;
    let world = World::new().await;
    let mut charges = Vec::new();
    for _ in 0..LOST {
        let charge = world.charge().await;
        die_while_paying(&world, &charge, "4242424242424242", true).await;
        charges.push(charge);
    }
    world.clock.advance_ms(LEASE_MS);
    let restarted = world.restarted_node().await;
    for charge in charges {
        holds(format!("{} is resolved", charge.id), async || {
            world.view(&charge.id).await["status"] == "succeeded"
        })
        .await;
    }
    restarted.stop().await;
}

/// Both nodes ask for the oldest attempts, so that each finds some of them taken by the other.
#[tokio::test]
async fn two_nodes_that_share_rounds_do_not_pause_between_them() {
    const LOST: usize = 230;
    const AT_ONCE: usize = 16;
    let world = World::with(|settings| settings.reconcile_interval_ms = Some(3_600_000)).await;
    let mut charges = Vec::new();
    for _ in 0..LOST {
        let charge = world.charge().await;
        die_while_paying(&world, &charge, "4242424242424242", true).await;
        charges.push(charge);
    }
    world.clock.advance_ms(LEASE_MS);
    world.provider.set(LinkState::HoldsLookups);
    let nodes = [world.restarted_node().await, world.restarted_node().await];
    holds("both nodes ask", async || world.provider.lookups() >= 2 * AT_ONCE).await;
    world.provider.set(LinkState::Works);
    for charge in charges {
        holds(format!("{} is resolved", charge.id), async || {
            world.view(&charge.id).await["status"] == "succeeded"
        })
        .await;
    }
    assert_eq!(world.provider.approvals(), LOST);
    for node in nodes {
        node.stop().await;
    }
}
