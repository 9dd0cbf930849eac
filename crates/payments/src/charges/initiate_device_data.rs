//! `POST /v1/pub/device-data/initiate`: what the page needs to collect device data (docs/calls.md#device-data).

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use protocol::DeviceDataSession;
use schemars::SchemaGenerator;

use super::state::Charges;
use merchants::callers::CallingShopper;
use web::operation::{Caller, Content, DescribedAnswer, Operation};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/pub/device-data/initiate",
    id: "initiate_device_data",
    summary: "Start collecting device data",
    description: "For the form's page. If no device data can be collected, the answer is `{}`, and the charge \
        continues.",
    caller: Caller::Shopper,
    parameters: &[],
    request: None,
    answers: &[DescribedAnswer {
        status: 200,
        description: "The address of the collection and its token, or neither.",
        content: Content::Json(SchemaGenerator::subschema_for::<DeviceDataSession>),
    }],
    errors: &[],
};

/// How long the provider may take. It is short, because a charge does not need device data.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Always 200 if the client secret is valid; `{}` if the provider has no device data or cannot be reached.
pub async fn initiate_device_data(
    State(charges): State<Arc<Charges>>,
    CallingShopper(claims): CallingShopper,
) -> Json<DeviceDataSession> {
    let session = charges.provider.device_data(&claims.charge_id, TIMEOUT).await;
    if session.is_none() {
        tracing::info!("no device data is to be had; the charge goes on without");
    }
    Json(session.unwrap_or_default())
}
