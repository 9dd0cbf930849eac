//! Whose cards a client secret reaches, and when.

use wire::{ChargeStatus, ClientSecretClaims, ErrorCode};

use crate::api_error::ApiError;
use crate::app::App;
use crate::charges::expiry::as_it_stands;
use crate::store::{CardOwner, Charge};

/// The owner that the client secret names, provided that the request means the same shopper; otherwise a 403 that
/// names `field`. A guest has no id and so no cards. Cards are reached for the sake of a charge: a 403, too, when the charge
/// is over or its merchant did not want saved cards offered.
pub(super) async fn own_cards(
    app: &App,
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
    let charge = app
        .store
        .charge_of_partner(&claims.charge_id, &claims.sub)
        .await?
        .ok_or_else(ApiError::charge_not_found)?;
    if !offers_saved_cards(&as_it_stands(app, charge).await?) {
        return Err(ApiError::new(
            ErrorCode::SavedCardsNotOffered,
            "The charge offers no saved cards: it is over, or display_saved_payment_method_list and \
             eligible_save_payment_methods are not both true.",
        ));
    }
    Ok(CardOwner {
        partner_id: claims.sub.clone(),
        shopper_id: claims.shopper_id.clone(),
    })
}

/// Whether the form of this charge may show saved cards (specification, point 2).
fn offers_saved_cards(charge: &Charge) -> bool {
    let is_over = matches!(
        charge.status.0,
        ChargeStatus::Succeeded | ChargeStatus::Canceled | ChargeStatus::Expired
    );
    !is_over && charge.display_saved_payment_method_list && charge.eligible_save_payment_methods
}
