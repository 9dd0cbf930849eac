//! Key rotation: finds saved cards that the active key does not wrap, and stores them wrapped by it.

use protocol::webhook_event::CardMoment;
use serde::Deserialize;
use serde_json::json;
use vault::Sealed;

use super::audit_log::{Actor, AuditAction, note};
use super::merchant_card::tell_merchant;
use super::provider_card::{CardChange, tell};
use super::sql::query;
use super::write::{Tx, retried};
use super::{CardOwner, Store, StoreError};

/// A card whose data key another key wraps.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CardUnderOldKey {
    /// `pm_…`.
    pub id: String,
    /// The shopper who saved the card.
    #[serde(flatten)]
    pub owner: CardOwner,
    /// Its number as it is sealed now.
    #[serde(flatten)]
    pub sealed: Sealed,
}

/// A card that was wrapped again with the active key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewrappedCard {
    /// The card as it was read.
    pub before: CardUnderOldKey,
    /// Its number as it will be stored.
    pub sealed: Sealed,
    /// Its fingerprint by the new key.
    pub fingerprint: String,
}

impl Store {
    /// How many cards, pending ones too, each key wraps, by its id.
    pub async fn cards_by_key(&self) -> Result<Vec<(String, i64)>, StoreError> {
        Ok(
            query("SELECT key_id, COUNT(*) FROM saved_cards GROUP BY key_id ORDER BY key_id")
                .fetch_all(&self.readers)
                .await?,
        )
    }

    /// Cards, pending ones too, that another key than `key_id` wraps, by id and after the id `after`.
    pub async fn cards_of_other_keys(
        &self,
        key_id: &str,
        after: &str,
        limit: i64,
    ) -> Result<Vec<CardUnderOldKey>, StoreError> {
        Ok(query(
            "SELECT id, partner_id, shopper_id, key_id, wrapped_key, sealed_number FROM saved_cards \
             WHERE key_id <> $1 AND id > $2 ORDER BY id LIMIT $3",
        )
        .bind(key_id)
        .bind(after)
        .bind(limit)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Stores these cards in one transaction. A card that was removed or rewrapped meanwhile is skipped. If two turn
    /// out to be the same card of the same shopper, the newer one stays.
    pub async fn rewrap_cards(&self, cards: &[RewrappedCard], by: &Actor) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            for card in cards {
                // Also for a card that turns out to be removed, because it was opened for its fingerprint.
                let detail = json!({ "from": card.before.sealed.key_id, "to": card.sealed.key_id });
                note(&mut tx, by, AuditAction::CardRewrapped, &card.before.id, &detail).await?;
                if is_saved(&mut tx, &card.before.id).await? {
                    remove_older_duplicate(&mut tx, card, by.at).await?;
                }
                query(
                    "UPDATE saved_cards SET key_id = $1, wrapped_key = $2, fingerprint = $3 \
                     WHERE id = $4 AND wrapped_key = $5",
                )
                .bind(&card.sealed.key_id)
                .bind(&card.sealed.wrapped_key)
                .bind(&card.fingerprint)
                .bind(&card.before.id)
                .bind(&card.before.sealed.wrapped_key)
                .execute(&mut tx)
                .await?;
            }
            tx.commit().await
        })
        .await
    }
}

async fn is_saved(tx: &mut Tx, id: &str) -> Result<bool, StoreError> {
    let found: Option<String> = query("SELECT id FROM saved_cards WHERE id = $1 AND state = 'saved'")
        .bind(id)
        .fetch_optional(&mut *tx)
        .await?;
    Ok(found.is_some())
}

/// A node that did not have the old key may have saved the same card under the new key.
async fn remove_older_duplicate(tx: &mut Tx, card: &RewrappedCard, now_ms: i64) -> Result<(), StoreError> {
    let ids: Vec<String> = query(
        "SELECT id FROM saved_cards WHERE partner_id = $1 AND shopper_id = $2 AND state = 'saved' \
         AND (fingerprint = $3 OR id = $4) ORDER BY saved_at DESC, id DESC",
    )
    .bind(&card.before.owner.partner_id)
    .bind(&card.before.owner.shopper_id)
    .bind(&card.fingerprint)
    .bind(&card.before.id)
    .fetch_all(&mut *tx)
    .await?;
    for older in ids.iter().skip(1) {
        tell(tx, older, CardChange::Detach).await?;
        tell_merchant(
            tx,
            &card.before.owner.partner_id,
            older,
            CardMoment::Removed,
            now_ms,
        )
        .await?;
        query("DELETE FROM saved_cards WHERE id = $1")
            .bind(older)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}
