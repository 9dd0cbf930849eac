//! `POST /v1/pub/card-networks`: between which networks a shopper can choose (docs/calls.md#card-networks).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use protocol::{ErrorCode, NetworkLookup, NetworkRange, NumberNetworks};
use rules::limits::NETWORK_PREFIX_LENGTH;

use super::state::Charges;
use merchants::callers::CallingShopper;
use web::{ApiError, Caller, DescribedAnswer, JsonBody, Operation, RequestLimit, count_limit, json_body};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/pub/card-networks",
    id: "look_up_networks",
    summary: "Look up a card's networks",
    description: "For the form's page: the networks between which the shopper can choose. The service looks them up in its \
        own file.",
    caller: Caller::Shopper,
    parameters: &[],
    request: json_body::<NetworkLookup>(),
    answers: &[DescribedAnswer::json::<NumberNetworks>(
        200,
        "The networks, for each length of a number. Empty if the file has none.",
    )],
    errors: &[ErrorCode::TooManyRequests],
};

/// The networks of numbers that begin with the prefix. Too many requests for one charge are a 429, so that a client secret is
/// not enough to read the whole file.
pub async fn look_up_networks(
    State(charges): State<Arc<Charges>>,
    CallingShopper(claims): CallingShopper,
    JsonBody(NetworkLookup { prefix }): JsonBody<NetworkLookup>,
) -> Result<Json<NumberNetworks>, ApiError> {
    if prefix.len() != NETWORK_PREFIX_LENGTH || !prefix.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ApiError::invalid("prefix", "This field must be eight digits."));
    }
    if !charges
        .networks_limit
        .allows(&claims.charge_id, charges.clock.now_ms())
    {
        count_limit(RequestLimit::CardNetworks);
        return Err(ApiError::too_many_requests(
            60_000,
            "There were too many requests for this charge.",
        ));
    }
    let saved_cards = &charges.saved_cards;
    let ranges = saved_cards.networks.of_each_length(&prefix).into_iter();
    let ranges = ranges.map(|(length, networks)| NetworkRange {
        length: u8::try_from(length).unwrap_or(u8::MAX),
        networks: saved_cards.carried(networks),
    });
    Ok(Json(NumberNetworks {
        ranges: ranges.filter(|range| !range.networks.is_empty()).collect(),
    }))
}
