//! Disputes: the provider tells that a shopper's bank asks a payment back, and how that ended.

use protocol::clock::rfc3339;
use protocol::ids::{IdKind, new_id_at};
use protocol::webhook_event::EventSubject;
use protocol::{Dispute, DisputeStatus, DisputeView, ProviderDispute};
use serde::Deserialize;

use super::attempt::{Attempt, COLUMNS as ATTEMPT_COLUMNS};
use super::charge_view::{Told, view};
use super::operation::{Operation, all_of, refunds};
use super::sql::{places, query};
use super::webhook_event::NewEvent;
use super::write::{Tx, retried};
use super::{ListPosition, Store, StoreError, charge};

/// A dispute as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StoredDispute {
    /// `dp_…`.
    pub id: String,
    /// The charge.
    pub charge_id: String,
    /// The merchant.
    pub partner_id: String,
    /// The provider's reference.
    pub provider_reference: String,
    /// The status.
    pub status: DisputeStatus,
    /// A decimal string.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The reason, in the provider's words.
    pub reason: Option<String>,
    /// Until when the merchant can answer, in unix milliseconds.
    pub respond_before: Option<i64>,
    /// Unix milliseconds.
    pub created_at: i64,
    /// Unix milliseconds.
    pub updated_at: i64,
}

const COLUMNS: &str = "SELECT id, charge_id, partner_id, provider_reference, status, amount_value, amount_currency, reason, \
     respond_before, created_at, updated_at FROM disputes";

impl StoredDispute {
    /// The dispute in its charge.
    pub(super) fn in_charge(&self) -> DisputeView {
        DisputeView {
            status: self.status,
            amount_value: self.amount_value.clone(),
            reason: self.reason.clone(),
            respond_before: self.respond_before.map(rfc3339),
        }
    }
}

/// The dispute for its merchant.
impl From<StoredDispute> for Dispute {
    fn from(dispute: StoredDispute) -> Self {
        Self {
            id: dispute.id,
            charge_id: dispute.charge_id,
            status: dispute.status,
            amount_value: dispute.amount_value,
            amount_currency: dispute.amount_currency,
            reason: dispute.reason,
            respond_before: dispute.respond_before.map(rfc3339),
            provider_reference: dispute.provider_reference,
            created_at: rfc3339(dispute.created_at),
            updated_at: rfc3339(dispute.updated_at),
        }
    }
}

impl Store {
    /// Records what the provider tells of a dispute of the payment with this idempotency key. Returns whether anything was new;
    /// `None` if the payment is not ours. A dispute that has ended does not open again.
    pub async fn record_dispute(
        &self,
        provider_key: &str,
        told: &ProviderDispute,
        now_ms: i64,
    ) -> Result<Option<bool>, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let recorded = record(&mut tx, provider_key, told, now_ms).await?;
            tx.commit().await?;
            Ok(recorded)
        })
        .await
    }

    /// The disputes of these charges, the oldest first.
    pub(super) async fn disputes_of(&self, charge_ids: &[&str]) -> Result<Vec<StoredDispute>, StoreError> {
        let places = places(1, charge_ids.len());
        let sql = format!("{COLUMNS} WHERE charge_id IN ({places}) ORDER BY created_at");
        Ok(query(sql).bind_each(charge_ids).fetch_all(&self.readers).await?)
    }

    /// Up to `limit` of a merchant's disputes behind `after`, the newest first.
    pub async fn disputes(
        &self,
        partner_id: &str,
        after: Option<&ListPosition>,
        limit: usize,
    ) -> Result<Vec<StoredDispute>, StoreError> {
        let end = ListPosition::before(i64::MAX);
        let from = after.unwrap_or(&end);
        let sql = format!(
            "{COLUMNS} WHERE partner_id = $1 AND created_at <= $2 AND (created_at < $2 OR id < $3) \
             ORDER BY created_at DESC, id DESC LIMIT $4"
        );
        Ok(query(sql)
            .bind(partner_id)
            .bind(from.created_at)
            .bind(&from.id)
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(&self.readers)
            .await?)
    }

    /// The attempt with this idempotency key of the provider.
    pub async fn attempt_by_provider_key(&self, provider_key: &str) -> Result<Option<Attempt>, StoreError> {
        let sql = format!("{ATTEMPT_COLUMNS} WHERE provider_key = $1");
        Ok(query(sql)
            .bind(provider_key)
            .fetch_optional(&self.readers)
            .await?)
    }
}

/// The last dispute of a charge.
pub(super) async fn dispute_in(tx: &mut Tx, charge_id: &str) -> Result<Option<DisputeView>, StoreError> {
    let sql = format!("{COLUMNS} WHERE charge_id = $1 ORDER BY created_at DESC LIMIT 1");
    let last: Option<StoredDispute> = query(sql).bind(charge_id).fetch_optional(tx).await?;
    Ok(last.as_ref().map(StoredDispute::in_charge))
}

async fn record(
    tx: &mut Tx,
    provider_key: &str,
    told: &ProviderDispute,
    now_ms: i64,
) -> Result<Option<bool>, StoreError> {
    let sql = format!("{ATTEMPT_COLUMNS} WHERE provider_key = $1");
    let Some(attempt): Option<Attempt> = query(sql).bind(provider_key).fetch_optional(&mut *tx).await? else {
        return Ok(None);
    };
    let Some(charge) = charge::hold(tx, &attempt.charge_id).await? else {
        return Ok(None);
    };
    let sql = format!("{COLUMNS} WHERE provider_reference = $1");
    let known: Option<StoredDispute> = query(sql).bind(&told.reference).fetch_optional(&mut *tx).await?;
    let dispute = StoredDispute {
        id: known
            .as_ref()
            .map_or_else(|| new_id_at(IdKind::Dispute, now_ms), |known| known.id.clone()),
        charge_id: charge.id.clone(),
        partner_id: charge.partner_id.clone(),
        provider_reference: told.reference.clone(),
        status: told.status,
        amount_value: told.amount_value.clone(),
        amount_currency: told.amount_currency.clone(),
        reason: told.reason.clone(),
        respond_before: told.respond_before,
        created_at: known.as_ref().map_or(now_ms, |known| known.created_at),
        updated_at: now_ms,
    };
    // An event that the provider sends late has the earlier deadline.
    let stays = |known: &StoredDispute| {
        let same_time = StoredDispute {
            updated_at: known.updated_at,
            ..dispute.clone()
        };
        let is_older = told.status == DisputeStatus::Open && told.respond_before < known.respond_before;
        known.status != DisputeStatus::Open || is_older || *known == same_time
    };
    if known.as_ref().is_some_and(stays) {
        return Ok(Some(false));
    }
    query(
        "INSERT INTO disputes (id, charge_id, partner_id, provider_reference, status, amount_value, amount_currency, \
         reason, respond_before, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, amount_value = excluded.amount_value, \
         amount_currency = excluded.amount_currency, reason = excluded.reason, \
         respond_before = excluded.respond_before, updated_at = excluded.updated_at",
    )
    .bind(&dispute.id)
    .bind(&dispute.charge_id)
    .bind(&dispute.partner_id)
    .bind(&dispute.provider_reference)
    .bind(dispute.status.as_str())
    .bind(&dispute.amount_value)
    .bind(&dispute.amount_currency)
    .bind(&dispute.reason)
    .bind(dispute.respond_before)
    .bind(dispute.created_at)
    .bind(dispute.updated_at)
    .execute(&mut *tx)
    .await?;
    let operations: Vec<Operation> = all_of(&charge.id).fetch_all(&mut *tx).await?;
    let told = Told {
        refunds: refunds(&operations),
        dispute: Some(dispute.in_charge()),
        ..Told::of(&attempt)
    };
    let shown = view(&charge, told);
    let dispute = dispute.into();
    let subject = EventSubject::Dispute(&dispute, &shown);
    let event = NewEvent::about(&charge.partner_id, &charge.id, subject, now_ms)?;
    event.insert().execute(tx).await?;
    Ok(Some(true))
}
