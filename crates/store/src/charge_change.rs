//! Changes what a charge is for and how much it is, while it has no attempt under way.

use protocol::ChargeStatus;
use protocol::charge_state::{ChargeEvent, transition};

use serde::Deserialize;

use super::charge::ChargeTerms;
use super::creation::{Creation, CreationKey, CreationOutcome, made_before, note_key};
use super::sql::query;
use super::write::{Tx, retried};
use super::{Store, StoreError, charge};

/// A change of a charge's terms.
#[derive(Debug, Clone)]
pub struct ChargeChange {
    /// `chg_…`.
    pub id: String,
    /// The merchant of the charge.
    pub partner_id: String,
    /// The terms from which the new ones were made.
    pub from: ChargeTerms,
    /// The new terms.
    pub to: ChargeTerms,
    /// The data that a repeated answer needs. Its charge is the one that changes, and its `created_at` is the time of the
    /// change.
    pub request: Creation,
}

/// A change in the charge's story: the terms before it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ToldChange {
    /// When it was changed, in unix milliseconds.
    pub changed_at: i64,
    /// The terms until then.
    #[serde(flatten)]
    pub before: ChargeTerms,
}

/// The result of a request to change a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeOutcome {
    /// The charge has the new terms.
    Changed,
    /// The key was used before, for this request.
    Before(Creation),
    /// An attempt is under way, or the charge is over; nothing was written.
    Stays(ChargeStatus),
    /// The charge does not have the terms any more from which the new ones were made; nothing was written.
    Outdated,
}

impl Store {
    /// Changes a charge's terms, unless an attempt is under way or the charge is over. With a key, only if that key was not used before.
    /// The charge must exist. Its row is locked, so a press either comes before, and then nothing changes, or after, and
    /// then it finds the new terms.
    pub async fn change_charge(
        &self,
        change: &ChargeChange,
        key: Option<CreationKey<'_>>,
    ) -> Result<ChangeOutcome, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let outcome = change_terms(&mut tx, change, key).await?;
            tx.commit().await?;
            Ok(outcome)
        })
        .await
    }

    /// The changes of a charge, the oldest first.
    pub(super) async fn changes_of(&self, charge_id: &str) -> Result<Vec<ToldChange>, StoreError> {
        Ok(query(
            "SELECT changed_at, item_code, item_name, amount_value, amount_currency FROM charge_changes \
             WHERE charge_id = $1 ORDER BY changed_at, id",
        )
        .bind(charge_id)
        .fetch_all(&self.readers)
        .await?)
    }
}

async fn change_terms(
    tx: &mut Tx,
    change: &ChargeChange,
    key: Option<CreationKey<'_>>,
) -> Result<ChangeOutcome, StoreError> {
    let id = &change.request.charge_id;
    let held = charge::hold_existing(tx, id).await?;
    let status = held.status;
    if let Some(key) = key
        && let CreationOutcome::Before(before) = made_before(tx, &change.partner_id, key).await?
    {
        return Ok(ChangeOutcome::Before(before));
    }
    // A shopper may still see the old terms; `begin_attempt` compares them.
    if transition(status, ChargeEvent::Pressed).is_err() {
        return Ok(ChangeOutcome::Stays(status));
    }
    if !change.from.are_of(&held) {
        return Ok(ChangeOutcome::Outdated);
    }
    let now_ms = change.request.created_at;
    if change.from != change.to {
        set_terms(tx, id, &change.to, now_ms).await?;
        note(tx, &change.id, id, &change.from, now_ms).await?;
    }
    if let Some(key) = key {
        note_key(tx, &change.partner_id, key, &change.request).await?;
    }
    Ok(ChangeOutcome::Changed)
}

/// Gives the charge these terms.
pub(super) async fn set_terms(
    tx: &mut Tx,
    id: &str,
    terms: &ChargeTerms,
    now_ms: i64,
) -> Result<(), StoreError> {
    query(
        "UPDATE charges SET item_code = $1, item_name = $2, amount_value = $3, amount_currency = $4, \
         updated_at = $5 WHERE id = $6",
    )
    .bind(&terms.item_code)
    .bind(&terms.item_name)
    .bind(&terms.amount_value)
    .bind(&terms.amount_currency)
    .bind(now_ms)
    .bind(id)
    .execute(tx)
    .await?;
    Ok(())
}

async fn note(
    tx: &mut Tx,
    id: &str,
    charge_id: &str,
    before: &ChargeTerms,
    now_ms: i64,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO charge_changes (id, charge_id, changed_at, item_code, item_name, amount_value, \
         amount_currency) VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(id)
    .bind(charge_id)
    .bind(now_ms)
    .bind(&before.item_code)
    .bind(&before.item_name)
    .bind(&before.amount_value)
    .bind(&before.amount_currency)
    .execute(tx)
    .await?;
    Ok(())
}

/// Whether the charge was changed at this time or later, in unix milliseconds.
pub(super) async fn is_changed_since(tx: &mut Tx, charge_id: &str, at: i64) -> Result<bool, StoreError> {
    let changes: i64 = query("SELECT COUNT(*) FROM charge_changes WHERE charge_id = $1 AND changed_at >= $2")
        .bind(charge_id)
        .bind(at)
        .fetch_one(tx)
        .await?;
    Ok(changes > 0)
}
