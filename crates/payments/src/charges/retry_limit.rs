//! How often a merchant may charge a declined card again without the shopper. Card networks fine merchants that try more
//! often (docs/saving-cards.md#try-again).

use protocol::{DeclineCode, ErrorCode};
use store::CardOwner;
use web::ApiError;

use super::state::Charges;

/// The networks count declines of a card in this time, in milliseconds: 30 days.
const WINDOW_MS: i64 = 30 * 24 * 60 * 60 * 1_000;
/// How many declines a card may have in that time.
const DECLINES_MAX: usize = 15;

/// A 429 `retry_limit` if the networks allow no other try with this card now.
pub(super) async fn check_retries(charges: &Charges, owner: &CardOwner, card: &str) -> Result<(), ApiError> {
    let now_ms = charges.clock.now_ms();
    let declines = charges
        .store
        .declines_without_shopper(owner, card, now_ms - WINDOW_MS)
        .await?;
    let never = declines
        .iter()
        .find(|decline| DeclineCode::from_code(&decline.code).ends_retries());
    let full = declines.get(DECLINES_MAX - 1);
    match (never, full) {
        (Some(decline), _) => Err(retry_limit(
            decline.at + WINDOW_MS - now_ms,
            "The issuer will not accept this card any more. Ask the shopper for another one.",
        )),
        (None, Some(decline)) => Err(retry_limit(
            decline.at + WINDOW_MS - now_ms,
            "This card was declined as often as card networks allow in 30 days.",
        )),
        (None, None) => Ok(()),
    }
}

fn retry_limit(wait_ms: i64, message: &'static str) -> ApiError {
    ApiError::too_many(ErrorCode::RetryLimit, wait_ms, message).at("payment_method_id")
}
