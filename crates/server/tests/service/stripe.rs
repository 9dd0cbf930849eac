//! Charges with Stripe: against `localstripe`, and against scripted answers for features that it does not have. The
//! real Stripe is not called.

mod card_payments;
mod documented_answers;
mod events;
mod holds;
mod killed_nodes;
mod killed_while_confirming;
mod leaks;
mod listed_payments;
mod localstripe;
mod lost_answers;
mod operations;
mod peer;
mod process_deaths;
mod saved_cards;
mod steered_challenges;

use protocol::{CreatedCharge, Sensitive};
use server::config::Settings;

use self::localstripe::STRIPE_KEY;
use self::peer::StripeRequest;
use crate::cards::ring;
use crate::world::{Answer, World};

/// How long after a return the next one asks the provider again, in milliseconds.
const RETURN_PAUSE_MS: i64 = 3_000;
const APPROVED: &str = "4242424242424242";
const DECLINED: &str = "4000000000000341";

/// A service whose provider is Stripe at this address.
async fn world(url: &str) -> World {
    World::with(|settings| with_stripe(settings, url)).await
}

fn with_stripe(settings: &mut Settings, url: &str) {
    settings.provider = Some("stripe".into());
    settings.provider_url = Some(url.to_owned());
    settings.provider_key = Some(Sensitive::new(STRIPE_KEY.into()));
    settings.vault_keys = Some(Sensitive::new(ring("key-1")));
}

fn request_lines(asked: &[StripeRequest]) -> Vec<&str> {
    asked.iter().map(|asked| asked.what.as_str()).collect()
}

fn key(asked: &StripeRequest) -> &str {
    asked.header("idempotency-key").unwrap_or_default()
}

async fn pay(world: &World) -> (CreatedCharge, Answer) {
    let charge = world.charge().await;
    let answer = world.pay(&charge, "press-1", APPROVED).await;
    (charge, answer)
}

fn declined(answer: &Answer) -> (u16, &str) {
    (
        answer.status,
        answer.body["decline_code"].as_str().unwrap_or_default(),
    )
}
