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

/// What an event is about.
#[derive(Debug, Clone, Copy)]
pub enum EventSubject<'a> {
    /// A charge.
    Charge(&'a ChargeView),
    /// A refund, with its charge.
    Refund(&'a RefundView, &'a ChargeView),
    /// A dispute, with its charge.
    Dispute(&'a Dispute, &'a ChargeView),
    /// What happened to a saved card, with the id of the charge that saved it first.
    Card(CardMoment, &'a MerchantCard, &'a str),
}

impl EventSubject<'_> {
    /// The type of its event.
    pub fn kind(self) -> String {
        match self {
            Self::Charge(charge) => kind(charge.status),
            Self::Refund(refund, _) => refund_kind(refund.status),
            Self::Dispute(dispute, _) => dispute_kind(dispute.status),
            Self::Card(moment, ..) => card_kind(moment),
        }
    }

    /// The body that is stored, without its number, for a change at `at` in unix milliseconds.
    pub fn stored_body(self, at: i64) -> Result<String, serde_json::Error> {
        self.body(at, None)
    }

    /// The body of an example, marked with `test`. Nothing in it exists.
    pub fn example_body(self, at: i64) -> Result<String, serde_json::Error> {
        Ok(sent_body(&self.body(at, Some(true))?, 1))
    }

    fn body(self, at: i64, test: Option<bool>) -> Result<String, serde_json::Error> {
        let (kind, timestamp, sequence) = (self.kind(), rfc3339(at), None);
        match self {
            Self::Charge(charge) => json(&WebhookBody {
                kind,
                timestamp,
                data: SentCharge { charge, test },
                sequence,
            }),
            Self::Refund(refund, charge) => json(&RefundWebhookBody {
                kind,
                timestamp,
                data: SentRefund { refund, charge, test },
                sequence,
            }),
            Self::Dispute(dispute, charge) => json(&DisputeWebhookBody {
                kind,
                timestamp,
                data: SentDispute {
                    dispute,
                    charge,
                    test,
                },
                sequence,
            }),
            Self::Card(_, card, charge_id) => json(&CardWebhookBody {
                kind,
                timestamp,
                data: SentCard {
                    card,
                    charge_id,
                    test,
                },
                sequence,
            }),
        }
    }
}

/// The body that is signed and sent: the stored one with its number.
pub fn sent_body(stored: &str, number: i64) -> String {
    match stored.strip_suffix('}') {
        Some(open) => format!("{open},\"sequence\":{number}}}"),
        None => stored.to_owned(),
    }
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
