//! Saved cards as their merchant knows them: what it may see and choose, what it is told of them, and how often they declined.

use protocol::clock::rfc3339;
use protocol::webhook_event::{CardMoment, EventSubject};
use protocol::{AgreementView, MerchantCard};
use rules::{Brand, Month};
use serde::Deserialize;

use super::attempt::{Attempt, COLUMNS};
use super::saved_card::{AGREEMENT, IN_ORDER, OF_OWNER, SHOWN, of_owner};
use super::sql::{Query, query};
use super::webhook_event::{NewEvent, lock_charge};
use super::write::{Tx, retried};
use super::{CardAgreement, CardOwner, CardRange, ShownCard, Store, StoreError};

/// A saved card as its merchant may know it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StoredCard {
    /// The parts that may be shown.
    #[serde(flatten)]
    pub card: ShownCard,
    /// The shopper.
    pub shopper_id: String,
    /// The shopper's name for it.
    pub nickname: Option<String>,
    /// Whether the form selects it first.
    pub is_default: bool,
    /// What the shopper agreed to; `None` if an earlier version saved the card.
    #[serde(flatten)]
    pub agreement: Option<CardAgreement>,
    /// The card network's id of the payment at which the shopper agreed.
    pub network_transaction_id: Option<String>,
    /// When it was saved last, in unix milliseconds.
    pub saved_at: i64,
}

/// A decline of a saved card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardDecline {
    /// Why.
    pub code: String,
    /// When the attempt began, in unix milliseconds.
    pub at: i64,
}

/// What is chosen of a card; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardChoice {
    /// The shopper's name for it, or none.
    pub nickname: Option<Option<String>>,
    /// Whether the form selects it first. Then no other card of the shopper is.
    pub is_default: Option<bool>,
}

/// Charges that were made so long before are not tried any more, in milliseconds: 365 days, the longest that
/// `charge_lifetime_seconds` can be.
const LONGEST_OPEN_MS: i64 = 365 * 24 * 60 * 60 * 1_000;

/// The card for its merchant.
impl From<StoredCard> for MerchantCard {
    fn from(stored: StoredCard) -> Self {
        let card = stored.card;
        let (networks, network) = (card.networks(), card.network());
        Self {
            id: card.id,
            shopper_id: stored.shopper_id,
            networks,
            network,
            brand: Brand::from_name(&card.brand),
            first_six: card.first_six,
            last_four: card.last_four,
            expiration_month: format!("{:02}", card.expiration_month),
            expiration_year: format!("{:04}", card.expiration_year),
            nickname: stored.nickname,
            default: stored.is_default,
            agreement: stored.agreement.map(|agreement| AgreementView {
                usage: agreement.usage,
                accepted_at: rfc3339(agreement.accepted_at),
                text_id: agreement.text_id,
                locale: agreement.locale,
            }),
            network_transaction_id: stored.network_transaction_id,
            saved_at: rfc3339(stored.saved_at),
        }
    }
}

const MORE: &str = "shopper_id, nickname, is_default, network_transaction_id, saved_at";

impl Store {
    /// A page of this owner's cards: the default one, then the newest.
    pub async fn stored_cards(
        &self,
        owner: &CardOwner,
        page: CardRange,
    ) -> Result<Vec<StoredCard>, StoreError> {
        let sql = format!(
            "SELECT {SHOWN}, {AGREEMENT}, {MORE} FROM saved_cards WHERE {OF_OWNER} {IN_ORDER} LIMIT $3 OFFSET $4"
        );
        Ok(of_owner(sql, owner)
            .bind(page.take)
            .bind(page.skip)
            .fetch_all(&self.readers)
            .await?)
    }

    /// The card with this id, if it is one of this merchant's shoppers'.
    pub async fn stored_card(&self, partner_id: &str, id: &str) -> Result<Option<StoredCard>, StoreError> {
        Ok(one(partner_id, id).fetch_optional(&self.readers).await?)
    }

    /// The declines of this owner's card since `since`, in unix milliseconds, with which the merchant paid without the shopper, the
    /// latest first.
    pub async fn declines_without_shopper(
        &self,
        owner: &CardOwner,
        id: &str,
        since: i64,
    ) -> Result<Vec<CardDecline>, StoreError> {
        let sql = format!(
            "{COLUMNS} WHERE state = 'declined' AND attempts.created_at >= $3 AND charge_id IN \
             (SELECT id FROM charges WHERE partner_id = $1 AND shopper_id = $2 AND shopper_id <> '' AND created_at >= $4) \
             ORDER BY created_at DESC"
        );
        let attempts: Vec<Attempt> = of_owner(sql, owner)
            .bind(since)
            .bind(since - LONGEST_OPEN_MS)
            .fetch_all(&self.readers)
            .await?;
        let of_card = attempts
            .into_iter()
            .filter(|attempt| attempt.merchant_card().is_some_and(|(card, _)| card == id));
        Ok(of_card
            .filter_map(|attempt| {
                Some(CardDecline {
                    code: attempt.decline_code?,
                    at: attempt.created_at,
                })
            })
            .collect())
    }

    /// Tells merchants of up to `limit` cards whose last month is this one, and that were not told yet.
    pub async fn tell_expiring_cards(&self, month: Month, now_ms: i64, limit: i64) -> Result<(), StoreError> {
        let expiring: Vec<(String, String)> = query(
            "SELECT id, partner_id FROM saved_cards WHERE state = 'saved' AND expiring_told = 0 \
             AND expiration_year = $1 AND expiration_month = $2 LIMIT $3",
        )
        .bind(i64::from(month.year))
        .bind(i64::from(month.month))
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        for (id, partner_id) in expiring {
            retried(|| async {
                let mut tx = self.write().await?;
                let told =
                    query("UPDATE saved_cards SET expiring_told = 1 WHERE id = $1 AND expiring_told = 0")
                        .bind(&id)
                        .execute(&mut tx)
                        .await?;
                if told == 1 {
                    tell_merchant(&mut tx, &partner_id, &id, CardMoment::Expiring, now_ms).await?;
                }
                tx.commit().await
            })
            .await?;
        }
        Ok(())
    }

    /// Gives the saved card that the provider keeps under this reference its new date. Returns whether anything changed. An
    /// earlier date is of an old event. A card with other last digits stays, because the vault has the old number.
    pub async fn update_provider_card(
        &self,
        provider_card: &str,
        last_four: &str,
        expiry: Month,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let kept: Option<(String, String)> = query(
                "SELECT id, partner_id FROM saved_cards WHERE provider_card = $1 AND last_four = $2 AND state = 'saved' \
                 AND (expiration_year < $3 OR (expiration_year = $3 AND expiration_month < $4))",
            )
            .bind(provider_card)
            .bind(last_four)
            .bind(i64::from(expiry.year))
            .bind(i64::from(expiry.month))
            .fetch_optional(&mut tx)
            .await?;
            if let Some((id, partner_id)) = &kept {
                query(
                    "UPDATE saved_cards SET expiration_year = $1, expiration_month = $2, expiring_told = 0 WHERE id = $3",
                )
                .bind(i64::from(expiry.year))
                .bind(i64::from(expiry.month))
                .bind(id)
                .execute(&mut tx)
                .await?;
                tell_merchant(&mut tx, partner_id, id, CardMoment::Updated, now_ms).await?;
            }
            tx.commit().await?;
            Ok(kept.is_some())
        })
        .await
    }

    /// Changes what is chosen of a card of this owner, and tells the merchant of each card that this changes.
    pub async fn choose_card(
        &self,
        owner: &CardOwner,
        id: &str,
        choice: &CardChoice,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let default = match choice.is_default {
            Some(true) => "CASE WHEN id = $3 THEN 1 ELSE 0 END",
            Some(false) => "CASE WHEN id = $3 THEN 0 ELSE is_default END",
            None => "is_default",
        };
        let (is_named, name) = (choice.nickname.is_some(), choice.nickname.clone().flatten());
        let nickname = format!("CASE WHEN id = $3 AND {is_named} THEN $4 ELSE nickname END");
        retried(|| async {
            let mut tx = self.write().await?;
            // Locks each of the owner's cards, so that of two choices at once the later one stands alone.
            let lock = format!("UPDATE saved_cards SET is_default = is_default WHERE {OF_OWNER}");
            of_owner(lock, owner).execute(&mut tx).await?;
            let sql = format!(
                "UPDATE saved_cards SET is_default = {default}, nickname = {nickname} WHERE {OF_OWNER} \
                 AND (is_default <> {default} OR nickname IS DISTINCT FROM {nickname}) RETURNING id"
            );
            let changed = of_owner(sql, owner).bind(id).bind(&name);
            let changed: Vec<String> = changed.fetch_all(&mut tx).await?;
            for id in changed {
                tell_merchant(&mut tx, &owner.partner_id, &id, CardMoment::Updated, now_ms).await?;
            }
            tx.commit().await
        })
        .await
    }
}

fn one<'a>(partner_id: &'a str, id: &'a str) -> Query<'a> {
    let sql = format!(
        "SELECT {SHOWN}, {AGREEMENT}, {MORE} FROM saved_cards WHERE id = $1 AND partner_id = $2 AND state = 'saved'"
    );
    query(sql).bind(id).bind(partner_id)
}

/// Writes the event of what happens to a card at `now_ms`, in unix milliseconds. A card that no charge saved has none.
pub(super) async fn tell_merchant(
    tx: &mut Tx,
    partner_id: &str,
    id: &str,
    moment: CardMoment,
    now_ms: i64,
) -> Result<(), StoreError> {
    let stored: Option<StoredCard> = one(partner_id, id).fetch_optional(&mut *tx).await?;
    let charge_id: Option<String> =
        query("SELECT charge_id FROM attempts JOIN saved_cards ON attempts.id = attempt_id WHERE saved_cards.id = $1")
            .bind(id)
            .fetch_optional(&mut *tx)
            .await?;
    let (Some(stored), Some(charge_id)) = (stored, charge_id) else {
        return Ok(());
    };
    lock_charge(tx, &charge_id).await?;
    let card = stored.into();
    let subject = EventSubject::Card(moment, &card, &charge_id);
    let event = NewEvent::about(partner_id, &charge_id, subject, now_ms)?;
    event.insert().execute(tx).await?;
    Ok(())
}
