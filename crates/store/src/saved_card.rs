//! Saved cards: reading, adding (first pending, then saved or deleted) and removing them.

use protocol::{KeptCard, PaymentFacts, SaveCardUsage};
use serde::Deserialize;
use vault::Sealed;

use super::provider_card::{CardChange, take_over, tell};
use super::sql::{Query, query};
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// The owner of saved cards: a shopper of a merchant.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CardOwner {
    /// The merchant.
    pub partner_id: String,
    /// The merchant's shopper; never empty.
    pub shopper_id: String,
}

impl CardOwner {
    /// This shopper of this merchant.
    pub fn new(partner_id: &str, shopper_id: &str) -> Self {
        Self {
            partner_id: partner_id.to_owned(),
            shopper_id: shopper_id.to_owned(),
        }
    }
}

/// A page of the list of cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardRange {
    /// How many entries come before.
    pub skip: i64,
    /// How many entries at most.
    pub take: i64,
}

/// The parts of a saved card that may be shown.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ShownCard {
    /// `pm_…`.
    pub id: String,
    /// `card_…`.
    pub card_id: String,
    /// The name in the brand table, or empty.
    pub brand: String,
    /// The first six digits.
    pub first_six: String,
    /// The last four digits.
    pub last_four: String,
    /// 1 to 12.
    pub expiration_month: i64,
    /// Four digits.
    pub expiration_year: i64,
    /// As typed, or empty.
    pub holder_name: String,
}

/// What a shopper agreed to when the card was saved (docs/saving-cards.md#what-the-shopper-agrees-to).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CardAgreement {
    /// For which payments the card is kept.
    #[serde(rename = "agreement_usage")]
    pub usage: SaveCardUsage,
    /// When the shopper agreed, in unix milliseconds.
    #[serde(rename = "agreement_accepted_at")]
    pub accepted_at: i64,
    /// The key of the text that the shopper read, if the page told it.
    #[serde(rename = "agreement_text_id")]
    pub text_id: Option<String>,
    /// The locale of the text.
    #[serde(rename = "agreement_locale")]
    pub locale: Option<String>,
}

/// A saved card to pay with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PayableCard {
    /// The parts that may be shown.
    #[serde(flatten)]
    pub card: ShownCard,
    /// Its number.
    #[serde(flatten)]
    pub sealed: Sealed,
    /// What the shopper agreed to; `None` if an earlier version saved the card.
    #[serde(flatten)]
    pub agreement: Option<CardAgreement>,
    /// The card network's id of the payment at which the shopper agreed.
    pub network_transaction_id: Option<String>,
    provider_card: Option<String>,
    provider_customer: Option<String>,
}

impl PayableCard {
    /// The provider's copy of the card, if the provider keeps one.
    pub fn kept(&self) -> Option<KeptCard> {
        Some(KeptCard {
            card: self.provider_card.clone()?,
            customer: self.provider_customer.clone()?,
        })
    }
}

/// A card that shall be saved once its attempt has paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingCard {
    /// The parts that may be shown.
    pub card: ShownCard,
    /// Its number.
    pub sealed: Sealed,
    /// The number's fingerprint by the key of `sealed`.
    pub fingerprint: String,
    /// Its fingerprints by the other keys, with which it may have been saved before.
    pub older_fingerprints: Vec<String>,
    /// The attempt that pays with it.
    pub attempt_id: String,
    /// What the shopper agrees to.
    pub agreement: CardAgreement,
    /// Now, in unix milliseconds.
    pub now_ms: i64,
}

/// A pending card whose attempt is finished.
#[derive(Debug, Clone, Deserialize)]
struct SettledCard {
    id: String,
    #[serde(flatten)]
    owner: CardOwner,
    same_as: Option<String>,
    fingerprint: String,
    expiration_month: i64,
    expiration_year: i64,
    holder_name: String,
    #[serde(flatten)]
    agreement: Option<CardAgreement>,
    /// What the provider told of the payment, as JSON.
    facts: Option<String>,
}

impl SettledCard {
    /// The card network's id of its payment.
    fn network_transaction_id(&self) -> Option<String> {
        let facts: PaymentFacts = serde_json::from_str(self.facts.as_deref()?).ok()?;
        facts.network_transaction_id
    }
}

const AGREEMENT: &str = "agreement_usage, agreement_accepted_at, agreement_text_id, agreement_locale";
const SHOWN: &str =
    "id, card_id, brand, first_six, last_four, expiration_month, expiration_year, holder_name";
const OF_OWNER: &str = "partner_id = $1 AND shopper_id = $2 AND state = 'saved'";

impl Store {
    /// A page of this owner's cards, the newest first.
    pub async fn saved_cards(
        &self,
        owner: &CardOwner,
        page: CardRange,
    ) -> Result<Vec<ShownCard>, StoreError> {
        let sql = format!(
            "SELECT {SHOWN} FROM saved_cards WHERE {OF_OWNER} ORDER BY saved_at DESC, id DESC LIMIT $3 OFFSET $4"
        );
        Ok(query(sql)
            .bind(&owner.partner_id)
            .bind(&owner.shopper_id)
            .bind(page.take)
            .bind(page.skip)
            .fetch_all(&self.readers)
            .await?)
    }

    /// How many cards this owner has, counted up to `most`.
    pub async fn saved_card_count(&self, owner: &CardOwner, most: u32) -> Result<i64, StoreError> {
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT 1 AS one FROM saved_cards WHERE {OF_OWNER} LIMIT $3) AS first_cards"
        );
        Ok(query(sql)
            .bind(&owner.partner_id)
            .bind(&owner.shopper_id)
            .bind(i64::from(most))
            .fetch_one(&self.readers)
            .await?)
    }

    /// The card with this id, with its sealed number, if it is this owner's.
    pub async fn payable_card(&self, owner: &CardOwner, id: &str) -> Result<Option<PayableCard>, StoreError> {
        let sql = format!(
            "SELECT {SHOWN}, key_id, wrapped_key, sealed_number, {AGREEMENT}, network_transaction_id, \
             provider_card, provider_customer \
             FROM saved_cards WHERE {OF_OWNER} AND id = $3"
        );
        Ok(query(sql)
            .bind(&owner.partner_id)
            .bind(&owner.shopper_id)
            .bind(id)
            .fetch_optional(&self.readers)
            .await?)
    }

    /// Removes a card of this owner with its wrapped data key; false if there is none. The database overwrites deleted
    /// rows: SQLite at once, PostgreSQL when it vacuums the table. A provider that stores the card, too, will be told.
    pub async fn remove_saved_card(&self, owner: &CardOwner, id: &str) -> Result<bool, StoreError> {
        retried(|| async {
            let sql = format!("DELETE FROM saved_cards WHERE {OF_OWNER} AND id = $3");
            let mut tx = self.write().await?;
            if still_saved(&mut tx, owner, Some(id)).await?.is_some() {
                tell(&mut tx, id, CardChange::Detach).await?;
            }
            let removed = query(sql)
                .bind(&owner.partner_id)
                .bind(&owner.shopper_id)
                .bind(id)
                .execute(&mut tx)
                .await?;
            tx.commit().await?;
            Ok(removed == 1)
        })
        .await
    }

    /// Adds a card that becomes visible when its attempt has paid, and is deleted otherwise.
    pub async fn add_pending_card(&self, owner: &CardOwner, new: &PendingCard) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let mut same_as = saved_before(&mut tx, owner, &new.fingerprint).await?;
            for fingerprint in &new.older_fingerprints {
                if same_as.is_none() {
                    same_as = saved_before(&mut tx, owner, fingerprint).await?;
                }
            }
            query(
                "INSERT INTO saved_cards (id, card_id, partner_id, shopper_id, state, attempt_id, same_as, fingerprint, \
                 key_id, wrapped_key, sealed_number, brand, first_six, last_four, expiration_month, expiration_year, \
                 holder_name, created_at, saved_at, agreement_usage, agreement_accepted_at, agreement_text_id, \
                 agreement_locale) \
                 VALUES ($1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17, \
                 $18, $19, $20, $21)",
            )
            .bind(&new.card.id)
            .bind(&new.card.card_id)
            .bind(&owner.partner_id)
            .bind(&owner.shopper_id)
            .bind(&new.attempt_id)
            .bind(same_as)
            .bind(&new.fingerprint)
            .bind(&new.sealed.key_id)
            .bind(&new.sealed.wrapped_key)
            .bind(&new.sealed.number)
            .bind(&new.card.brand)
            .bind(&new.card.first_six)
            .bind(&new.card.last_four)
            .bind(new.card.expiration_month)
            .bind(new.card.expiration_year)
            .bind(&new.card.holder_name)
            .bind(new.now_ms)
            .bind(new.agreement.usage.as_str())
            .bind(new.agreement.accepted_at)
            .bind(&new.agreement.text_id)
            .bind(&new.agreement.locale)
            .execute(&mut tx)
            .await?;
            tx.commit().await
        })
        .await
    }

    /// Whether a card waits for this attempt's outcome.
    pub async fn has_pending_card(&self, attempt_id: &str) -> Result<bool, StoreError> {
        let found: Option<String> =
            query("SELECT id FROM saved_cards WHERE attempt_id = $1 AND state = 'pending'")
                .bind(attempt_id)
                .fetch_optional(&self.readers)
                .await?;
        Ok(found.is_some())
    }

    /// The finished attempts that still have a pending card, because a process died in between.
    pub async fn attempts_to_settle(&self, limit: i64) -> Result<Vec<String>, StoreError> {
        Ok(query(
            "SELECT attempt_id FROM saved_cards JOIN attempts ON attempts.id = saved_cards.attempt_id \
             WHERE saved_cards.state = 'pending' AND attempts.state IN ('succeeded', 'declined') LIMIT $1",
        )
        .bind(limit)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Makes the pending card of a paid attempt visible, as the newest. If the shopper has this card already, it keeps
    /// its ids and gets the new expiry, name and agreement. Does nothing without a pending card.
    pub async fn keep_pending_card(&self, attempt_id: &str, now_ms: i64) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let pending: Option<SettledCard> = query(format!(
                "SELECT saved_cards.id, partner_id, shopper_id, same_as, fingerprint, expiration_month, expiration_year, \
                 holder_name, {AGREEMENT}, facts FROM saved_cards JOIN attempts ON attempts.id = attempt_id \
                 WHERE attempt_id = $1 AND saved_cards.state = 'pending'",
            ))
            .bind(attempt_id)
            .fetch_optional(&mut tx)
            .await?;
            let Some(pending) = pending else {
                return tx.commit().await;
            };
            let owner = &pending.owner;
            let same = match saved_before(&mut tx, owner, &pending.fingerprint).await? {
                None => still_saved(&mut tx, owner, pending.same_as.as_deref()).await?,
                found => found,
            };
            if let Some(same) = same {
                refresh(&mut tx, &same, &pending, now_ms).await?;
                take_over(&mut tx, &same, &pending.id).await?;
                destroy(attempt_id).execute(&mut tx).await?;
            } else {
                query(
                    "UPDATE saved_cards SET state = 'saved', saved_at = $1, network_transaction_id = $2 WHERE id = $3",
                )
                .bind(now_ms)
                .bind(pending.network_transaction_id())
                .bind(&pending.id)
                .execute(&mut tx)
                .await?;
                tell(&mut tx, &pending.id, CardChange::Attach).await?;
            }
            tx.commit().await
        })
        .await
    }

    /// Deletes the pending card of an attempt that did not pay.
    pub async fn drop_pending_card(&self, attempt_id: &str) -> Result<(), StoreError> {
        destroy(attempt_id).write(&self.writer).await?;
        Ok(())
    }
}

fn destroy(attempt_id: &str) -> Query<'_> {
    query("DELETE FROM saved_cards WHERE attempt_id = $1 AND state = 'pending'").bind(attempt_id)
}

async fn refresh(tx: &mut Tx, id: &str, with: &SettledCard, now_ms: i64) -> Result<(), StoreError> {
    query(
        "UPDATE saved_cards SET expiration_month = $1, expiration_year = $2, holder_name = $3, saved_at = $4 \
         WHERE id = $5",
    )
    .bind(with.expiration_month)
    .bind(with.expiration_year)
    .bind(&with.holder_name)
    .bind(now_ms)
    .bind(id)
    .execute(&mut *tx)
    .await?;
    let Some(agreement) = &with.agreement else {
        return Ok(());
    };
    // A later payment at which the shopper allows less does not end what the shopper allowed before.
    query(
        "UPDATE saved_cards SET agreement_usage = $1, agreement_accepted_at = $2, agreement_text_id = $3, \
         agreement_locale = $4, network_transaction_id = $5 \
         WHERE id = $6 AND (agreement_usage IS NULL OR agreement_usage = 'on_session' OR $1 = 'off_session')",
    )
    .bind(agreement.usage.as_str())
    .bind(agreement.accepted_at)
    .bind(&agreement.text_id)
    .bind(&agreement.locale)
    .bind(with.network_transaction_id())
    .bind(id)
    .execute(&mut *tx)
    .await?;
    Ok(())
}

/// The id of this owner's saved card with this fingerprint.
async fn saved_before(
    tx: &mut Tx,
    owner: &CardOwner,
    fingerprint: &str,
) -> Result<Option<String>, StoreError> {
    let sql = format!("SELECT id FROM saved_cards WHERE {OF_OWNER} AND fingerprint = $3");
    Ok(query(sql)
        .bind(&owner.partner_id)
        .bind(&owner.shopper_id)
        .bind(fingerprint)
        .fetch_optional(&mut *tx)
        .await?)
}

/// The id of this owner's saved card, unless it was removed since it was found.
async fn still_saved(tx: &mut Tx, owner: &CardOwner, id: Option<&str>) -> Result<Option<String>, StoreError> {
    let Some(id) = id else {
        return Ok(None);
    };
    let sql = format!("SELECT id FROM saved_cards WHERE {OF_OWNER} AND id = $3");
    Ok(query(sql)
        .bind(&owner.partner_id)
        .bind(&owner.shopper_id)
        .bind(id)
        .fetch_optional(&mut *tx)
        .await?)
}
