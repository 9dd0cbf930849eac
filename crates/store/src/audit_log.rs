//! The audit log: who changed keys and merchants, and who opened a stored card. It never has the card number.
//!
//! **Invariant**: nothing here changes or removes a line, and triggers keep everything else from doing so.

use protocol::ids::{IdKind, new_id_at};
use serde_json::Value;

use super::sql::{query, read_from_row};
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// Who did an action, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// A person at the command line, this service, or a shopper.
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

    /// A merchant's shopper, who pays with a saved card.
    pub fn shopper(partner_id: &str, shopper_id: &str, at: i64) -> Self {
        Self {
            actor: format!("shopper {shopper_id} of {partner_id}"),
            at,
        }
    }
}

/// The kind of an action. The names never change, because they are in operators' logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// A signing key was made.
    SigningKeyAdded,
    /// A signing key was ended at once.
    SigningKeyRevoked,
    /// A signing key was wrapped by a key of the vault.
    SigningKeyWrapped,
    /// A saved card's number was opened to pay with it.
    CardOpened,
    /// A saved card's number was opened to compute its fingerprint with the active key.
    CardRewrapped,
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
}

impl AuditAction {
    /// Its name in the log.
    pub fn name(self) -> &'static str {
        match self {
            Self::MerchantAdded => "merchant_added",
            Self::MerchantChanged => "merchant_changed",
            Self::SecretKeyAdded => "secret_key_added",
            Self::SecretKeyRevoked => "secret_key_revoked",
            Self::WebhookSet => "webhook_set",
            Self::WebhookRemoved => "webhook_removed",
            Self::WebhookSecretWrapped => "webhook_secret_wrapped",
            Self::SigningKeyAdded => "signing_key_added",
            Self::SigningKeyRevoked => "signing_key_revoked",
            Self::SigningKeyWrapped => "signing_key_wrapped",
            Self::CardOpened => "card_opened",
            Self::CardRewrapped => "card_rewrapped",
            Self::VaultRotationBegun => "vault_rotation_begun",
            Self::VaultRotationEnded => "vault_rotation_ended",
            Self::PaymentsClosed => "payments_closed",
            Self::PaymentsReconciled => "payments_reconciled",
            Self::ChargesRemoved => "charges_removed",
        }
    }
}

/// An action to write to the log.
#[derive(Debug, Clone)]
pub struct AuditedAction<'a> {
    /// What was done.
    pub action: AuditAction,
    /// The id of its subject.
    pub subject: &'a str,
    /// Details as a JSON object. Never a key, a secret or any part of a card.
    pub detail: Value,
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// `aud_…`; sorts by time.
    pub id: String,
    /// Unix milliseconds.
    pub at: i64,
    /// Who did it.
    pub actor: String,
    /// What was done.
    pub action: String,
    /// The id of what it was done to.
    pub subject: String,
    /// A JSON object.
    pub detail: String,
}

read_from_row!(AuditLine {
    id,
    at,
    actor,
    action,
    subject,
    detail,
});

/// How many lines go into one statement, of six values each.
const LINES_PER_STATEMENT: usize = 100;

impl Store {
    /// Writes a line. It is durable when this returns.
    pub async fn record_action(&self, by: &Actor, act: &AuditedAction<'_>) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            note(&mut tx, by, std::slice::from_ref(act)).await?;
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

    /// The same of one subject.
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

/// Writes lines in the transaction that does the actions.
pub(super) async fn note(tx: &mut Tx, by: &Actor, acts: &[AuditedAction<'_>]) -> Result<(), StoreError> {
    for acts in acts.chunks(LINES_PER_STATEMENT) {
        let rows: Vec<String> = (0..acts.len()).map(row).collect();
        let sql = format!(
            "INSERT INTO audit_log (id, at, actor, action, subject, detail) VALUES {}",
            rows.join(", ")
        );
        // Only numbers were formatted into this SQL.
        let mut query = query(sql);
        for act in acts {
            query = query
                .bind(new_id_at(IdKind::AuditLine, by.at))
                .bind(by.at)
                .bind(&by.actor)
                .bind(act.action.name())
                .bind(act.subject)
                .bind(act.detail.to_string());
        }
        query.execute(&mut *tx).await?;
    }
    Ok(())
}

/// The placeholders of a line's values in a statement with several lines.
fn row(index: usize) -> String {
    let places: Vec<String> = (1..=6).map(|place| format!("${}", index * 6 + place)).collect();
    format!("({})", places.join(", "))
}
