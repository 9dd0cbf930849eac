//! The audit log: who changed keys and merchants, who opened a stored card, and what operators did with charges. It never has
//! the card number.
//!
//! **Invariant**: nothing here changes or removes a line, and triggers keep everything else from doing so.

use protocol::ids::{IdKind, new_id_at};
use serde::Deserialize;
use serde_json::Value;

use super::sql::{Query, query};
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// Who did an action, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// A person at the command line, this service, a merchant or a shopper.
    pub actor: String,
    /// Unix milliseconds.
    pub at: i64,
}

impl Actor {
    /// The service itself.
    pub fn service(at: i64) -> Self {
        Self {
            actor: "service".to_owned(),
            at,
        }
    }

    /// A merchant's server, with its secret key.
    pub fn merchant(partner_id: &str, at: i64) -> Self {
        Self {
            actor: format!("merchant {partner_id}"),
            at,
        }
    }

    /// A merchant's shopper, who pays with a saved card. The log does not name the shopper, because its lines stay when the
    /// shopper is erased.
    pub fn shopper(partner_id: &str, at: i64) -> Self {
        Self {
            actor: format!("shopper of {partner_id}"),
            at,
        }
    }
}

/// The kind of an action. The names never change, because they are in operators' logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AuditAction {
    /// A merchant was added.
    MerchantAdded,
    /// Its name, its origins or its state was changed.
    MerchantChanged,
    /// A merchant got a secret key.
    SecretKeyAdded,
    /// A merchant's secret key was ended.
    SecretKeyRevoked,
    /// A merchant's webhook was set.
    WebhookSet,
    /// A merchant's webhook was removed.
    WebhookRemoved,
    /// A webhook's secret was wrapped by a key of the vault.
    WebhookSecretWrapped,
    /// A service with a vault refused a webhook's secret, because it is not wrapped.
    WebhookSecretRefused,
    /// A signing key was made.
    SigningKeyAdded,
    /// A signing key was ended at once.
    SigningKeyRevoked,
    /// A signing key was wrapped by a key of the vault.
    SigningKeyWrapped,
    /// A service with a vault refused a signing key, because it is not wrapped.
    SigningKeyRefused,
    /// A saved card's number was opened to pay with it.
    CardOpened,
    /// A saved card's number was opened to compute its fingerprint with the active key.
    CardRewrapped,
    /// A saved card's number was opened to export it.
    CardExported,
    /// A saved card was imported.
    CardImported,
    /// The rotation of saved cards to the vault's active key began.
    VaultRotationBegun,
    /// The rotation of all saved cards ended.
    VaultRotationEnded,
    /// Payments were closed, because an earlier database was restored.
    PaymentsClosed,
    /// The provider's payments were brought back, and payments opened.
    PaymentsReconciled,
    /// Old charges were removed.
    ChargesRemoved,
    /// A merchant erased a shopper.
    ShopperErased,
    /// An operator is about to refund a charge.
    RefundRequested,
    /// An operator is about to capture a charge.
    CaptureRequested,
    /// An operator is about to cancel a charge or to release its hold.
    CancelRequested,
    /// An operator is about to send a webhook event again.
    ResendRequested,
}

impl AuditAction {
    /// Its name in the log.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AuditLine {
    /// `aud_…`; sorts by time.
    pub id: String,
    /// Unix milliseconds.
    pub at: i64,
    /// Who did it.
    pub actor: String,
    /// What was done.
    pub action: String,
    /// The id of the action's subject.
    pub subject: String,
    /// A JSON object.
    pub detail: String,
}

/// A line to write in the transaction of another change.
#[derive(Debug, Clone, PartialEq)]
pub struct NewAuditLine {
    /// Who did it, and when.
    pub by: Actor,
    /// What was done.
    pub action: AuditAction,
    /// The id of the action's subject.
    pub subject: String,
    /// A JSON object without any part of a key, a secret or a card.
    pub detail: Value,
}

impl NewAuditLine {
    pub(super) fn insert(&self) -> Query<'_> {
        line(&self.by, self.action, &self.subject, &self.detail)
    }
}

impl Store {
    /// Writes a line. It is durable when this returns.
    pub async fn record_action(
        &self,
        by: &Actor,
        action: AuditAction,
        subject: &str,
        detail: &Value,
    ) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            note(&mut tx, by, action, subject, detail).await?;
            tx.commit().await
        })
        .await
    }

    /// Lines, the newest first; with `before` those that are older than this line.
    pub async fn audit_lines(&self, before: Option<&str>, limit: i64) -> Result<Vec<AuditLine>, StoreError> {
        Ok(query(
            "SELECT id, at, actor, action, subject, detail FROM audit_log WHERE id < $1 ORDER BY id DESC LIMIT $2",
        )
        .bind(before.unwrap_or(AFTER_ALL))
        .bind(limit)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Lines of one subject, the newest first; with `before` those that are older than this line.
    pub async fn audit_lines_of(
        &self,
        subject: &str,
        before: Option<&str>,
        limit: i64,
    ) -> Result<Vec<AuditLine>, StoreError> {
        Ok(query(
            "SELECT id, at, actor, action, subject, detail FROM audit_log \
             WHERE subject = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
        )
        .bind(subject)
        .bind(before.unwrap_or(AFTER_ALL))
        .bind(limit)
        .fetch_all(&self.readers)
        .await?)
    }
}

/// Greater than every id.
const AFTER_ALL: &str = "b";

/// Writes a line in the transaction that does the action. `detail` is a JSON object, and never has a key, a secret or any
/// part of a card.
pub(super) async fn note(
    tx: &mut Tx,
    by: &Actor,
    action: AuditAction,
    subject: &str,
    detail: &Value,
) -> Result<(), StoreError> {
    line(by, action, subject, detail).execute(tx).await?;
    Ok(())
}

fn line<'a>(by: &'a Actor, action: AuditAction, subject: &'a str, detail: &Value) -> Query<'a> {
    query("INSERT INTO audit_log (id, at, actor, action, subject, detail) VALUES ($1, $2, $3, $4, $5, $6)")
        .bind(new_id_at(IdKind::AuditLine, by.at))
        .bind(by.at)
        .bind(&by.actor)
        .bind(action.name())
        .bind(subject)
        .bind(detail.to_string())
}
