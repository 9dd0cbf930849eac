//! The database fails between the provider's approval and its record. No answer says that the payment failed.

use payments::charges::reconciler::reconcile;

use crate::other_program::OtherProgram;
use crate::provider::LinkState;
use crate::world::World;

const GOOD: &str = "4242424242424242";
const BAD: &str = "4000000000009995";

/// Presses, lets the database fail before the provider's answer arrives, and repairs it afterwards. Returns the status
/// in the answer to the shopper, and the final status.
async fn told_without_a_record(number: &str) -> (World, String, String) {
    let world = World::new().await;
    let charge = world.charge().await;
    let press = world.held_press(&charge, "press", number).await;
    let other = OtherProgram::connect(world.database()).await;
    let moved = other
        .run("ALTER TABLE attempts RENAME TO attempts_elsewhere")
        .await;
    moved.unwrap();
    world.provider.set(LinkState::Works);
    let answer = press.await.unwrap();
    assert_eq!(answer.status, 201, "{answer:?}");
    let moved = other
        .run("ALTER TABLE attempts_elsewhere RENAME TO attempts")
        .await;
    moved.unwrap();
    // The attempt belongs to the press until its lease is over.
    world.clock.advance_ms(60_000);
    reconcile(&world.service.app.charges).await.unwrap();
    let view = world.view(&charge.id).await;
    let status = view["status"].as_str().unwrap().to_owned();
    (world, answer.status_code().to_owned(), status)
}

#[tokio::test]
async fn an_approval_that_is_not_recorded_is_an_unknown_outcome() {
    let (world, told, status) = Box::pin(told_without_a_record(GOOD)).await;
    assert_eq!((&*told, &*status), ("outcome_unknown", "succeeded"));
    assert_eq!(world.provider.approvals(), 1);
}

#[tokio::test]
async fn a_decline_that_is_not_recorded_is_an_unknown_outcome() {
    let (world, told, status) = Box::pin(told_without_a_record(BAD)).await;
    assert_eq!((&*told, &*status), ("outcome_unknown", "failed"));
    assert_eq!(world.provider.approvals(), 0);
}
