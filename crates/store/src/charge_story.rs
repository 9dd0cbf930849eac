//! The story of one charge, for the operator: all that the database has of it. Of a card it has only the brand and the last
//! four digits, and no text that a shopper typed.

use serde::{Deserialize, Deserializer};

use super::attempt::step::{AttemptStep, read};
use super::charge_change::ToldChange;
use super::sql::query;
use super::webhook_event::{EVENT_ID, SHOWN_STATE};
use super::{AttemptState, AuditLine, Charge, Operation, Store, StoreError, StoredDispute};

/// How many lines of the audit log are read.
const AUDIT_LINES_MAX: i64 = 1_000;
/// Lines of the audit log up to this long after the charge's last change can belong to it, in milliseconds.
const AUDIT_AFTER_MS: i64 = 3_600_000;

/// A charge and all that happened to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeStory {
    /// The charge as it is now.
    pub charge: Charge,
    /// Its attempts, the oldest first.
    pub attempts: Vec<ToldAttempt>,
    /// The changes of its terms, the oldest first.
    pub changes: Vec<ToldChange>,
    /// Refunds, captures and releases, the oldest first.
    pub operations: Vec<Operation>,
    /// Its disputes, the oldest first.
    pub disputes: Vec<StoredDispute>,
    /// Its webhook events, in their order.
    pub webhooks: Vec<ToldEvent>,
    /// The lines of the audit log about it.
    pub audit: Vec<AuditLine>,
}

/// An attempt in the story.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ToldAttempt {
    /// `att_…`.
    pub id: String,
    /// The idempotency key that the provider got.
    pub provider_key: String,
    /// The provider's reference of the payment.
    pub provider_reference: Option<String>,
    /// The state.
    pub state: AttemptState,
    /// The card's brand; empty if the brand is unknown.
    pub card_brand: Option<String>,
    /// The card's last four digits.
    pub card_last_four: Option<String>,
    /// Why it was declined.
    pub decline_code: Option<String>,
    /// When it began, in unix milliseconds.
    pub created_at: i64,
    /// When its lease ends, or when the provider is asked next, in unix milliseconds.
    pub owner_until: i64,
    /// The deadline for the shopper, if it ever waited for the shopper, in unix milliseconds.
    pub action_until: Option<i64>,
    /// When it ended, in unix milliseconds.
    pub finished_at: Option<i64>,
    /// The calls to the provider and what the shopper did.
    #[serde(deserialize_with = "read_steps")]
    pub steps: Vec<AttemptStep>,
}

/// A webhook event in the story, with its delivery to one endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ToldEvent {
    /// `evt_…`; the same for each endpoint that gets it.
    pub id: String,
    /// See [`EndpointKey::endpoint_id`](super::EndpointKey::endpoint_id).
    pub endpoint_id: String,
    /// `charge.succeeded` and so on.
    pub kind: String,
    /// `due`, `queued` behind an earlier event of the charge, `delivered` or `given_up`.
    pub state: String,
    /// When the charge changed, in unix milliseconds.
    pub created_at: i64,
    /// When it is tried next, in unix milliseconds.
    pub next_try_at: i64,
    /// The calls to the merchant's endpoint.
    #[serde(deserialize_with = "read_calls")]
    pub calls: Vec<ToldCall>,
}

/// One call to a merchant's endpoint, or the moment of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldCall {
    /// When it ended, in unix milliseconds.
    pub at: i64,
    /// How long it took, in milliseconds.
    pub took_ms: i64,
    /// The answer's status, or why there was none.
    pub result: String,
}

fn read_steps<'de, D: Deserializer<'de>>(column: D) -> Result<Vec<AttemptStep>, D::Error> {
    Ok(read(&String::deserialize(column)?))
}

fn read_calls<'de, D: Deserializer<'de>>(column: D) -> Result<Vec<ToldCall>, D::Error> {
    Ok(String::deserialize(column)?
        .lines()
        .filter_map(told_call)
        .collect())
}

/// A line of the column: unix milliseconds, how long the call took, the result.
fn told_call(line: &str) -> Option<ToldCall> {
    let mut words = line.splitn(3, ' ');
    Some(ToldCall {
        at: words.next()?.parse().ok()?,
        took_ms: words.next()?.parse().ok()?,
        result: words.next()?.to_owned(),
    })
}

impl Store {
    /// Everything about the charge with this id, of any merchant.
    pub async fn charge_story(&self, id: &str) -> Result<Option<ChargeStory>, StoreError> {
        let Some(charge) = self.charge(id).await? else {
            return Ok(None);
        };
        let attempts = query(
            "SELECT id, provider_key, provider_reference, state, card_brand, card_last_four, decline_code, \
             created_at, owner_until, action_until, finished_at, steps FROM attempts WHERE charge_id = $1 ORDER BY created_at, id",
        )
        .bind(id)
        .fetch_all(&self.readers)
        .await?;
        let webhooks = query(format!(
            "SELECT {EVENT_ID} AS id, e.endpoint_id, e.kind, {SHOWN_STATE}, e.created_at, e.next_try_at, e.calls \
             FROM webhook_events e WHERE e.charge_id = $1 ORDER BY e.number"
        ))
        .bind(id)
        .fetch_all(&self.readers)
        .await?;
        Ok(Some(ChargeStory {
            audit: self.audit_lines_about(&charge).await?,
            changes: self.changes_of(id).await?,
            operations: self.operations_of(&[id]).await?,
            disputes: self.disputes_of(&[id]).await?,
            charge,
            attempts,
            webhooks,
        }))
    }

    /// The lines about the charge, such as an operator's acts, and those that name it, of the time in which it could be paid.
    /// The log is in the order of time, and its only index is of subjects.
    async fn audit_lines_about(&self, charge: &Charge) -> Result<Vec<AuditLine>, StoreError> {
        Ok(query(
            "SELECT id, at, actor, action, subject, detail FROM audit_log WHERE subject = $3 \
             UNION SELECT id, at, actor, action, subject, detail FROM audit_log \
             WHERE id >= $1 AND id < $2 AND detail LIKE $4 ORDER BY id LIMIT $5",
        )
        .bind(first_audit_id(charge.created_at))
        .bind(first_audit_id(charge.updated_at + AUDIT_AFTER_MS))
        .bind(&charge.id)
        .bind(format!("%\"{}\"%", charge.id))
        .bind(AUDIT_LINES_MAX)
        .fetch_all(&self.readers)
        .await?)
    }
}

/// The smallest id of a line of the audit log of this time. Ids begin with 48 bits of unix milliseconds.
fn first_audit_id(ms: i64) -> String {
    format!("aud_{ms:012x}")
}

#[cfg(test)]
mod tests;
