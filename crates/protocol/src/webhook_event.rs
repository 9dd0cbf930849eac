//! The bodies of webhooks. A charge's has the charge as `GET /v1/charges/{id}` shows it right after the change.

use schemars::JsonSchema;
use serde::Serialize;
use strum::VariantArray;

use crate::clock::rfc3339;
use crate::{ChargeStatus, ChargeView, Dispute, DisputeStatus, MerchantCard, OperationStatus, RefundView};

/// The body of a webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChargeEvent")]
pub struct WebhookBody<'a> {
    /// `charge.` and the charge's new status.
    #[serde(rename = "type")]
    kind: String,
    /// When the charge changed, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    timestamp: String,
    /// The charge as `GET /v1/charges/{id}` showed it at that moment.
    data: SentCharge<'a>,
    /// The number of this event among the events of its charge. Later events have greater numbers.
    // A stored body has none, because the number is known only when the event is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(required, range(min = 1))]
    sequence: Option<i64>,
}

/// The charge of an event.
#[derive(Serialize, JsonSchema)]
struct SentCharge<'a> {
    #[serde(flatten)]
    charge: &'a ChargeView,
    /// True in an example from `cardform trigger`, whose charge does not exist; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<bool>,
}

/// The body of a refund's webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RefundEvent")]
pub struct RefundWebhookBody<'a> {
    /// `refund.` and the refund's new status.
    #[serde(rename = "type")]
    kind: String,
    /// When the refund changed, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    timestamp: String,
    /// The refund.
    data: SentRefund<'a>,
    /// As in [`WebhookBody`].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(required, range(min = 1))]
    sequence: Option<i64>,
}

/// The data of a refund's event: the refund, and its charge at that moment.
#[derive(Serialize, JsonSchema)]
struct SentRefund<'a> {
    #[serde(flatten)]
    refund: &'a RefundView,
    charge: &'a ChargeView,
    /// As in [`SentCharge`].
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<bool>,
}

/// The type of the event of a refund that has just got this status: `refund.succeeded`.
pub fn refund_kind(status: OperationStatus) -> String {
    format!("refund.{}", status.as_str())
}

/// The body of a refund's event that is stored, without its number, for a refund that changed at `at` in unix milliseconds.
pub fn stored_refund_body(
    refund: &RefundView,
    charge: &ChargeView,
    at: i64,
) -> Result<String, serde_json::Error> {
    refund_body(refund, charge, at, None)
}

fn refund_body(
    refund: &RefundView,
    charge: &ChargeView,
    at: i64,
    test: Option<bool>,
) -> Result<String, serde_json::Error> {
    json(&RefundWebhookBody {
        kind: refund_kind(refund.status),
        timestamp: rfc3339(at),
        data: SentRefund { refund, charge, test },
        sequence: None,
    })
}

/// The body of a dispute's webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DisputeEvent")]
pub struct DisputeWebhookBody<'a> {
    /// `dispute.` and the dispute's new status.
    #[serde(rename = "type")]
    kind: String,
    /// When the dispute changed, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    timestamp: String,
    /// The dispute.
    data: SentDispute<'a>,
    /// As in [`WebhookBody`].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(required, range(min = 1))]
    sequence: Option<i64>,
}

/// The data of a dispute's event: the dispute, and its charge at that moment.
#[derive(Serialize, JsonSchema)]
struct SentDispute<'a> {
    #[serde(flatten)]
    dispute: &'a Dispute,
    charge: &'a ChargeView,
    /// As in [`SentCharge`].
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<bool>,
}

/// The type of the event of a dispute that has just got this status: `dispute.open`.
pub fn dispute_kind(status: DisputeStatus) -> String {
    format!("dispute.{}", status.as_str())
}

/// The body of a dispute's event that is stored, without its number, for a dispute that changed at `at` in unix milliseconds.
pub fn stored_dispute_body(
    dispute: &Dispute,
    charge: &ChargeView,
    at: i64,
) -> Result<String, serde_json::Error> {
    dispute_body(dispute, charge, at, None)
}

fn dispute_body(
    dispute: &Dispute,
    charge: &ChargeView,
    at: i64,
    test: Option<bool>,
) -> Result<String, serde_json::Error> {
    json(&DisputeWebhookBody {
        kind: dispute_kind(dispute.status),
        timestamp: rfc3339(at),
        data: SentDispute {
            dispute,
            charge,
            test,
        },
        sequence: None,
    })
}

/// The body of a saved card's webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SavedCardEvent")]
pub struct CardWebhookBody<'a> {
    /// `payment_method.` and what happened to the card.
    #[serde(rename = "type")]
    kind: String,
    /// When, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    timestamp: String,
    /// The card.
    data: SentCard<'a>,
    /// The number of this event among the events of the charge that saved the card first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(required, range(min = 1))]
    sequence: Option<i64>,
}

/// The card of an event.
#[derive(Serialize, JsonSchema)]
struct SentCard<'a> {
    #[serde(flatten)]
    card: &'a MerchantCard,
    /// The charge that saved the card first.
    charge_id: &'a str,
    /// As in [`SentCharge`].
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<bool>,
}

/// What happens to a saved card (docs/webhooks.md#saved-cards).
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum CardMoment {
    /// It was saved.
    Saved,
    /// Its date, name, agreement, nickname or place as default card changed.
    Updated,
    /// The shopper or the merchant removed it; `data` has the card as it was.
    Removed,
    /// Its last month has begun.
    Expiring,
}

/// The type of the event of a saved card: `payment_method.saved`.
pub fn card_kind(moment: CardMoment) -> String {
    let moment: &str = moment.into();
    format!("payment_method.{moment}")
}

/// The body of a saved card's event that is stored, without its number, for what happened at `at` in unix milliseconds.
pub fn stored_card_body(
    moment: CardMoment,
    card: &MerchantCard,
    charge_id: &str,
    at: i64,
) -> Result<String, serde_json::Error> {
    card_body(moment, card, charge_id, at, None)
}

fn card_body(
    moment: CardMoment,
    card: &MerchantCard,
    charge_id: &str,
    at: i64,
    test: Option<bool>,
) -> Result<String, serde_json::Error> {
    json(&CardWebhookBody {
        kind: card_kind(moment),
        timestamp: rfc3339(at),
        data: SentCard {
            card,
            charge_id,
            test,
        },
        sequence: None,
    })
}

/// Everything that can happen to a saved card, each of which has an event.
pub fn card_moments() -> impl Iterator<Item = CardMoment> {
    CardMoment::VARIANTS.iter().copied()
}

/// The type of the event of a charge that has just become `status`: `charge.succeeded`.
pub fn kind(status: ChargeStatus) -> String {
    format!("charge.{}", status.as_str())
}

/// The statuses that have events. `created` has none, because no charge changes to it.
pub fn statuses() -> impl Iterator<Item = ChargeStatus> {
    let all = ChargeStatus::ALL.iter().copied();
    all.filter(|status| *status != ChargeStatus::Created)
}

/// Every type of event that an endpoint can choose.
pub fn kinds() -> impl Iterator<Item = String> {
    let refunds = refund_statuses().map(refund_kind);
    let disputes = dispute_statuses().map(dispute_kind);
    let cards = card_moments().map(card_kind);
    statuses().map(kind).chain(refunds).chain(disputes).chain(cards)
}

/// The statuses of a refund, each of which has an event.
pub fn refund_statuses() -> impl Iterator<Item = OperationStatus> {
    OperationStatus::VARIANTS.iter().copied()
}

/// The statuses of a dispute, each of which has an event.
pub fn dispute_statuses() -> impl Iterator<Item = DisputeStatus> {
    DisputeStatus::VARIANTS.iter().copied()
}

/// The body that is stored, without its number, for a charge that changed at `at` in unix milliseconds.
pub fn stored_body(charge: &ChargeView, at: i64) -> Result<String, serde_json::Error> {
    body(charge, at, None)
}

/// The body that is signed and sent: the stored one with its number.
pub fn sent_body(stored: &str, number: i64) -> String {
    match stored.strip_suffix('}') {
        Some(open) => format!("{open},\"sequence\":{number}}}"),
        None => stored.to_owned(),
    }
}

/// An example of an event. Nothing in it exists.
#[derive(Debug)]
pub enum ExampleEvent {
    /// Of a charge.
    Charge(ChargeView),
    /// Of a refund, with its charge.
    Refund(RefundView, ChargeView),
    /// Of a dispute, with its charge.
    Dispute(Dispute, ChargeView),
    /// Of a saved card, with the id of the charge that saved it.
    Card(CardMoment, MerchantCard, String),
}

/// The body of an example, marked with `test`.
pub fn example_body(event: &ExampleEvent, at: i64) -> Result<String, serde_json::Error> {
    let test = Some(true);
    let stored = match event {
        ExampleEvent::Charge(charge) => body(charge, at, test),
        ExampleEvent::Refund(refund, charge) => refund_body(refund, charge, at, test),
        ExampleEvent::Dispute(dispute, charge) => dispute_body(dispute, charge, at, test),
        ExampleEvent::Card(moment, card, charge_id) => card_body(*moment, card, charge_id, at, test),
    };
    Ok(sent_body(&stored?, 1))
}

fn body(charge: &ChargeView, at: i64, test: Option<bool>) -> Result<String, serde_json::Error> {
    json(&WebhookBody {
        kind: kind(charge.status),
        timestamp: rfc3339(at),
        data: SentCharge { charge, test },
        sequence: None,
    })
}

/// Most bodies have fewer bytes.
const USUAL_BODY_BYTES: usize = 2_048;

fn json(body: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = Vec::with_capacity(USUAL_BODY_BYTES);
    serde_json::to_writer(&mut text, body)?;
    String::from_utf8(text).map_err(serde::ser::Error::custom)
}

#[cfg(test)]
mod tests;
