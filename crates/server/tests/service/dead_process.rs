//! The traces of a process that died during a press: an attempt, and perhaps a payment.

use protocol::{CaptureMethod, ChargeDescription, CreatedCharge};
use providers::{Authentication, Billing, ProviderCard, ProviderCharge};
use store::{BeginOutcome, ChargeTerms, NewAttempt, UsedCard};
use vault::{Pan, SecurityCode};

use crate::world::World;

/// How long the attempt still belongs to the dead process.
pub(crate) const LEASE_MS: i64 = 10_000;

/// The attempt that the dead process had begun.
pub(crate) async fn leave_attempt(world: &World, charge: &CreatedCharge) -> NewAttempt {
    let now_ms = world.clock.now_ms();
    let attempt = NewAttempt {
        id: format!("att_{}", charge.id),
        charge_id: charge.id.clone(),
        press_key: "press-1".into(),
        provider_key: world.service.app.charges.provider.new_key(&world.clock),
        now_ms,
        owner_until: now_ms + LEASE_MS,
        terms: ChargeTerms::from(&world.service.app.store.charge(&charge.id).await.unwrap().unwrap()),
        card: UsedCard::new("visa", "4242", "424242", (12, 2030), None),
        charge_limit: None,
        counts: vec![],
        opens_card: None,
    };
    let begun = world.service.app.store.begin_attempt(&attempt).await.unwrap();
    assert!(matches!(begun, BeginOutcome::Started(_)));
    attempt
}

/// The payment that this attempt asks the provider for.
pub(crate) fn payment_of(attempt: &NewAttempt, number: &str) -> ProviderCharge {
    ProviderCharge {
        attempt_id: attempt.id.clone(),
        idempotency_key: attempt.provider_key.clone(),
        charge_id: attempt.charge_id.clone(),
        amount_value: "12.50".into(),
        amount_currency: "USD".into(),
        description: ChargeDescription::default(),
        capture: CaptureMethod::Automatic,
        statement_descriptor: None,
        billing: Billing::default(),
        card: ProviderCard {
            number: Pan::parse(number).unwrap(),
            security_code: Some(SecurityCode::parse("123").unwrap()),
            expiration_month: 12,
            expiration_year: 2030,
            holder_name: String::new(),
            network: None,
        },
        authentication: Authentication::default(),
        merchant: None,
        saved_for: None,
        keep_for: None,
        shopper_id: String::new(),
    }
}
