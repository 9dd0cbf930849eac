//! The content of an event: the charge as `GET /v1/charges/{id}` shows it right after the change.

use schemars::JsonSchema;
use serde::Serialize;
use wire::{ChargeStatus, ChargeView};

use crate::clock::rfc3339;

/// The body of a webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChargeEvent")]
pub struct WebhookBody<'a> {
    /// `charge.` and the charge's new status.
    #[serde(rename = "type")]
    kind: &'a str,
    /// When the charge changed, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    timestamp: String,
    /// What `GET /v1/charges/{id}` answered at that moment.
    data: &'a ChargeView,
}

/// `charge.succeeded` and so on: the event's type for a charge that has just become `status`.
pub fn kind(status: ChargeStatus) -> String {
    format!("charge.{}", status.as_str())
}

/// The body that is signed and sent, `{type, timestamp, data}`, for a charge that changed at `at` in unix
/// milliseconds.
pub fn body(charge: &ChargeView, at: i64) -> Result<String, serde_json::Error> {
    serde_json::to_string(&WebhookBody {
        kind: &kind(charge.status),
        timestamp: rfc3339(at),
        data: charge,
    })
}
