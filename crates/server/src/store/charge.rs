//! Charges: what a merchant wants to be paid.

use sqlx::{FromRow, Row as _, Sqlite, SqliteConnection, Transaction};
use wire::ChargeStatus;

use super::{Store, StoreError, webhook_event};
use crate::charges::state::{ALL_STATES, Transition};

/// A charge.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Charge {
    /// `ch_…`.
    pub id: String,
    /// The merchant it belongs to.
    pub partner_id: String,
    /// Where it stands.
    #[sqlx(try_from = "String")]
    pub status: Status,
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
    /// Unix milliseconds.
    pub created_at: i64,
    /// Unix milliseconds.
    pub updated_at: i64,
}

/// A charge's status as a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(pub ChargeStatus);

impl TryFrom<String> for Status {
    type Error = StoreError;

    fn try_from(name: String) -> Result<Self, StoreError> {
        ALL_STATES
            .into_iter()
            .find(|status| status.as_str() == name)
            .map(Self)
            .ok_or(StoreError::Unusable("charge status"))
    }
}

impl Store {
    /// The charge with this id, whoever it belongs to.
    pub async fn charge(&self, id: &str) -> Result<Option<Charge>, StoreError> {
        Ok(sqlx::query_as("SELECT * FROM charges WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.readers)
            .await?)
    }

    /// The charge with this id if it belongs to this merchant.
    pub async fn charge_of_partner(&self, id: &str, partner_id: &str) -> Result<Option<Charge>, StoreError> {
        Ok(self
            .charge(id)
            .await?
            .filter(|charge| charge.partner_id == partner_id))
    }
}

/// Inserts a new charge.
pub(super) async fn insert(tx: &mut Transaction<'_, Sqlite>, charge: &Charge) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO charges (id, partner_id, status, decline_code, item_code, item_name, amount_value, \
         amount_currency, partner_reference, partner_shopper_id, payment_method_country_code, partner_custom_data, \
         shopper_id, shopper_email, zip_code, user_initiated, enable_save_payment_method, \
         display_saved_payment_method_list, eligible_save_payment_methods, return_url, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)",
    )
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
    .bind(charge.user_initiated)
    .bind(charge.enable_save_payment_method)
    .bind(charge.display_saved_payment_method_list)
    .bind(charge.eligible_save_payment_methods)
    .bind(&charge.return_url)
    .bind(charge.created_at)
    .bind(charge.updated_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The status of a charge inside a transaction.
pub(super) async fn status(
    connection: &mut SqliteConnection,
    id: &str,
) -> Result<Option<ChargeStatus>, StoreError> {
    sqlx::query("SELECT status FROM charges WHERE id = $1")
        .bind(id)
        .fetch_optional(connection)
        .await?
        .map(|row| Status::try_from(row.try_get::<String, _>("status")?).map(|status| status.0))
        .transpose()
}

/// Moves a charge, provided it still stands where the transition starts, and writes the event that tells its merchant.
pub(super) async fn apply(
    connection: &mut SqliteConnection,
    id: &str,
    transition: Transition,
    decline_code: Option<&str>,
    now_ms: i64,
) -> Result<(), StoreError> {
    let changed = sqlx::query(
        "UPDATE charges SET status = $1, decline_code = $2, updated_at = $3 WHERE id = $4 AND status = $5",
    )
    .bind(transition.to().as_str())
    .bind(decline_code)
    .bind(now_ms)
    .bind(id)
    .bind(transition.from().as_str())
    .execute(&mut *connection)
    .await?
    .rows_affected();
    if changed != 1 {
        return Err(StoreError::Conflict("charge"));
    }
    webhook_event::write(connection, id, now_ms).await
}
