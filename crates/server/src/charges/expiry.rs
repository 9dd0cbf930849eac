//! A charge's time: one that is not paid within it expires, at the latest when somebody looks.

use model::charge_state::{ChargeEvent, transition};
use store::{Charge, StoreError};

use super::press::millis;
use crate::service::app::App;

/// How many charges one sweep takes.
const CHARGES_PER_SWEEP: i64 = 200;

/// The charge as it stands now: expired if its time has run out. While a card is with the provider nothing expires.
pub async fn as_it_stands(app: &App, charge: Charge) -> Result<Charge, StoreError> {
    let can_expire = transition(charge.status.0, ChargeEvent::Expired).is_ok();
    if !can_expire || charge.created_at > made_before(app) {
        return Ok(charge);
    }
    expire(app, &charge.id).await?;
    let now = app.store.charge(&charge.id).await?;
    now.ok_or(StoreError::Unusable("charge that is gone"))
}

/// Expires charges whose time has run out and at which nobody looked; how many.
pub async fn sweep(app: &App) -> Result<usize, StoreError> {
    let due = app
        .store
        .charges_made_before(made_before(app), CHARGES_PER_SWEEP)
        .await?;
    for id in &due {
        expire(app, id).await?;
    }
    Ok(due.len())
}

async fn expire(app: &App, id: &str) -> Result<(), StoreError> {
    // A card that went to the provider meanwhile keeps the charge alive.
    app.store
        .end_charge(id, ChargeEvent::Expired, app.clock.now_ms())
        .await?;
    Ok(())
}

/// Charges made at this time, in unix milliseconds, or before it are due.
fn made_before(app: &App) -> i64 {
    app.clock.now_ms() - millis(app.config.charge_lifetime)
}

#[cfg(test)]
mod tests {
    use wire::ChargeStatus;

    use super::*;
    use model::charge_state::ALL_STATES;

    #[test]
    fn only_a_charge_that_waits_for_a_card_can_expire() {
        let can = ALL_STATES
            .into_iter()
            .filter(|from| transition(*from, ChargeEvent::Expired).is_ok());
        assert!(can.eq([ChargeStatus::Created, ChargeStatus::Failed]));
    }
}
