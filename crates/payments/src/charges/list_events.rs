//! `GET /v1/events`: a merchant reads its webhook events again.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use protocol::clock::rfc3339;
use protocol::webhook_event::kinds;
use protocol::{ErrorCode, EventDelivery, EventList, EventView};
use serde::Deserialize;
use serde_json::value::RawValue;
use store::{EventFilter, MerchantEvent, StoredDelivery};

use super::charge_rules::required;
use super::list_query::{AFTER_PARAMETER, LIMIT_PARAMETER, ListQuery, position_text};
use super::state::Charges;
use merchants::callers::Merchant;
use web::{ApiError, DescribedAnswer, Operation, Parameter, ParameterValue};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/events",
    id: "list_events",
    summary: "List events",
    description: "The events that your webhooks got or will get, the newest first. Read on with `after` until `next` is null: \
        a page can be shorter than `limit` before the last one. Finished events are kept for a time that the operator sets.",
    parameters: PARAMETERS,
    answers: &[DescribedAnswer::json::<EventList>(200, "A page of the list.")],
    errors: &[ErrorCode::Unavailable],
    ..Operation::OF_MERCHANT
};

const PARAMETERS: &[Parameter] = &[
    LIMIT_PARAMETER,
    AFTER_PARAMETER,
    Parameter::query("type", "Only events of this type.", ParameterValue::OneOf(types)),
    Parameter::query("charge_id", "Only events of this charge.", ParameterValue::Text),
];

fn types() -> Vec<String> {
    kinds().collect()
}

/// Answers with a page of the merchant's events. A charge of another merchant has none.
pub async fn list_events(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    RawQuery(query): RawQuery,
) -> Result<Json<EventList>, ApiError> {
    let query = ListQuery::read(query.as_deref(), PARAMETERS)?;
    let (limit, after) = (query.limit()?, query.after()?);
    let kind = query.get("type").map(str::to_owned);
    if kind.as_ref().is_some_and(|kind| !types().contains(kind)) {
        return Err(ApiError::invalid("type", "There are no events of this type."));
    }
    let charge_id = query.get("charge_id").map(str::to_owned);
    charge_id
        .as_deref()
        .map_or(Ok(()), |id| required("charge_id", id))?;
    let filter = EventFilter { kind, charge_id };
    let page = charges
        .store
        .listed_events(&partner.id, &filter, after.as_ref(), limit)
        .await?;
    let items = page.events.into_iter().map(view);
    Ok(Json(EventList {
        items: items.collect::<Result<_, _>>()?,
        next: page.next.as_ref().map(position_text),
    }))
}

/// The parts of a stored body.
#[derive(Deserialize)]
struct StoredBody {
    #[serde(rename = "type")]
    kind: String,
    timestamp: String,
    data: Box<RawValue>,
}

/// The event for its merchant.
pub(super) fn view(event: MerchantEvent) -> Result<EventView, ApiError> {
    let body: StoredBody =
        serde_json::from_str(&event.payload).map_err(|error| ApiError::internal(&error))?;
    Ok(EventView {
        id: event.id,
        kind: body.kind,
        timestamp: body.timestamp,
        charge_id: event.charge_id,
        sequence: event.number,
        data: body.data,
        deliveries: std::iter::once(event.first)
            .chain(event.others)
            .map(delivery)
            .collect(),
    })
}

fn delivery(stored: StoredDelivery) -> EventDelivery {
    let is_finished = matches!(stored.state.as_str(), "delivered" | "given_up");
    EventDelivery {
        endpoint_id: Some(stored.endpoint_id).filter(|id| !id.is_empty()),
        state: stored.state,
        tries: stored.tries,
        last_result: stored.last_result,
        next_try_at: (!is_finished).then(|| rfc3339(stored.next_try_at)),
    }
}
