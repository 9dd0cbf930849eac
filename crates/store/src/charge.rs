//! Charges.

use std::sync::LazyLock;

use model::charge_state::{ALL_STATES, ChargeEvent, Transition, transition, transitions};
use wire::{ChargeStatus, DEFAULT_COUNTRY};

use super::charge_terms::ChargeTerms;
use super::report_change::{CountedKind, note_change, noted_minute};
use super::sql::{FromRow as _, SqlRow, push_one_of, query, read_from_row, read_from_word};
use super::webhook_endpoint::endpoints_for;
use super::webhook_event::{self, NewEvent};
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// A charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// `ch_…`.
    pub id: String,
    /// The merchant it belongs to.
    pub partner_id: String,
    /// Where it stands.
    pub status: StatusColumn,
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
    /// A charge that nobody has tried to pay, with nothing of it known but these ids and when it was made, in unix
    /// milliseconds.
    pub fn unknown(id: String, partner_id: String, made: i64) -> Self {
        Self {
            id,
            partner_id,
            status: StatusColumn(ChargeStatus::Created),
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

read_from_row!(Charge {
    id,
    partner_id,
    status,
    decline_code,
    item_code,
    item_name,
    amount_value,
    amount_currency,
    partner_reference,
    partner_shopper_id,
    payment_method_country_code,
    partner_custom_data,
    shopper_id,
    shopper_email,
    zip_code,
    user_initiated,
    enable_save_payment_method,
    display_saved_payment_method_list,
    eligible_save_payment_methods,
    return_url,
    cancel_url,
    created_at,
    updated_at,
});

/// In this order in [`insert`]. Written out, so that a column that a newer node adds does not disturb an older one.
pub(super) const COLUMNS: &str = "id, partner_id, status, decline_code, item_code, item_name, amount_value, amount_currency, \
     partner_reference, partner_shopper_id, payment_method_country_code, partner_custom_data, \
     shopper_id, shopper_email, zip_code, user_initiated, enable_save_payment_method, \
     display_saved_payment_method_list, eligible_save_payment_methods, return_url, cancel_url, \
     created_at, updated_at";

static ONE: LazyLock<String> = LazyLock::new(|| format!("SELECT {COLUMNS} FROM charges WHERE id = $1"));

/// A charge's status as a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusColumn(pub ChargeStatus);

impl TryFrom<String> for StatusColumn {
    type Error = StoreError;

    fn try_from(name: String) -> Result<Self, StoreError> {
        Self::of(&name)
    }
}

impl StatusColumn {
    /// The status with this name.
    pub(super) fn of(name: &str) -> Result<Self, StoreError> {
        ALL_STATES
            .into_iter()
            .find(|status| status.as_str() == name)
            .map(Self)
            .ok_or(StoreError::Unusable("charge status"))
    }
}

read_from_word!(StatusColumn);

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
        retried(|| self.end_once(id, event, now_ms)).await
    }

    async fn end_once(&self, id: &str, event: ChargeEvent, now_ms: i64) -> Result<EndOutcome, StoreError> {
        let mut tx = self.write().await?;
        let status = hold(&mut tx, id)
            .await?
            .ok_or(StoreError::Unusable("charge that is gone"))?;
        let ended = match transition(status, event) {
            Ok(moved) => {
                apply(&mut tx, id, moved, None, now_ms).await?;
                EndOutcome::Moved
            }
            Err(_) => EndOutcome::Stays(status),
        };
        tx.commit().await?;
        Ok(ended)
    }

    /// The charge with this id, of any merchant.
    pub async fn charge(&self, id: &str) -> Result<Option<Charge>, StoreError> {
        Ok(match &self.shared {
            Some(shared) => shared.charges.run(id.to_owned()).await?,
            None => query(ONE.as_str()).bind(id).fetch_optional(&self.readers).await?,
        })
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
        .bind(charge.status.0.as_str())
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

/// Reads the status of a charge and locks its row until the transaction ends: another transaction that wants to change
/// the charge or one of its attempts waits, and then sees the result. SQLite has no other writer.
pub(super) async fn hold(connection: &mut Tx, id: &str) -> Result<Option<ChargeStatus>, StoreError> {
    let held: Option<StatusColumn> =
        query("UPDATE charges SET status = status WHERE id = $1 RETURNING status")
            .bind(id)
            .fetch_optional(connection)
            .await?;
    Ok(held.map(|status| status.0))
}

/// Changes a charge's state, if it is still in the state where the transition starts, and writes the merchant's event.
pub(super) async fn apply(
    connection: &mut Tx,
    id: &str,
    transition: Transition,
    decline_code: Option<&str>,
    now_ms: i64,
) -> Result<(), StoreError> {
    let moved = update(connection, id, &[transition], None, decline_code, now_ms).await?;
    moved.map(drop).ok_or(StoreError::Conflict("charge"))
}

/// Whether the merchant gets an event of what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrittenEvent {
    Yes,
    No,
}

/// The same from any state in which the event can happen, in one statement; `None` if the charge is in another state. It
/// locks the charge as [`hold`] does.
pub(super) async fn happen(
    connection: &mut Tx,
    id: &str,
    event: ChargeEvent,
    decline_code: Option<&str>,
    now_ms: i64,
) -> Result<Option<WrittenEvent>, StoreError> {
    let moves: Vec<Transition> = transitions(event).collect();
    update(connection, id, &moves, None, decline_code, now_ms).await
}

/// What a press needs of its charge.
pub(super) struct PressNeed<'a> {
    /// What the shopper was shown.
    pub(super) terms: &'a ChargeTerms,
    /// The charge has fewer attempts than this …
    pub(super) most: i64,
    /// … since then, in unix milliseconds.
    pub(super) counted_from: i64,
}

/// A press, from any state in which it can happen; false if the charge is in another state or not as is needed.
pub(super) async fn press(
    connection: &mut Tx,
    id: &str,
    need: &PressNeed<'_>,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let moves: Vec<Transition> = transitions(ChargeEvent::Pressed).collect();
    let event = update(connection, id, &moves, Some(need), None, now_ms).await?;
    Ok(event.is_some())
}

/// All transitions must lead to the same state.
async fn update(
    connection: &mut Tx,
    id: &str,
    moves: &[Transition],
    need: Option<&PressNeed<'_>>,
    decline_code: Option<&str>,
    now_ms: i64,
) -> Result<Option<WrittenEvent>, StoreError> {
    let Some(to) = moves.first().map(|moved| moved.to()) else {
        return Ok(None);
    };
    let from = moves.iter().map(|moved| moved.from().as_str());
    let with_need = need.map_or("", |_| {
        " AND item_code = $5 AND item_name = $6 AND amount_value = $7 AND amount_currency = $8 \
         AND (SELECT COUNT(*) FROM attempts a WHERE a.charge_id = $4 AND a.created_at >= $9) < $10"
    });
    let mut sql = String::with_capacity(UPDATE_BYTES);
    sql.push_str("UPDATE charges SET status = $1, decline_code = $2, updated_at = $3 WHERE id = $4 AND ");
    push_one_of(&mut sql, "status", from);
    sql.push_str(with_need);
    let bound = |sql: String| {
        let statement = query(sql)
            .bind(to.as_str())
            .bind(decline_code)
            .bind(now_ms)
            .bind(id);
        match need {
            None => statement,
            Some(need) => statement
                .bind(&need.terms.item_code)
                .bind(&need.terms.item_name)
                .bind(&need.terms.amount_value)
                .bind(&need.terms.amount_currency)
                .bind(need.counted_from)
                .bind(need.most),
        }
    };
    let (made, charge) = match connection {
        Tx::Grouped(_) => {
            if bound(sql).execute(&mut *connection).await? == 0 {
                return Ok(None);
            }
            with_webhook(connection, id).await?
        }
        // One round trip to the database for both.
        Tx::Single(_) => {
            let returning = format!("{COLUMNS}, created_at AS made, {} AS endpoints", *ENDPOINTS);
            let row: Option<SqlRow> = bound(format!("{sql} RETURNING {returning}"))
                .fetch_optional(&mut *connection)
                .await?;
            let Some(mut row) = row else {
                return Ok(None);
            };
            let (made, has_webhook) = (row.get("made")?, row.get::<i64>("endpoints")? > 0);
            let charge = has_webhook.then(|| Charge::from_row(&mut row)).transpose()?;
            (made, charge)
        }
    };
    if let Some(minute) = noted_minute(made, now_ms) {
        note_change(connection, CountedKind::Charges, minute).await?;
    }
    // A merchant without an endpoint has no events.
    let Some(charge) = charge else {
        return Ok(Some(WrittenEvent::No));
    };
    let event = NewEvent::of(charge.partner_id.clone(), charge.into(), now_ms)?;
    webhook_event::write(connection, &event).await?;
    Ok(Some(WrittenEvent::Yes))
}

/// How many webhook endpoints take the event of a charge's status.
static ENDPOINTS: LazyLock<String> = LazyLock::new(|| endpoints_for("charges", "charges.status"));

/// When the charge was made, and all of it if its merchant has a webhook endpoint that takes the event.
async fn with_webhook(connection: &mut Tx, id: &str) -> Result<(i64, Option<Charge>), StoreError> {
    static SQL: LazyLock<String> =
        LazyLock::new(|| format!("SELECT created_at, {} FROM charges WHERE id = $1", *ENDPOINTS));
    let (made, endpoints): (i64, i64) = query(SQL.as_str()).bind(id).fetch_one(&mut *connection).await?;
    if endpoints == 0 {
        return Ok((made, None));
    }
    let charge = query(ONE.as_str()).bind(id).fetch_optional(connection).await?;
    Ok((made, charge))
}

/// More than the statement of an update has, so that its text does not grow.
const UPDATE_BYTES: usize = 480;
