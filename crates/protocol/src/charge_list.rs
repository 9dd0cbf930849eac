//! Pages of a merchant's charges and events (docs/merchant-api.md#find-and-export).

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::ChargeView;

/// `GET /v1/charges`: some charges, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChargeList {
    /// They can be fewer than `limit`, even none, although more charges follow.
    pub items: Vec<ChargeView>,
    /// The `after` of the next page; null after the last charge.
    pub next: Option<String>,
}

/// `GET /v1/events`: some events, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventList {
    /// They can be fewer than `limit`, even none, although more events follow.
    pub items: Vec<EventView>,
    /// The `after` of the next page; null after the last event.
    pub next: Option<String>,
}

/// An event: the body that is sent, with its id and its deliveries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventView {
    /// The header `webhook-id` of every attempt.
    pub id: String,
    /// `charge.` and the charge's new status.
    #[serde(rename = "type")]
    pub kind: String,
    /// When the charge changed, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: String,
    /// The charge that changed.
    pub charge_id: String,
    /// The number of this event among the events of its charge. Later events have greater numbers.
    #[schemars(range(min = 1))]
    pub sequence: i64,
    /// The charge as `GET /v1/charges/{id}` showed it at that moment.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub data: Box<RawValue>,
    /// The state of the event at each endpoint that gets it.
    pub deliveries: Vec<EventDelivery>,
}

/// The state of an event at an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EventDelivery {
    /// The endpoint, `we_…`; null for your first one.
    pub endpoint_id: Option<String>,
    /// `due`; `queued` behind an earlier event of the charge; `delivered`; or `given_up` after three days.
    pub state: String,
    /// How often it was sent, since the last time it was sent again.
    pub tries: i64,
    /// The status of the last answer, or why there was none.
    pub last_result: Option<String>,
    /// When it is sent next, RFC 3339; null if it is delivered or given up.
    #[schemars(extend("format" = "date-time"))]
    pub next_try_at: Option<String>,
}
