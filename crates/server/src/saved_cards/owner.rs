//! Whose cards a client secret reaches.

use wire::{ClientSecretClaims, ErrorCode};

use crate::api_error::ApiError;
use crate::store::CardOwner;

/// The owner that the client secret names, provided that the request means the same shopper; otherwise a 403 that
/// names `field`. A guest has no id and so no cards.
pub(super) fn own_cards(
    claims: &ClientSecretClaims,
    said: &str,
    field: &'static str,
) -> Result<CardOwner, ApiError> {
    if claims.shopper_id.is_empty() || said != claims.shopper_id {
        return Err(ApiError::new(
            ErrorCode::ChargeMismatch,
            "The client secret opens no cards of this shopper.",
        )
        .at(field));
    }
    Ok(CardOwner {
        partner_id: claims.sub.clone(),
        shopper_id: claims.shopper_id.clone(),
    })
}
