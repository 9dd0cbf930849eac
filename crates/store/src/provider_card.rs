//! Cards that the provider stores, too: its references of cards and customers, and the changes that it does not know yet.

use protocol::KeptCard;

use serde::Deserialize;

use super::sql::query;
use super::write::{Tx, retried};
use super::{CardOwner, Store, StoreError};

/// A change of a card at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, Deserialize)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CardChange {
    /// Store it for its customer.
    Attach,
    /// Remove it.
    Detach,
    /// Give it the date that the saved card has.
    Date,
    /// Delete its customer; the change names no card.
    Erase,
}

impl CardChange {
    fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A change that the provider does not know yet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DueCardChange {
    /// The provider's reference of the card.
    pub provider_card: String,
    /// The provider's reference of the customer.
    pub provider_customer: String,
    /// The change.
    pub kind: CardChange,
    /// How often it was tried before.
    pub tries: i64,
    /// When it was due, in unix milliseconds.
    pub due_at: i64,
}

impl Store {
    /// Records the provider's reference of an attempt's payment, and the card that it would store. The first one is
    /// kept: false if there is another one, or if the attempt is not in flight any more.
    pub async fn record_payment(
        &self,
        attempt_id: &str,
        reference: &str,
        kept: Option<&KeptCard>,
    ) -> Result<bool, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let noted = query(
                "UPDATE attempts SET provider_reference = $1 WHERE id = $2 AND state IN ('in_flight', 'outcome_unknown') \
                 AND (provider_reference IS NULL OR provider_reference = $1)",
            )
            .bind(reference)
            .bind(attempt_id)
            .execute(&mut tx)
            .await?;
            if let Some(kept) = kept.filter(|_| noted == 1) {
                query(
                    "UPDATE saved_cards SET provider_card = $1, provider_customer = $2 \
                     WHERE attempt_id = $3 AND state = 'pending'",
                )
                .bind(&kept.card)
                .bind(&kept.customer)
                .bind(attempt_id)
                .execute(&mut tx)
                .await?;
            }
            tx.commit().await?;
            Ok(noted == 1)
        })
        .await
    }

    /// The provider's reference of this shopper.
    pub async fn provider_customer(
        &self,
        provider: &str,
        owner: &CardOwner,
    ) -> Result<Option<String>, StoreError> {
        Ok(query(
            "SELECT reference FROM provider_customers WHERE provider = $1 AND partner_id = $2 AND shopper_id = $3",
        )
        .bind(provider)
        .bind(&owner.partner_id)
        .bind(&owner.shopper_id)
        .fetch_optional(&self.readers)
        .await?)
    }

    /// Stores the provider's reference of this shopper. Nodes that make a customer at the same time get the same one.
    pub async fn put_provider_customer(
        &self,
        provider: &str,
        owner: &CardOwner,
        reference: &str,
    ) -> Result<(), StoreError> {
        query(
            "INSERT INTO provider_customers (provider, partner_id, shopper_id, reference) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (provider, partner_id, shopper_id) DO UPDATE SET reference = excluded.reference",
        )
        .bind(provider)
        .bind(&owner.partner_id)
        .bind(&owner.shopper_id)
        .bind(reference)
        .write(&self.writer)
        .await?;
        Ok(())
    }

    /// The changes that are due now, the longest waiting first.
    pub async fn due_card_changes(&self, now_ms: i64, limit: i64) -> Result<Vec<DueCardChange>, StoreError> {
        Ok(query(
            "SELECT provider_card, provider_customer, kind, tries, due_at FROM provider_card_changes \
             WHERE due_at <= $1 ORDER BY due_at LIMIT $2",
        )
        .bind(now_ms)
        .bind(limit)
        .fetch_all(&self.readers)
        .await?)
    }

    /// The month and the year of the saved card that the provider keeps under this reference; `None` if it was removed.
    pub async fn kept_card_date(&self, provider_card: &str) -> Result<Option<(i64, i64)>, StoreError> {
        Ok(query(
            "SELECT expiration_month, expiration_year FROM saved_cards WHERE provider_card = $1 AND state = 'saved'",
        )
        .bind(provider_card)
        .fetch_optional(&self.readers)
        .await?)
    }

    /// Claims a change until `again_at`; it is retried then unless [`Store::end_card_change`] was called. False if
    /// another node was faster, or if the change is a different one by now.
    pub async fn begin_card_change(&self, due: &DueCardChange, again_at: i64) -> Result<bool, StoreError> {
        let changed = query(
            "UPDATE provider_card_changes SET due_at = $1, tries = tries + 1 \
             WHERE provider_card = $2 AND kind = $3 AND tries = $4 AND due_at = $5",
        )
        .bind(again_at)
        .bind(&due.provider_card)
        .bind(due.kind.as_str())
        .bind(due.tries)
        .bind(due.due_at)
        .write(&self.writer)
        .await?;
        Ok(changed == 1)
    }

    /// Deletes a change that is done, which was claimed until `again_at`. A removal or a date that was added meanwhile stays.
    pub async fn end_card_change(&self, due: &DueCardChange, again_at: i64) -> Result<(), StoreError> {
        query("DELETE FROM provider_card_changes WHERE provider_card = $1 AND kind = $2 AND due_at = $3")
            .bind(&due.provider_card)
            .bind(due.kind.as_str())
            .bind(again_at)
            .write(&self.writer)
            .await?;
        Ok(())
    }

    /// Forgets the provider's copy of a card that it does not keep. The merchant then pays with the number in our vault.
    pub async fn forget_provider_card(&self, provider_card: &str) -> Result<(), StoreError> {
        query(
            "UPDATE saved_cards SET provider_card = NULL, provider_customer = NULL WHERE provider_card = $1",
        )
        .bind(provider_card)
        .write(&self.writer)
        .await?;
        Ok(())
    }
}

/// Runs in the transaction that changes the card. While an attachment is under way, a detachment waits until its next try
/// would be due: a late request to attach it must not come after the detachment.
const TELL: &str = "INSERT INTO provider_card_changes (provider_card, provider_customer, kind, tries, due_at) \
     SELECT provider_card, provider_customer, $1, 0, 0 FROM saved_cards \
     WHERE id = $2 AND provider_card IS NOT NULL AND provider_customer IS NOT NULL \
     ON CONFLICT (provider_card) DO UPDATE SET kind = excluded.kind, tries = 0, \
     due_at = CASE WHEN provider_card_changes.tries > 0 THEN provider_card_changes.due_at ELSE 0 END";

/// Adds a change for a saved card that the provider stores. The card's row must still exist.
pub(super) async fn tell(tx: &mut Tx, id: &str, change: CardChange) -> Result<(), StoreError> {
    query(TELL)
        .bind(change.as_str())
        .bind(id)
        .execute(&mut *tx)
        .await?;
    Ok(())
}

/// Adds the change of a saved card's date. A change of the card that is due already sends the date, too. Its due time is moved,
/// so that it stays if it is being sent.
pub(super) async fn tell_date(tx: &mut Tx, id: &str) -> Result<(), StoreError> {
    query(
        "INSERT INTO provider_card_changes (provider_card, provider_customer, kind, tries, due_at) \
         SELECT provider_card, provider_customer, $1, 0, 0 FROM saved_cards \
         WHERE id = $2 AND provider_card IS NOT NULL AND provider_customer IS NOT NULL \
         ON CONFLICT (provider_card) DO UPDATE SET due_at = provider_card_changes.due_at + 1",
    )
    .bind(CardChange::Date.as_str())
    .bind(id)
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// Gives a saved card the provider's reference of the card `from`, and has the provider remove the former card. If there
/// is none, the provider is told the saved card's date.
pub(super) async fn take_over(tx: &mut Tx, id: &str, from: &str) -> Result<(), StoreError> {
    let newer: Option<(Option<String>, Option<String>)> =
        query("SELECT provider_card, provider_customer FROM saved_cards WHERE id = $1")
            .bind(from)
            .fetch_optional(&mut *tx)
            .await?;
    let Some((Some(card), Some(customer))) = newer else {
        return tell_date(tx, id).await;
    };
    tell(tx, id, CardChange::Detach).await?;
    query("UPDATE saved_cards SET provider_card = $1, provider_customer = $2 WHERE id = $3")
        .bind(card)
        .bind(customer)
        .bind(id)
        .execute(&mut *tx)
        .await?;
    tell(tx, id, CardChange::Attach).await
}
