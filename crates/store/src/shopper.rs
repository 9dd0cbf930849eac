//! Erases a shopper: the cards are removed, and the charges keep their sums without the shopper
//! (docs/saving-cards.md#erase-a-shopper).

use std::borrow::Cow;

use protocol::charge_state::{ChargeEvent, transition};
use serde_json::{Value, json};

use super::attempt::UNDER_WAY;
use super::audit_log::{Actor, AuditAction, note};
use super::charge::{apply, hold};
use super::charge_view::Told;
use super::provider_card::{CardChange, tell};
use super::sql::{Query, query};
use super::webhook_event::NUMBER_KEPT;
use super::write::{Tx, Writer, retried};
use super::{CardOwner, Store, StoreError};

/// What was erased of a shopper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErasedShopper {
    /// Removed cards.
    pub payment_methods: u64,
    /// Charges that do not name the shopper any more.
    pub charges: u64,
}

/// The result of erasing a shopper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Erasure {
    /// It is durable.
    Done(ErasedShopper),
    /// Nothing was written, because a payment or an operation of this charge is under way.
    UnderWay(String),
}

const CHARGES: &str =
    "(SELECT id FROM charges WHERE partner_id = $1 AND shopper_id = $2 AND shopper_id <> '')";

impl Store {
    /// Erases a shopper: removes the cards, cancels the charges that can still be paid, and removes the shopper from the
    /// others and from their events. The merchant gets no event of a removed card.
    pub async fn erase_shopper(&self, owner: &CardOwner, by: &Actor) -> Result<Erasure, StoreError> {
        let erasure = retried(|| async {
            let mut tx = self.write().await?;
            let erasure = erase(&mut tx, owner, by).await?;
            tx.commit().await?;
            Ok(erasure)
        })
        .await?;
        if let (Erasure::Done(_), Writer::Sqlite(group)) = (&erasure, &self.writer) {
            group.empty_log().await?;
        }
        Ok(erasure)
    }
}

async fn erase(tx: &mut Tx, owner: &CardOwner, by: &Actor) -> Result<Erasure, StoreError> {
    // Locks the charges, so that no payment begins meanwhile.
    let charges = of_shopper(
        "UPDATE charges SET status = status WHERE partner_id = $1 AND shopper_id = $2 AND shopper_id <> ''",
        owner,
    )
    .execute(&mut *tx)
    .await?;
    // An operation that is sent again must have its reason still: the provider would refuse another one.
    let under_way = format!(
        "SELECT charge_id FROM attempts WHERE charge_id IN {CHARGES} AND {UNDER_WAY} UNION ALL \
         SELECT charge_id FROM operations WHERE charge_id IN {CHARGES} AND state IN ('processing', 'outcome_unknown') \
         LIMIT 1"
    );
    if let Some(charge_id) = of_shopper(under_way, owner).fetch_optional(&mut *tx).await? {
        return Ok(Erasure::UnderWay(charge_id));
    }
    let payable: Vec<String> = of_shopper(
        "SELECT id FROM charges WHERE partner_id = $1 AND shopper_id = $2 AND shopper_id <> '' \
         AND status IN ('created', 'failed')",
        owner,
    )
    .fetch_all(&mut *tx)
    .await?;
    let payment_methods = remove_cards(tx, owner).await?;
    remove_from_events(tx, owner).await?;
    for sql in [
        format!(
            "UPDATE attempts SET card_last_four = NULL, card_details = NULL, shopper_action = NULL WHERE charge_id IN {CHARGES}"
        ),
        format!("UPDATE operations SET reason = NULL, metadata = NULL WHERE charge_id IN {CHARGES}"),
        "UPDATE charges SET shopper_id = '', shopper_email = '', zip_code = NULL, partner_shopper_id = '', \
         partner_custom_data = '', metadata = NULL, return_url = NULL, cancel_url = NULL \
         WHERE partner_id = $1 AND shopper_id = $2 AND shopper_id <> ''"
            .to_owned(),
    ] {
        of_shopper(sql, owner).execute(&mut *tx).await?;
    }
    for id in &payable {
        cancel(tx, id, by.at).await?;
    }
    let erased = ErasedShopper {
        payment_methods,
        charges,
    };
    let detail = json!({ "payment_methods": erased.payment_methods, "charges": erased.charges });
    note(tx, by, AuditAction::ShopperErased, &owner.partner_id, &detail).await?;
    Ok(Erasure::Done(erased))
}

fn of_shopper(sql: impl Into<Cow<'static, str>>, owner: &CardOwner) -> Query<'_> {
    query(sql).bind(&owner.partner_id).bind(&owner.shopper_id)
}

/// Removes the shopper's cards here and at the provider, and returns how many there were.
async fn remove_cards(tx: &mut Tx, owner: &CardOwner) -> Result<u64, StoreError> {
    let saved = "SELECT id FROM saved_cards WHERE partner_id = $1 AND shopper_id = $2 AND state = 'saved'";
    let cards: Vec<String> = of_shopper(saved, owner).fetch_all(&mut *tx).await?;
    for id in &cards {
        tell(tx, id, CardChange::Detach).await?;
    }
    let pending = format!(
        "DELETE FROM saved_cards WHERE state = 'pending' AND attempt_id IN \
         (SELECT id FROM attempts WHERE charge_id IN {CHARGES})"
    );
    for sql in [
        &pending,
        "DELETE FROM saved_cards WHERE partner_id = $1 AND shopper_id = $2 AND state = 'saved'",
        "INSERT INTO provider_card_changes (provider_card, provider_customer, kind, tries, due_at) \
         SELECT reference, reference, 'erase', 0, 0 FROM provider_customers WHERE partner_id = $1 AND shopper_id = $2 \
         ON CONFLICT (provider_card) DO NOTHING",
        "DELETE FROM provider_customers WHERE partner_id = $1 AND shopper_id = $2",
    ] {
        of_shopper(sql.to_owned(), owner).execute(&mut *tx).await?;
    }
    Ok(cards.len() as u64)
}

/// Removes the events of cards, and the shopper from the other events.
async fn remove_from_events(tx: &mut Tx, owner: &CardOwner) -> Result<(), StoreError> {
    let keep_numbers = format!("UPDATE charges SET {NUMBER_KEPT} WHERE id IN {CHARGES}");
    of_shopper(keep_numbers, owner).execute(&mut *tx).await?;
    let of_cards =
        format!("DELETE FROM webhook_events WHERE charge_id IN {CHARGES} AND kind LIKE 'payment_method.%'");
    of_shopper(of_cards, owner).execute(&mut *tx).await?;
    let others = format!("SELECT id, payload FROM webhook_events WHERE charge_id IN {CHARGES}");
    let events: Vec<(String, String)> = of_shopper(others, owner).fetch_all(&mut *tx).await?;
    for (id, payload) in events {
        query("UPDATE webhook_events SET payload = $1 WHERE id = $2")
            .bind(without_shopper(&payload)?)
            .bind(id)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

/// The body of an event of a charge, a refund or a dispute, without the shopper and the merchant's own words.
fn without_shopper(payload: &str) -> Result<String, StoreError> {
    let mut body: Value =
        serde_json::from_str(payload).map_err(|_| StoreError::Unusable("event that is not JSON"))?;
    let is_of_refund = body["type"]
        .as_str()
        .is_some_and(|kind| kind.starts_with("refund."));
    for data in ["/data", "/data/charge"] {
        let Some(Value::Object(fields)) = body.pointer_mut(data) else {
            continue;
        };
        for (name, erased) in [
            ("shopper_id", Value::Null),
            ("paid_with", Value::Null),
            ("metadata", json!({})),
        ] {
            if let Some(value) = fields.get_mut(name) {
                *value = erased;
            }
        }
        // A refund's reason is in the merchant's words, a dispute's in the provider's.
        if is_of_refund
            && data == "/data"
            && let Some(reason) = fields.get_mut("reason")
        {
            *reason = Value::Null;
        }
    }
    Ok(body.to_string())
}

/// Cancels a charge that can still be paid.
async fn cancel(tx: &mut Tx, id: &str, now_ms: i64) -> Result<(), StoreError> {
    let Some(mut charge) = hold(tx, id).await? else {
        return Ok(());
    };
    if let Ok(moved) = transition(charge.status, ChargeEvent::Canceled) {
        apply(tx, &mut charge, moved, None, Told::default(), now_ms, vec![]).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
