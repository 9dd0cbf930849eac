//! Charges, their terms, and what a merchant sees of them.

use std::sync::LazyLock;

use protocol::charge_state::{ChargeEvent, Transition, transition};
use protocol::clock::rfc3339;
use protocol::{ChargeStatus, ChargeView, DEFAULT_COUNTRY};

use serde::Deserialize;

use super::sql::{Query, SqlError, query};
use super::webhook_event::NewEvent;
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// A charge.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Charge {
    /// `ch_…`.
    pub id: String,
    /// The merchant it belongs to.
    pub partner_id: String,
    /// The status.
    pub status: ChargeStatus,
    /// Why the last card was declined, while `failed`.
    pub decline_code: Option<String>,
    /// The merchant's code of what is bought.
    pub item_code: String,
    /// Its name.
    pub item_name: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The merchant's own reference.
    pub partner_reference: String,
    /// The merchant's own id of the shopper, or empty.
    pub partner_shopper_id: String,
    /// ISO 3166-1 alpha-2.
    pub payment_method_country_code: String,
    /// A JSON object as text, or empty.
    pub partner_custom_data: String,
    /// The shopper's id in the vault, or empty for a guest.
    pub shopper_id: String,
    /// The shopper's email, or empty.
    pub shopper_email: String,
    /// The shopper's zip code.
    pub zip_code: Option<String>,
    /// Whether the shopper started the charge.
    pub user_initiated: bool,
    /// Whether the shopper may save the card.
    pub enable_save_payment_method: Option<bool>,
    /// Whether saved cards are offered.
    pub display_saved_payment_method_list: bool,
    /// Whether this charge's cards are eligible for saving.
    pub eligible_save_payment_methods: bool,
    /// Where the standalone page leads back to.
    pub return_url: Option<String>,
    /// Where it leads a shopper who does not want to pay.
    pub cancel_url: Option<String>,
    /// Unix milliseconds.
    pub created_at: i64,
    /// Unix milliseconds.
    pub updated_at: i64,
}

impl Charge {
    /// A charge without attempts, of which only these ids and its time in unix milliseconds are known.
    pub fn unknown(id: String, partner_id: String, made: i64) -> Self {
        Self {
            id,
            partner_id,
            status: ChargeStatus::Created,
            decline_code: None,
            item_code: String::new(),
            item_name: String::new(),
            amount_value: String::new(),
            amount_currency: String::new(),
            partner_reference: String::new(),
            partner_shopper_id: String::new(),
            payment_method_country_code: DEFAULT_COUNTRY.to_owned(),
            partner_custom_data: String::new(),
            shopper_id: String::new(),
            shopper_email: String::new(),
            zip_code: None,
            user_initiated: true,
            enable_save_payment_method: None,
            display_saved_payment_method_list: false,
            eligible_save_payment_methods: false,
            return_url: None,
            cancel_url: None,
            created_at: made,
            updated_at: made,
        }
    }
}

/// The item and the amount of a charge. A press pays these terms or nothing.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ChargeTerms {
    /// The merchant's code of what is bought.
    pub item_code: String,
    /// Its name.
    pub item_name: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
}

impl From<&Charge> for ChargeView {
    fn from(charge: &Charge) -> Self {
        Self {
            id: charge.id.clone(),
            status: charge.status,
            item_code: charge.item_code.clone(),
            item_name: charge.item_name.clone(),
            amount_value: charge.amount_value.clone(),
            amount_currency: charge.amount_currency.clone(),
            partner_reference: charge.partner_reference.clone(),
            decline_code: charge.decline_code.clone(),
            created_at: rfc3339(charge.created_at),
            updated_at: rfc3339(charge.updated_at),
        }
    }
}

impl From<&Charge> for ChargeTerms {
    fn from(charge: &Charge) -> Self {
        Self {
            item_code: charge.item_code.clone(),
            item_name: charge.item_name.clone(),
            amount_value: charge.amount_value.clone(),
            amount_currency: charge.amount_currency.clone(),
        }
    }
}

impl ChargeTerms {
    /// Whether the charge has these terms.
    pub(super) fn are_of(&self, charge: &Charge) -> bool {
        self.item_code == charge.item_code
            && self.item_name == charge.item_name
            && self.amount_value == charge.amount_value
            && self.amount_currency == charge.amount_currency
    }
}

/// In this order in [`insert`]. Written out, so that a column that a newer node adds does not disturb an older one.
const COLUMNS: &str = "id, partner_id, status, decline_code, item_code, item_name, amount_value, amount_currency, \
     partner_reference, partner_shopper_id, payment_method_country_code, partner_custom_data, \
     shopper_id, shopper_email, zip_code, user_initiated, enable_save_payment_method, \
     display_saved_payment_method_list, eligible_save_payment_methods, return_url, cancel_url, \
     created_at, updated_at";

static ONE: LazyLock<String> = LazyLock::new(|| format!("SELECT {COLUMNS} FROM charges WHERE id = $1"));

/// The result of ending a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndOutcome {
    /// It is ended.
    Moved,
    /// It cannot be ended in this state; nothing was written.
    Stays(ChargeStatus),
}

impl Store {
    /// Ends a charge without a payment: it is canceled or expires. The charge must exist.
    pub async fn end_charge(
        &self,
        id: &str,
        event: ChargeEvent,
        now_ms: i64,
    ) -> Result<EndOutcome, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let mut charge = hold(&mut tx, id)
                .await?
                .ok_or(StoreError::Unusable("charge that is gone"))?;
            let ended = match transition(charge.status, event) {
                Ok(moved) => {
                    apply(&mut tx, &mut charge, moved, None, now_ms, Vec::new()).await?;
                    EndOutcome::Moved
                }
                Err(_) => EndOutcome::Stays(charge.status),
            };
            tx.commit().await?;
            Ok(ended)
        })
        .await
    }

    /// The charge with this id, of any merchant.
    pub async fn charge(&self, id: &str) -> Result<Option<Charge>, StoreError> {
        Ok(query(ONE.as_str()).bind(id).fetch_optional(&self.readers).await?)
    }

    /// The charge with this id if it belongs to this merchant.
    pub async fn charge_of_partner(&self, id: &str, partner_id: &str) -> Result<Option<Charge>, StoreError> {
        let found = self.charge(id).await?;
        Ok(found.filter(|charge| charge.partner_id == partner_id))
    }
}

/// Inserts a new charge.
pub(super) async fn insert(connection: &mut Tx, charge: &Charge) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO charges ({COLUMNS}) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)"
    );
    query(sql)
        .bind(&charge.id)
        .bind(&charge.partner_id)
        .bind(charge.status.as_str())
        .bind(&charge.decline_code)
        .bind(&charge.item_code)
        .bind(&charge.item_name)
        .bind(&charge.amount_value)
        .bind(&charge.amount_currency)
        .bind(&charge.partner_reference)
        .bind(&charge.partner_shopper_id)
        .bind(&charge.payment_method_country_code)
        .bind(&charge.partner_custom_data)
        .bind(&charge.shopper_id)
        .bind(&charge.shopper_email)
        .bind(&charge.zip_code)
        .bind(i64::from(charge.user_initiated))
        .bind(charge.enable_save_payment_method.map(i64::from))
        .bind(i64::from(charge.display_saved_payment_method_list))
        .bind(i64::from(charge.eligible_save_payment_methods))
        .bind(&charge.return_url)
        .bind(&charge.cancel_url)
        .bind(charge.created_at)
        .bind(charge.updated_at)
        .execute(connection)
        .await?;
    Ok(())
}

/// Reads a charge and locks its row until the transaction ends: another transaction that wants to change the charge or
/// one of its attempts waits, and then sees the result. SQLite has no other writer, and needs no lock.
pub(super) fn held<'a>(tx: &Tx, id: &'a str) -> Query<'a> {
    static LOCKED: LazyLock<String> = LazyLock::new(|| format!("{} FOR NO KEY UPDATE", *ONE));
    let sql = match tx {
        Tx::Grouped(_) => ONE.as_str(),
        Tx::Single(_) => LOCKED.as_str(),
    };
    query(sql).bind(id)
}

/// The charge, locked.
pub(super) async fn hold(tx: &mut Tx, id: &str) -> Result<Option<Charge>, SqlError> {
    held(tx, id).fetch_optional(tx).await
}

/// A change of a charge's state that is written.
pub(super) struct ChargeMove {
    /// Whether the merchant gets an event of it.
    pub(super) has_event: bool,
    /// How many rows each of the other statements changed.
    pub(super) others: Vec<u64>,
}

/// Changes the state of a charge that [`hold`] has read, and writes the event for its merchant. PostgreSQL gets `others`
/// in the same round trip, after these statements.
pub(super) async fn apply(
    tx: &mut Tx,
    charge: &mut Charge,
    moved: Transition,
    decline_code: Option<&str>,
    now_ms: i64,
    others: Vec<Query<'_>>,
) -> Result<ChargeMove, StoreError> {
    charge.status = moved.to();
    charge.decline_code = decline_code.map(str::to_owned);
    charge.updated_at = now_ms;
    let event = NewEvent::of(charge, now_ms)?;
    let update = query(
        "UPDATE charges SET status = $1, decline_code = $2, updated_at = $3 WHERE id = $4 AND status = $5",
    )
    .bind(moved.to().as_str())
    .bind(decline_code)
    .bind(now_ms)
    .bind(&charge.id)
    .bind(moved.from().as_str());
    let mut statements = vec![update, event.insert()];
    statements.extend(others);
    match tx.execute_all(&statements).await?.as_slice() {
        [1, events, others @ ..] => Ok(ChargeMove {
            has_event: *events > 0,
            others: others.to_vec(),
        }),
        _ => Err(StoreError::Conflict("charge")),
    }
}
