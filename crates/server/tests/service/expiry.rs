//! Charges expire without a request for them.

use payments::charges::reconciler::reconcile;
use protocol::{ChargeStatus, CreatedCharge};

use crate::dead_process::leave_attempt;
use crate::provider::LinkState;
use crate::world::World;

const GOOD: &str = "4242424242424242";
const BAD: &str = "4000000000009995";
const DAY_MS: i64 = 86_400_000;

fn lifetime_ms(world: &World) -> i64 {
    i64::try_from(world.service.app.config.charges.lifetime.as_millis()).unwrap()
}

async fn sweep(world: &World) -> usize {
    world.service.app.charges.expiry.sweep().await.unwrap()
}

/// The status of the charge in the database. A read over HTTP would let the charge expire.
async fn stored(world: &World, charge: &CreatedCharge) -> ChargeStatus {
    let found = world.service.app.store.charge(&charge.id).await.unwrap();
    found.unwrap().status
}

#[tokio::test]
async fn a_charge_at_the_provider_expires_after_its_card_is_declined() {
    let world = World::new().await;
    let (declined, paid, untouched) = (world.charge().await, world.charge().await, world.charge().await);
    // Their process dies during the press. One payment was never sent, and the other was made.
    leave_attempt(&world, &declined).await;
    world.provider.set(LinkState::GarblesAnswers);
    assert_eq!(world.pay(&paid, "a", GOOD).await.status_code(), "outcome_unknown");
    world.provider.set(LinkState::Down);
    world.clock.advance_ms(lifetime_ms(&world));
    assert_eq!(sweep(&world).await, 3);
    assert_eq!(stored(&world, &untouched).await, ChargeStatus::Expired);
    // Long after all charges of their time were looked at, they are still waited for.
    let next = world.charge().await;
    world.clock.advance_ms(lifetime_ms(&world) + DAY_MS);
    assert_eq!(sweep(&world).await, 3);
    assert_eq!(stored(&world, &next).await, ChargeStatus::Expired);
    assert_eq!(stored(&world, &declined).await, ChargeStatus::Processing);
    assert_eq!(stored(&world, &paid).await, ChargeStatus::OutcomeUnknown);

    world.provider.set(LinkState::Works);
    reconcile(&world.service.app.charges).await.unwrap();
    assert_eq!(stored(&world, &declined).await, ChargeStatus::Failed);
    assert_eq!(sweep(&world).await, 2);
    assert_eq!(stored(&world, &declined).await, ChargeStatus::Expired);
    assert_eq!(stored(&world, &paid).await, ChargeStatus::Succeeded);
    assert_eq!(sweep(&world).await, 0);
}

#[tokio::test]
async fn a_charge_whose_time_has_run_out_is_not_paid() {
    let world = World::with(|settings| {
        settings.charge_lifetime_seconds = Some(600);
        settings.client_secret_lifetime_seconds = Some(3_600);
    })
    .await;
    let (in_time, late) = (world.charge().await, world.charge().await);
    world.clock.advance_ms(lifetime_ms(&world) - 1);
    assert_eq!(world.pay(&in_time, "a", GOOD).await.status_code(), "succeeded");
    let asked = world.provider.asked();
    world.clock.advance_ms(1);
    let answer = world.pay(&late, "a", GOOD).await;
    assert_eq!((answer.status, answer.code()), (409, "charge_not_payable"));
    assert_eq!(world.provider.asked(), asked);
    assert_eq!(stored(&world, &late).await, ChargeStatus::Expired);
}

#[tokio::test]
async fn charges_created_in_the_same_millisecond_all_expire() {
    let world = World::new().await;
    let mut open = Vec::new();
    for number in 0..450 {
        let charge = world.charge().await;
        match number % 9 {
            0 => assert_eq!(world.pay(&charge, "a", GOOD).await.status_code(), "succeeded"),
            1 => assert_eq!(world.pay(&charge, "a", BAD).await.status, 402),
            _ => {}
        }
        if number % 9 != 0 {
            open.push(charge);
        }
        // The first 250 are created in one millisecond.
        if number % 50 == 49 && number >= 250 {
            world.clock.advance_ms(1);
        }
    }
    world.clock.advance_ms(lifetime_ms(&world));
    let mut swept = 0;
    while swept < open.len() {
        let more = sweep(&world).await;
        assert_ne!(more, 0, "{swept} of {}", open.len());
        swept += more;
    }
    assert_eq!(swept, open.len());
    for charge in &open {
        assert_eq!(
            stored(&world, charge).await,
            ChargeStatus::Expired,
            "{}",
            charge.id
        );
    }
}

#[tokio::test]
async fn a_charge_expires_although_an_earlier_clock_was_ahead() {
    const AHEAD_MS: i64 = 400 * DAY_MS;
    let world = World::new().await;
    world.clock.advance_ms(AHEAD_MS);
    let ahead = world.charge().await;
    world.clock.advance_ms(lifetime_ms(&world) + DAY_MS);
    assert_eq!(sweep(&world).await, 1);
    assert_eq!(stored(&world, &ahead).await, ChargeStatus::Expired);

    world.clock.advance_ms(-AHEAD_MS);
    assert_eq!(sweep(&world).await, 0);
    let charge = world.charge().await;
    world.clock.advance_ms(lifetime_ms(&world) + AHEAD_MS);
    assert_eq!(sweep(&world).await, 1);
    assert_eq!(stored(&world, &charge).await, ChargeStatus::Expired);
}
