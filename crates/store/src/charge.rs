//! Charges, their terms, and what a merchant sees of them.

use std::sync::LazyLock;

use protocol::charge_state::{ChargeEvent, Transition, transition};
use protocol::{
    CaptureMethod, ChargeMode, ChargeStatus, DEFAULT_COUNTRY, Hold, SaveCardUsage, ScaExemption,
    ThreeDsRequest,
};

use serde::Deserialize;

use super::charge_view::Told;
use super::sql::{Query, SqlError, query};
use super::webhook_event::NewEvent;
use super::write::{Tx, retried};
use super::{Store, StoreError};

const MS_PER_HOUR: i64 = 3_600_000;
/// When the provider is asked about a hold whose end it did not tell, in milliseconds after the payment: a day.
const LOOK_AT_HOLD_MS: i64 = 24 * MS_PER_HOUR;
/// A hold that would end sooner is captured so long before its end, in milliseconds: there is time to try again.
const CAPTURE_BEFORE_END_MS: i64 = 2 * MS_PER_HOUR;

/// A charge.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
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
    /// What the shopper agrees to when the card is saved.
    pub save_card_usage: SaveCardUsage,
    /// Where the standalone page leads back to.
    pub return_url: Option<String>,
    /// Where it leads a shopper who does not want to pay.
    pub cancel_url: Option<String>,
    /// When the money is taken.
    pub capture_method: CaptureMethod,
    /// After how many hours the service captures a hold by itself.
    pub capture_after_hours: Option<i64>,
    /// The merchant's own names and texts, a JSON object.
    pub metadata: Option<String>,
    /// What the shopper's statement shows besides the merchant's name.
    pub statement_descriptor: Option<String>,
    /// Whether the bank shall ask the shopper.
    pub three_ds: ThreeDsRequest,
    /// Why the bank shall not ask the shopper.
    pub exemption: Option<ScaExemption>,
    /// When the hold ends by itself, in unix milliseconds, if the provider tells it.
    pub capture_before: Option<i64>,
    /// When the service captures the hold, in unix milliseconds.
    pub capture_at: Option<i64>,
    /// What was taken, a decimal string; `None` for nothing, or for all of a charge that an earlier version took.
    pub amount_captured: Option<String>,
    /// What was given back, a decimal string; `None` for nothing.
    pub amount_refunded: Option<String>,
    /// When the card was accepted, in unix milliseconds.
    pub paid_at: Option<i64>,
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
            payment_method_country_code: DEFAULT_COUNTRY.to_owned(),
            user_initiated: true,
            created_at: made,
            updated_at: made,
            ..Self::default()
        }
    }
}

impl Charge {
    /// Whether it saves a card without a payment.
    pub fn is_setup(&self) -> bool {
        ChargeMode::of(&self.amount_value) == ChargeMode::Setup
    }

    /// Notes that the card was accepted: the money is taken, or held.
    pub(super) fn is_paid(&mut self, hold: Option<Hold>, now_ms: i64) {
        self.paid_at = Some(now_ms);
        let Some(hold) = hold else {
            self.amount_captured = Some(self.amount_value.clone());
            return;
        };
        self.capture_at = self
            .capture_after_hours
            .map(|hours| now_ms.saturating_add(hours * MS_PER_HOUR));
        if let Some(ends_at) = hold.ends_at {
            self.hold_ends(ends_at);
        }
    }

    /// Notes when the hold ends, and captures it before, in unix milliseconds.
    pub fn hold_ends(&mut self, ends_at: i64) {
        self.capture_before = Some(ends_at);
        self.capture_at = self.capture_at.map(|at| at.min(ends_at - CAPTURE_BEFORE_END_MS));
    }

    /// Writes or deletes the note of the hold, if a hold begins or ends with the change from the status `from`.
    fn hold_change(&self, from: ChargeStatus) -> Option<Query<'_>> {
        if self.status == ChargeStatus::Authorized {
            let ends_at = self.capture_before;
            let look_at = ends_at.unwrap_or(self.updated_at.saturating_add(LOOK_AT_HOLD_MS));
            let look_at = self.capture_at.map_or(look_at, |at| at.min(look_at));
            let note = query("INSERT INTO holds (charge_id, look_at) VALUES ($1, $2) ON CONFLICT DO NOTHING");
            return Some(note.bind(&self.id).bind(look_at));
        }
        let ends = from == ChargeStatus::Authorized;
        ends.then(|| query("DELETE FROM holds WHERE charge_id = $1").bind(&self.id))
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
pub(super) const COLUMNS: &str = "id, partner_id, status, decline_code, item_code, item_name, amount_value, amount_currency, \
     partner_reference, partner_shopper_id, payment_method_country_code, partner_custom_data, \
     shopper_id, shopper_email, zip_code, user_initiated, enable_save_payment_method, \
     display_saved_payment_method_list, eligible_save_payment_methods, save_card_usage, return_url, cancel_url, \
     capture_method, capture_after_hours, metadata, statement_descriptor, three_ds, exemption, \
     capture_before, capture_at, amount_captured, amount_refunded, paid_at, created_at, updated_at";

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
            let mut charge = hold_existing(&mut tx, id).await?;
            let ended = match transition(charge.status, event) {
                Ok(moved) => {
                    apply(&mut tx, &mut charge, moved, None, Told::default(), now_ms, vec![]).await?;
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
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, \
         $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35)"
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
        .bind(charge.save_card_usage.as_str())
        .bind(&charge.return_url)
        .bind(&charge.cancel_url)
        .bind(charge.capture_method.as_str())
        .bind(charge.capture_after_hours)
        .bind(&charge.metadata)
        .bind(&charge.statement_descriptor)
        .bind(charge.three_ds.as_str())
        .bind(charge.exemption.map(ScaExemption::as_str))
        .bind(charge.capture_before)
        .bind(charge.capture_at)
        .bind(&charge.amount_captured)
        .bind(&charge.amount_refunded)
        .bind(charge.paid_at)
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

/// The charge, locked; an error if there is none.
pub(super) async fn hold_existing(tx: &mut Tx, id: &str) -> Result<Charge, StoreError> {
    hold(tx, id).await?.ok_or(GONE)
}

/// Charges are never deleted while anything points at them.
pub(super) const GONE: StoreError = StoreError::Unusable("charge that is gone");

/// Writes the parts of a charge that change after its creation, if it still has the status `from`.
pub(super) fn written(charge: &Charge, from: ChargeStatus) -> Query<'_> {
    query(
        "UPDATE charges SET status = $1, decline_code = $2, updated_at = $3, capture_before = $4, capture_at = $5, \
         amount_captured = $6, amount_refunded = $7, paid_at = $8 WHERE id = $9 AND status = $10",
    )
    .bind(charge.status.as_str())
    .bind(&charge.decline_code)
    .bind(charge.updated_at)
    .bind(charge.capture_before)
    .bind(charge.capture_at)
    .bind(&charge.amount_captured)
    .bind(&charge.amount_refunded)
    .bind(charge.paid_at)
    .bind(&charge.id)
    .bind(from.as_str())
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
    told: Told<'_>,
    now_ms: i64,
    others: Vec<Query<'_>>,
) -> Result<ChargeMove, StoreError> {
    charge.status = moved.to();
    charge.decline_code = decline_code.map(str::to_owned);
    charge.updated_at = now_ms;
    let event = NewEvent::of(charge, told, now_ms)?;
    let mut statements = vec![written(charge, moved.from()), event.insert()];
    let hold = charge.hold_change(moved.from());
    let holds = hold.iter().len();
    statements.extend(others);
    statements.extend(hold);
    match tx.execute_all(&statements).await?.as_slice() {
        [1, events, others @ ..] => Ok(ChargeMove {
            has_event: *events > 0,
            others: others[..others.len() - holds].to_vec(),
        }),
        _ => Err(StoreError::Conflict("charge")),
    }
}
