//! The operator's page: who works there, the charges that it finds, and the story of one (docs/operator.md).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ChargeView, Metadata, OperationKind, OperationStatus};

/// What an operator may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum OperatorRole {
    /// Looks at charges and the report.
    Reader,
    /// Also refunds, captures, cancels and resends.
    Support,
    /// Also reads the audit log.
    Admin,
}

impl OperatorRole {
    /// Whether this role may change charges.
    pub fn may_act(self) -> bool {
        self != Self::Reader
    }
}

/// `GET /v1/operator/me`: the person whose key it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OperatorView {
    /// The person's name.
    pub name: String,
    /// What the person may do.
    pub role: OperatorRole,
    /// The merchants that the person sees; null for all.
    pub merchants: Option<Vec<String>>,
}

/// A charge at the operator's page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OperatorCharge {
    /// The merchant's id.
    pub partner_id: String,
    /// The charge as its merchant sees it.
    pub charge: ChargeView,
}

/// `GET /v1/operator/charges`: some charges, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OperatorChargeList {
    /// They can be fewer than `limit`, even none, although more charges follow.
    pub items: Vec<OperatorCharge>,
    /// The `after` of the next page; null after the last charge.
    pub next: Option<String>,
}

/// What an operator can do with a charge now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum OperatorAct {
    /// Give money back.
    Refund,
    /// Take held money.
    Capture,
    /// Let held money go.
    Release,
    /// Withdraw an unpaid charge.
    Cancel,
    /// Send a webhook event again.
    Resend,
}

/// `GET /v1/operator/charges/{id}`: a charge and all that happened to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct OperatorStory {
    /// The merchant's id.
    pub partner_id: String,
    /// The merchant's name.
    pub partner_name: String,
    /// The charge as its merchant sees it.
    pub charge: ChargeView,
    /// What can still be given back, a decimal string. Refunds under way count as given back.
    pub amount_refundable: String,
    /// What the person who asks can do now.
    pub acts: Vec<OperatorAct>,
    /// Sentences about the present state.
    pub now: Vec<String>,
    /// The attempts, the oldest first.
    pub attempts: Vec<AttemptInStory>,
    /// Refunds, captures and releases, the oldest first.
    pub operations: Vec<OperationInStory>,
    /// Webhook events, in their order.
    pub webhooks: Vec<WebhookInStory>,
    /// All that happened, in the order of time.
    pub timeline: Vec<StoryMoment>,
}

/// An attempt to pay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AttemptInStory {
    /// `att_…`.
    pub id: String,
    /// `processing`, `succeeded` and so on.
    pub state: String,
    /// The card's brand, if it is stored.
    pub brand: Option<String>,
    /// The card's last four digits.
    pub last_four: Option<String>,
    /// Why it was declined.
    pub decline_code: Option<String>,
    /// The idempotency key that the provider got.
    pub provider_key: String,
    /// The provider's reference.
    pub provider_reference: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub finished_at: Option<String>,
}

/// A refund, a capture or a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OperationInStory {
    /// `re_…` or `op_…`.
    pub id: String,
    /// What it does.
    pub kind: OperationKind,
    /// Its status.
    pub status: OperationStatus,
    /// A decimal string.
    pub amount_value: String,
    /// Why.
    pub reason: Option<String>,
    /// Why it failed.
    pub failure_code: Option<String>,
    /// The provider's reference.
    pub provider_reference: Option<String>,
    /// The merchant's own names and texts.
    pub metadata: Metadata,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
}

/// A webhook event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WebhookInStory {
    /// `evt_…`.
    pub id: String,
    /// `charge.succeeded` and so on.
    pub kind: String,
    /// `due`, `queued`, `delivered` or `given_up`.
    pub state: String,
    /// How often it was sent.
    pub tries: usize,
    /// The status of the last answer, or why there was none.
    pub last_result: Option<String>,
    /// RFC 3339.
    pub created_at: String,
}

/// Something that happened to a charge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct StoryMoment {
    /// RFC 3339.
    pub at: String,
    /// `state`, `change`, `attempt`, `provider`, `shopper`, `operation`, `dispute`, `webhook` or `audit`.
    pub topic: String,
    /// For a person.
    pub text: String,
    /// The same for a program: fields that depend on the topic.
    #[ts(type = "Readonly<Record<string, unknown>>")]
    pub fields: serde_json::Value,
}

/// The body of an operator's act.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct OperatorActRequest {
    /// A decimal string in the charge's currency. Without it, all that is left.
    pub amount_value: Option<String>,
    /// Why, for the audit log.
    pub reason: String,
}

/// `GET /v1/operator/audit`: some lines of the audit log, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditPage {
    /// The lines.
    pub items: Vec<AuditEntry>,
    /// The `before` of the next page; null after the last line.
    pub next: Option<String>,
}

/// A line of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditEntry {
    /// `aud_…`.
    pub id: String,
    /// RFC 3339.
    pub at: String,
    /// Who did it.
    pub actor: String,
    /// What was done.
    pub action: String,
    /// The id of the action's subject.
    pub subject: String,
    /// More, depending on the action.
    #[ts(type = "Readonly<Record<string, unknown>>")]
    pub detail: serde_json::Value,
}
