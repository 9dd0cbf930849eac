//! `GET` and `POST /v1/pub/charges/{charge_id}/return`: where a challenge leads the shopper back to. Banks come with
//! either method.

use axum::extract::State;
use axum::response::Response;

use super::challenge_return::challenge_return_page;
use super::state::ServedPages;
use crate::charges::shopper_action::returned;
use crate::http::api_error::ApiError;
use crate::http::path_id::PathId;
use std::sync::Arc;

/// The address carries no secret and nothing that it says is believed: it only has the provider asked now instead of
/// later. The page that is shown tells the window that opened the challenge, or holds its frame, that it is over.
pub(crate) async fn return_from_challenge(
    State(served): State<Arc<ServedPages>>,
    PathId(charge_id): PathId,
) -> Result<Response, ApiError> {
    let charge = served
        .store
        .charge(&charge_id)
        .await?
        .ok_or_else(ApiError::charge_not_found)?;
    returned(&served.charges, &charge.id).await?;
    let partner = served.store.partner(&charge.partner_id).await?;
    let allowed_origins = partner.map(|partner| partner.allowed_origins).unwrap_or_default();
    Ok(challenge_return_page(&served, &allowed_origins))
}
