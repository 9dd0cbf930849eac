//! The content of an event: the charge as `GET /v1/charges/{id}` shows it right after the change.

use crate::{ChargeStatus, ChargeView};
use schemars::JsonSchema;
use serde::Serialize;

use crate::charge_state::ALL_STATES;
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
    data: SentCharge<'a>,
    /// The event's place among those of its charge: later ones have a greater number.
    #[schemars(range(min = 1))]
    sequence: i64,
}

/// The charge of an event.
#[derive(Serialize, JsonSchema)]
struct SentCharge<'a> {
    #[serde(flatten)]
    charge: &'a ChargeView,
    /// True in an example that `cardform trigger` sends, of a charge that does not exist; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<bool>,
}

/// An event as it is stored. Its number is known only when it is written, and added when it is sent.
#[derive(Serialize)]
struct StoredBody<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    timestamp: String,
    data: &'a ChargeView,
}

/// `charge.succeeded` and so on: the event's type for a charge that has just become `status`.
pub fn kind(status: ChargeStatus) -> String {
    format!("charge.{}", status.as_str())
}

/// The statuses of which there are events. A charge begins as `created`; it never changes to it.
pub fn statuses() -> impl Iterator<Item = ChargeStatus> {
    ALL_STATES
        .into_iter()
        .filter(|status| *status != ChargeStatus::Created)
}

/// The body that is stored, `{type, timestamp, data}`, for a charge that changed at `at` in unix milliseconds.
pub fn stored_body(charge: &ChargeView, at: i64) -> Result<String, serde_json::Error> {
    serde_json::to_string(&StoredBody {
        kind: &kind(charge.status),
        timestamp: rfc3339(at),
        data: charge,
    })
}

/// The body that is signed and sent: the stored one with its number.
pub fn sent_body(stored: &str, number: i64) -> String {
    match stored.strip_suffix('}') {
        Some(open) => format!("{open},\"sequence\":{number}}}"),
        None => stored.to_owned(),
    }
}

/// The body of an example, which says that it is one.
pub fn example_body(charge: &ChargeView, at: i64) -> Result<String, serde_json::Error> {
    serde_json::to_string(&WebhookBody {
        kind: &kind(charge.status),
        timestamp: rfc3339(at),
        data: SentCharge {
            charge,
            test: Some(true),
        },
        sequence: 1,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn charge() -> ChargeView {
        ChargeView {
            id: "ch_1".to_owned(),
            status: ChargeStatus::Succeeded,
            item_code: "gems".to_owned(),
            item_name: "Gems {\"sequence\":7}".to_owned(),
            amount_value: "1.00".to_owned(),
            amount_currency: "USD".to_owned(),
            partner_reference: "order-1".to_owned(),
            decline_code: None,
            created_at: rfc3339(0),
            updated_at: rfc3339(0),
        }
    }

    #[test]
    fn an_event_is_sent_as_an_example_but_for_the_mark() {
        let sent = sent_body(&stored_body(&charge(), 0).unwrap(), 1);
        let sent: Value = serde_json::from_str(&sent).unwrap();
        let mut example: Value = serde_json::from_str(&example_body(&charge(), 0).unwrap()).unwrap();
        let mark = example["data"].as_object_mut().unwrap().remove("test");
        assert_eq!(mark, Some(Value::Bool(true)));
        assert_eq!(sent, example);
        assert_eq!(sent["sequence"], 1);
    }
}
