//! Saved cards: reading, adding (first pending, then saved or deleted) and removing them.

use protocol::webhook_event::CardMoment;
use protocol::{KeptCard, PaymentFacts, SaveCardUsage};
use rules::Brand;
use serde::Deserialize;
use vault::Sealed;

use super::attempt::Attempt;
use super::merchant_card::tell_merchant;
use super::provider_card::{CardChange, take_over, tell, tell_date};
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
    /// The names of the number's networks, with spaces between, if they are known.
    pub networks: Option<String>,
    /// The network that the shopper chose last.
    pub network: Option<String>,
}

impl ShownCard {
    /// The networks of the number; empty if they are unknown.
    pub fn networks(&self) -> Vec<Brand> {
        let names = self.networks.as_deref().unwrap_or_default();
        names.split(' ').filter_map(Brand::from_name).collect()
    }

    /// The network that the shopper chose last.
    pub fn network(&self) -> Option<Brand> {
        self.network.as_deref().and_then(Brand::from_name)
    }
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
    networks: Option<String>,
    network: Option<String>,
    #[serde(flatten)]
    agreement: Option<CardAgreement>,
}

pub(super) const AGREEMENT: &str =
    "agreement_usage, agreement_accepted_at, agreement_text_id, agreement_locale";
pub(super) const SHOWN: &str = "id, card_id, brand, first_six, last_four, expiration_month, expiration_year, holder_name, \
     networks, network";
pub(super) const OF_OWNER: &str = "partner_id = $1 AND shopper_id = $2 AND state = 'saved'";
pub(super) const IN_ORDER: &str = "ORDER BY is_default DESC, saved_at DESC, id DESC";

impl Store {
    /// How many cards this owner has, counted up to `most`.
    pub async fn saved_card_count(&self, owner: &CardOwner, most: u32) -> Result<i64, StoreError> {
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT 1 AS one FROM saved_cards WHERE {OF_OWNER} LIMIT $3) AS first_cards"
        );
        Ok(of_owner(sql, owner)
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
        Ok(of_owner(sql, owner)
            .bind(id)
            .fetch_optional(&self.readers)
            .await?)
    }

    /// Notes that the shopper chose this network for a card of this owner.
    pub async fn choose_network(
        &self,
        owner: &CardOwner,
        id: &str,
        network: Brand,
    ) -> Result<(), StoreError> {
        let sql = format!("UPDATE saved_cards SET network = $4 WHERE {OF_OWNER} AND id = $3");
        of_owner(sql, owner)
            .bind(id)
            .bind(network.name())
            .write(&self.writer)
            .await?;
        Ok(())
    }

    /// Removes a card of this owner with its wrapped data key; false if there is none. The database overwrites deleted
    /// rows: SQLite at once, PostgreSQL when it vacuums the table. A provider that stores the card, too, will be told.
    pub async fn remove_saved_card(
        &self,
        owner: &CardOwner,
        id: &str,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        retried(|| async {
            let sql = format!("DELETE FROM saved_cards WHERE {OF_OWNER} AND id = $3");
            let mut tx = self.write().await?;
            let is_saved = is_saved(&mut tx, owner, id).await?;
            if is_saved {
                tell(&mut tx, id, CardChange::Detach).await?;
                tell_merchant(&mut tx, &owner.partner_id, id, CardMoment::Removed, now_ms).await?;
                of_owner(sql, owner).bind(id).execute(&mut tx).await?;
            }
            tx.commit().await?;
            Ok(is_saved)
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
                 agreement_locale, networks, network) \
                 VALUES ($1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17, \
                 $18, $19, $20, $21, $22, $23)",
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
            .bind(&new.card.networks)
            .bind(&new.card.network)
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

    /// Makes the pending card of a paid attempt visible, as the newest. Does nothing without a pending card.
    pub async fn keep_pending_card(&self, attempt: &Attempt, now_ms: i64) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            keep_pending_card(&mut tx, &attempt.id, attempt.facts.as_deref(), now_ms).await?;
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

/// Makes the pending card of a paid attempt visible, as the newest, and returns its id. If the shopper has this card already,
/// it keeps its ids and gets the new expiry, name, network and agreement. `facts` are what the provider told of the payment.
pub(super) async fn keep_pending_card(
    tx: &mut Tx,
    attempt_id: &str,
    facts: Option<&str>,
    now_ms: i64,
) -> Result<Option<String>, StoreError> {
    // A write, so that PostgreSQL locks the row: of two nodes that settle the attempt, the second finds nothing.
    query("UPDATE saved_cards SET saved_at = saved_at WHERE attempt_id = $1 AND state = 'pending'")
        .bind(attempt_id)
        .execute(&mut *tx)
        .await?;
    let pending: Option<SettledCard> = query(format!(
        "SELECT id, partner_id, shopper_id, same_as, fingerprint, expiration_month, expiration_year, \
         holder_name, networks, network, {AGREEMENT} FROM saved_cards WHERE attempt_id = $1 AND state = 'pending'",
    ))
    .bind(attempt_id)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(pending) = pending else {
        return Ok(None);
    };
    let network_id = network_transaction_id(facts);
    let owner = &pending.owner;
    let before = saved_before(tx, owner, &pending.fingerprint).await?;
    let same = before.or_else(|| pending.same_as.clone());
    if let Some(same) = same
        && is_saved(tx, owner, &same).await?
    {
        if refresh(tx, &same, &pending, network_id, now_ms).await? {
            take_over(tx, &same, &pending.id).await?;
        } else {
            tell(tx, &pending.id, CardChange::Detach).await?;
            tell_date(tx, &same).await?;
        }
        destroy(attempt_id).execute(&mut *tx).await?;
        tell_merchant(tx, &owner.partner_id, &same, CardMoment::Updated, now_ms).await?;
        return Ok(Some(same));
    }
    query("UPDATE saved_cards SET state = 'saved', saved_at = $1, network_transaction_id = $2 WHERE id = $3")
        .bind(now_ms)
        .bind(network_id)
        .bind(&pending.id)
        .execute(&mut *tx)
        .await?;
    tell(tx, &pending.id, CardChange::Attach).await?;
    tell_merchant(tx, &owner.partner_id, &pending.id, CardMoment::Saved, now_ms).await?;
    Ok(Some(pending.id))
}

/// The card network's id of a payment of which the provider told these facts.
fn network_transaction_id(facts: Option<&str>) -> Option<String> {
    let facts: PaymentFacts = serde_json::from_str(facts?).ok()?;
    facts.network_transaction_id
}

fn destroy(attempt_id: &str) -> Query<'_> {
    query("DELETE FROM saved_cards WHERE attempt_id = $1 AND state = 'pending'").bind(attempt_id)
}

/// Returns whether the later agreement counts. The provider's copy of the card has the mandate of the one that counts.
async fn refresh(
    tx: &mut Tx,
    id: &str,
    with: &SettledCard,
    network_id: Option<String>,
    now_ms: i64,
) -> Result<bool, StoreError> {
    query(
        "UPDATE saved_cards SET expiring_told = CASE WHEN expiration_month = $1 AND expiration_year = $2 \
         THEN expiring_told ELSE 0 END, expiration_month = $1, expiration_year = $2, holder_name = $3, saved_at = $4, \
         networks = $5, network = $6 WHERE id = $7",
    )
    .bind(with.expiration_month)
    .bind(with.expiration_year)
    .bind(&with.holder_name)
    .bind(now_ms)
    .bind(&with.networks)
    .bind(&with.network)
    .bind(id)
    .execute(&mut *tx)
    .await?;
    let Some(agreement) = &with.agreement else {
        return Ok(true);
    };
    // A later payment at which the shopper allows less does not end what the shopper allowed before.
    let replaced = query(
        "UPDATE saved_cards SET agreement_usage = $1, agreement_accepted_at = $2, agreement_text_id = $3, \
         agreement_locale = $4, network_transaction_id = $5 \
         WHERE id = $6 AND (agreement_usage IS NULL OR agreement_usage = 'on_session' OR $1 = 'off_session')",
    )
    .bind(agreement.usage.as_str())
    .bind(agreement.accepted_at)
    .bind(&agreement.text_id)
    .bind(&agreement.locale)
    .bind(network_id)
    .bind(id)
    .execute(&mut *tx)
    .await?;
    Ok(replaced == 1)
}

/// Gives a card of this owner the date with which it has just paid. The provider that keeps the card will be told.
pub(super) async fn renew_card(
    tx: &mut Tx,
    owner: &CardOwner,
    id: &str,
    (month, year): (i64, i64),
    now_ms: i64,
) -> Result<(), StoreError> {
    let sql = format!(
        "UPDATE saved_cards SET expiration_month = $4, expiration_year = $5, expiring_told = 0 WHERE {OF_OWNER} AND id = $3"
    );
    let renewed = of_owner(sql, owner)
        .bind(id)
        .bind(month)
        .bind(year)
        .execute(&mut *tx)
        .await?;
    if renewed == 1 {
        tell_date(tx, id).await?;
        tell_merchant(tx, &owner.partner_id, id, CardMoment::Updated, now_ms).await?;
    }
    Ok(())
}

/// The id of this owner's saved card with this fingerprint.
async fn saved_before(
    tx: &mut Tx,
    owner: &CardOwner,
    fingerprint: &str,
) -> Result<Option<String>, StoreError> {
    let sql = format!("SELECT id FROM saved_cards WHERE {OF_OWNER} AND fingerprint = $3");
    Ok(of_owner(sql, owner)
        .bind(fingerprint)
        .fetch_optional(&mut *tx)
        .await?)
}

/// Whether this owner's card is still saved, because it may have been removed since it was found. It is a write, so that
/// PostgreSQL locks the row.
async fn is_saved(tx: &mut Tx, owner: &CardOwner, id: &str) -> Result<bool, StoreError> {
    let sql = format!("UPDATE saved_cards SET saved_at = saved_at WHERE {OF_OWNER} AND id = $3");
    Ok(of_owner(sql, owner).bind(id).execute(&mut *tx).await? == 1)
}

/// A statement with the condition [`OF_OWNER`]; its further values begin at `$3`.
pub(super) fn of_owner(sql: String, owner: &CardOwner) -> Query<'_> {
    query(sql).bind(&owner.partner_id).bind(&owner.shopper_id)
}
