//! `DELETE /v1/shoppers/{shopper_id}`: a merchant erases a shopper (docs/saving-cards.md#erase-a-shopper).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use merchants::callers::Merchant;
use protocol::{ErasedShopper, ErrorCode};
use store::{Actor, CardOwner, Erasure};
use web::{ApiError, DescribedAnswer, Operation, PathId};

use super::state::SavedCards;

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "DELETE",
    path: "/v1/shoppers/{shopper_id}",
    id: "erase_shopper",
    summary: "Erase a shopper",
    description: "Removes the shopper's saved cards, cancels the charges that can still be paid, and removes the shopper, the \
        card and your own words from all charges and their events. Sums, items and references stay. It cannot be undone. For \
        an unknown shopper both numbers are 0.",
    answers: &[DescribedAnswer::json::<ErasedShopper>(200, "What was erased.")],
    errors: &[ErrorCode::OperationInProgress],
    ..Operation::OF_MERCHANT
};

/// Erases a shopper. While a payment of the shopper is under way it is a 409, and nothing changes.
pub async fn erase_shopper(
    State(saved_cards): State<Arc<SavedCards>>,
    Merchant(partner): Merchant,
    PathId(shopper_id): PathId,
) -> Result<Json<ErasedShopper>, ApiError> {
    // A charge that is not paid here may be paid at the provider.
    saved_cards.expiry.gate.must_be_open()?;
    let owner = CardOwner::new(&partner.id, &shopper_id);
    let by = Actor::merchant(&partner.id, saved_cards.clock.now_ms());
    match saved_cards.store.erase_shopper(&owner, &by).await? {
        Erasure::Done(erased) => Ok(Json(ErasedShopper {
            payment_methods: erased.payment_methods,
            charges: erased.charges,
        })),
        Erasure::UnderWay(charge_id) => Err(ApiError::new(
            ErrorCode::OperationInProgress,
            format!("A payment, capture or refund of {charge_id} is under way. Try again when it has ended."),
        )),
    }
}
