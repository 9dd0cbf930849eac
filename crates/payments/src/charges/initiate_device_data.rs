//! `POST /v1/pub/device-data/initiate`: what the page needs to collect device data (docs/calls.md#device-data).

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use protocol::{ChargeStatus, DeviceDataSession, ErrorCode};

use super::press::not_payable;
use super::state::Charges;
use merchants::callers::CallingShopper;
use web::{ApiError, Caller, DescribedAnswer, Operation, RequestLimit, count_limit};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/pub/device-data/initiate",
    id: "initiate_device_data",
    summary: "Start collecting device data",
    description: "For the form's page. If no device data can be collected, the answer is `{}`, and the charge \
        continues.",
    caller: Caller::Shopper,
    answers: &[DescribedAnswer::json::<DeviceDataSession>(
        200,
        "The address of the collection and its token, or neither.",
    )],
    errors: &[
        ErrorCode::ChargeNotFound,
        ErrorCode::ChargeNotPayable,
        ErrorCode::TooManyRequests,
    ],
    ..Operation::OF_MERCHANT
};

/// How long the provider may take. It is short, because a charge does not need device data.
const TIMEOUT: Duration = Duration::from_secs(5);

/// `{}` if the provider has no device data or cannot be reached. A charge that no card can pay now is a 409, and too many
/// requests for one charge are a 429, so that a client secret is not enough to call the provider without end.
pub async fn initiate_device_data(
    State(charges): State<Arc<Charges>>,
    CallingShopper(claims): CallingShopper,
) -> Result<Json<DeviceDataSession>, ApiError> {
    let charge = charges.charge(&claims.charge_id, &claims.sub).await?;
    let charge = charges.expiry.expire_if_due(charge).await?;
    if !matches!(charge.status, ChargeStatus::Created | ChargeStatus::Failed) {
        return Err(not_payable());
    }
    if !charges
        .device_data_limit
        .allows(&charge.id, charges.clock.now_ms())
    {
        count_limit(RequestLimit::DeviceData);
        return Err(ApiError::too_many_requests(
            60_000,
            "There were too many requests for this charge.",
        ));
    }
    let session = charges.provider.device_data(&claims.charge_id, TIMEOUT).await;
    if session.is_none() {
        tracing::info!("device data unavailable; charging without it");
    }
    Ok(Json(session.unwrap_or_default()))
}
