//! The charge intent: the charge to pay, as `?payload=` describes it (docs/payload.md#fields).

use prost::Message;
use serde::Serialize;

/// The country of a payment method when the intent names none (docs/payload.md#fields).
pub const DEFAULT_COUNTRY: &str = "US";

/// Which charge is to be paid, as the merchant's server described it. The fields stand in the order of
/// `proto/charge_intent.proto` (docs/payload.md#fields).
#[derive(Clone, PartialEq, Message, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", ts(rename_all = "camelCase"))]
pub struct ChargeIntent {
    /// The merchant's code of what is bought.
    #[prost(string, tag = "1")]
    pub item_code: String,
    /// The name of what is bought, shown on the standalone page.
    #[prost(string, tag = "2")]
    pub item_name: String,
    /// A decimal number in the currency's major unit: "12.50".
    #[prost(string, tag = "3")]
    pub amount_value: String,
    /// ISO 4217: "USD".
    #[prost(string, tag = "4")]
    pub amount_currency: String,
    /// The merchant's own reference of the order.
    #[prost(string, tag = "5")]
    pub partner_reference: String,
    /// The merchant's own id of the shopper.
    #[prost(string, tag = "6")]
    pub partner_shopper_id: String,
    /// ISO 3166-1 alpha-2; "US" when the payload leaves it empty.
    #[prost(string, tag = "7")]
    pub payment_method_country_code: String,
    /// The id of the charge.
    #[prost(string, tag = "8")]
    pub charge_id: String,
    /// A JSON object as text.
    #[prost(string, tag = "9")]
    pub partner_custom_data: String,
    /// The shopper's email as the merchant knows it, or empty.
    #[prost(string, tag = "10")]
    pub shopper_email: String,
    /// The shopper's zip code.
    #[prost(string, optional, tag = "11")]
    pub zip_code: Option<String>,
    /// Whether the shopper may save the card.
    #[prost(bool, optional, tag = "12")]
    pub enable_save_payment_method: Option<bool>,
    /// The shopper's id in the vault, or empty for a guest.
    #[prost(string, tag = "13")]
    pub shopper_id: String,
    /// Whether the shopper started this charge (sent when paying with a saved card).
    #[prost(bool, tag = "14")]
    pub user_initiated: bool,
    /// Whether saved cards are offered.
    #[prost(bool, tag = "15")]
    pub display_saved_payment_method_list: bool,
    /// Whether cards of this charge are eligible for saving.
    #[prost(bool, tag = "16")]
    pub eligible_save_payment_methods: bool,
    /// The merchant.
    #[prost(string, tag = "17")]
    pub partner_id: String,
}
