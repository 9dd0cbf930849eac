//! `POST /v1/charges/{id}/cancel`: a merchant withdraws a charge that is not paid.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::charge_state::ChargeEvent;
use protocol::{ChargeStatus, ChargeView, ErrorCode, OperationKind};
use store::{Charge, EndOutcome};

use super::state::Charges;
use crate::operations::capture_charge::answer;
use crate::operations::{Wish, begin_and_run};
use merchants::callers::Merchant;
use web::{ApiError, DescribedAnswer, NoFields, Operation, PathId, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/charges/{id}/cancel",
    id: "cancel_charge",
    summary: "Cancel a charge",
    description: "Nobody can pay the charge afterwards, and held money is released. Canceling it again gives the same \
        answer. A charge that is paid or expired does not change. Nor does one whose card is with the provider at this \
        moment: try again.",
    answers: &[
        DescribedAnswer::json::<ChargeView>(200, "The canceled charge."),
        DescribedAnswer::json::<ChargeView>(
            202,
            "The provider's answer about the release was lost. The service asks until it knows the result; a \
                webhook tells it.",
        ),
    ],
    errors: &[
        ErrorCode::InvalidRequest,
        ErrorCode::ChargeNotFound,
        ErrorCode::ChargeNotCancelable,
        ErrorCode::OperationInProgress,
        ErrorCode::PayloadTooLarge,
    ],
    ..Operation::OF_MERCHANT
};

/// Cancels a charge, which no shopper can pay from then on. Canceling it again gives the same answer, because the first
/// answer may have been lost. If a card is with the provider, or the charge is paid or expired, it is a 409 and
/// nothing changes.
pub async fn cancel_charge(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
    _: NoFields,
) -> Result<(StatusCode, Json<ChargeView>), ApiError> {
    charges.expiry.gate.must_be_open()?;
    let charge = charges.charge(&id, &partner.id).await?;
    note_charge(&charge.id);
    cancel(&charges, charge, Wish::default()).await
}

/// Cancels a charge, or releases its hold.
pub(crate) async fn cancel(
    charges: &Arc<Charges>,
    charge: Charge,
    wish: Wish,
) -> Result<(StatusCode, Json<ChargeView>), ApiError> {
    let charge = charges.expiry.expire_if_due(charge).await?;
    let (id, partner_id) = (&charge.id, &charge.partner_id);
    if charge.status == ChargeStatus::Authorized {
        let release = begin_and_run(charges, id, OperationKind::Release, wish).await?;
        let status = answer(&release)?;
        let charge = charges.charge(id, partner_id).await?;
        return Ok((status, Json(charges.store.charge_view(&charge).await?)));
    }
    let now_ms = charges.clock.now_ms();
    match charges
        .store
        .end_charge(id, ChargeEvent::Canceled, now_ms)
        .await?
    {
        EndOutcome::Moved | EndOutcome::Stays(ChargeStatus::Canceled) => {}
        EndOutcome::Stays(_) => {
            return Err(ApiError::new(
                ErrorCode::ChargeNotCancelable,
                "This charge is paid, has expired, or a card is with the provider.",
            ));
        }
    }
    let charge = charges.charge(id, partner_id).await?;
    let view = charges.store.charge_view(&charge).await?;
    Ok((StatusCode::OK, Json(view)))
}
