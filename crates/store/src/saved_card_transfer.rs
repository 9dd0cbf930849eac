//! Saved cards that leave for another vault, or come from one.

use serde::Deserialize;
use serde_json::Value;
use vault::Sealed;

use super::audit_log::{Actor, AuditAction, note};
use super::saved_card::{AGREEMENT, OF_OWNER, SHOWN, of_owner};
use super::sql::{Query, places, query};
use super::write::retried;
use super::{CardAgreement, CardOwner, ShownCard, Store, StoreError};

/// A saved card with everything that another vault needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ExportedCard {
    /// The parts that may be shown.
    #[serde(flatten)]
    pub card: ShownCard,
    /// The shopper who saved the card.
    #[serde(flatten)]
    pub owner: CardOwner,
    /// Its number.
    #[serde(flatten)]
    pub sealed: Sealed,
    /// What the shopper agreed to; `None` if an earlier version saved the card.
    #[serde(flatten)]
    pub agreement: Option<CardAgreement>,
    /// The card network's id of the payment at which the shopper agreed.
    pub network_transaction_id: Option<String>,
    /// When the card was first saved, in unix milliseconds.
    pub created_at: i64,
    /// When the card was last saved, in unix milliseconds: the order of the shopper's list.
    pub saved_at: i64,
}

/// A card from another vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedCard {
    /// The card as it will be stored.
    pub card: ExportedCard,
    /// The number's fingerprint by the key of `sealed`.
    pub fingerprint: String,
    /// Its fingerprints by the other keys, with which it may have been saved before.
    pub older_fingerprints: Vec<String>,
}

/// Whether a card of an import is here already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportState {
    /// It is not.
    New,
    /// The shopper has this card, with this id.
    Saved(String),
    /// The card's id belongs to another card.
    IdTaken,
}

impl Store {
    /// Saved cards by id, after the id `after`: those of one merchant, or all. Each card gets a line in the audit log, which
    /// is durable when this returns, so before a card is opened.
    pub async fn export_cards(
        &self,
        partner_id: Option<&str>,
        after: &str,
        limit: i64,
        by: &Actor,
        detail: &Value,
    ) -> Result<Vec<ExportedCard>, StoreError> {
        let sql = format!(
            "SELECT {SHOWN}, partner_id, shopper_id, key_id, wrapped_key, sealed_number, {AGREEMENT}, \
             network_transaction_id, created_at, saved_at FROM saved_cards \
             WHERE state = 'saved' AND id > $1 AND ($2 IS NULL OR partner_id = $2) ORDER BY id LIMIT $3"
        );
        let select = query(sql).bind(after).bind(partner_id).bind(limit);
        retried(|| async {
            let mut tx = self.write().await?;
            let cards: Vec<ExportedCard> = select.clone().fetch_all(&mut tx).await?;
            for card in &cards {
                note(&mut tx, by, AuditAction::CardExported, &card.card.id, detail).await?;
            }
            tx.commit().await?;
            Ok(cards)
        })
        .await
    }

    /// Whether this card is here already.
    pub async fn import_state(&self, card: &ImportedCard) -> Result<ImportState, StoreError> {
        Ok(state_of(card, known(card).fetch_all(&self.readers).await?))
    }

    /// Saves those of the cards that are new, in one transaction, with a line in the audit log for each. Returns what each
    /// card was before.
    pub async fn import_cards(
        &self,
        cards: &[ImportedCard],
        by: &Actor,
        detail: &Value,
    ) -> Result<Vec<ImportState>, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let mut states = Vec::with_capacity(cards.len());
            for card in cards {
                let state = state_of(card, known(card).fetch_all(&mut tx).await?);
                if state == ImportState::New {
                    insert(card).execute(&mut tx).await?;
                    note(&mut tx, by, AuditAction::CardImported, &card.card.card.id, detail).await?;
                }
                states.push(state);
            }
            tx.commit().await?;
            Ok(states)
        })
        .await
    }
}

/// Finds the shopper's same card, and any card with the same id. Returns ids with 1 for the same card.
fn known(card: &ImportedCard) -> Query<'_> {
    let sql = format!(
        "SELECT id, CAST(1 AS BIGINT) AS is_same FROM saved_cards WHERE {OF_OWNER} AND fingerprint IN ({}) \
         UNION ALL SELECT id, CAST(0 AS BIGINT) FROM saved_cards WHERE id = $3",
        places(4, 1 + card.older_fingerprints.len())
    );
    let owner = &card.card.owner;
    let known = of_owner(sql, owner)
        .bind(&card.card.card.id)
        .bind(&card.fingerprint);
    card.older_fingerprints.iter().fold(known, Query::bind)
}

/// If the shopper has the card several times, under several keys, the one with the same id counts.
fn state_of(card: &ImportedCard, found: Vec<(String, i64)>) -> ImportState {
    let is_id_taken = found.iter().any(|(_, is_same)| *is_same == 0);
    let mut same: Vec<String> = found
        .into_iter()
        .filter_map(|(id, is_same)| (is_same == 1).then_some(id))
        .collect();
    let has_own_id = same.contains(&card.card.card.id);
    match same.pop() {
        Some(_) if has_own_id => ImportState::Saved(card.card.card.id.clone()),
        Some(_) | None if is_id_taken => ImportState::IdTaken,
        Some(id) => ImportState::Saved(id),
        None => ImportState::New,
    }
}

fn insert(new: &ImportedCard) -> Query<'_> {
    let ImportedCard {
        card: stored,
        fingerprint,
        ..
    } = new;
    let agreement = stored.agreement.as_ref();
    query(
        "INSERT INTO saved_cards (id, card_id, partner_id, shopper_id, state, fingerprint, key_id, wrapped_key, \
         sealed_number, brand, first_six, last_four, expiration_month, expiration_year, holder_name, created_at, \
         saved_at, agreement_usage, agreement_accepted_at, agreement_text_id, agreement_locale, \
         network_transaction_id, networks) \
         VALUES ($1, $2, $3, $4, 'saved', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, \
         $21, $22)",
    )
    .bind(&stored.card.id)
    .bind(&stored.card.card_id)
    .bind(&stored.owner.partner_id)
    .bind(&stored.owner.shopper_id)
    .bind(fingerprint)
    .bind(&stored.sealed.key_id)
    .bind(&stored.sealed.wrapped_key)
    .bind(&stored.sealed.number)
    .bind(&stored.card.brand)
    .bind(&stored.card.first_six)
    .bind(&stored.card.last_four)
    .bind(stored.card.expiration_month)
    .bind(stored.card.expiration_year)
    .bind(&stored.card.holder_name)
    .bind(stored.created_at)
    .bind(stored.saved_at)
    .bind(agreement.map(|agreement| agreement.usage.as_str()))
    .bind(agreement.map(|agreement| agreement.accepted_at))
    .bind(agreement.and_then(|agreement| agreement.text_id.as_ref()))
    .bind(agreement.and_then(|agreement| agreement.locale.as_ref()))
    .bind(&stored.network_transaction_id)
    .bind(&stored.card.networks)
}
