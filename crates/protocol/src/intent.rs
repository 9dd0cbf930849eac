//! The charge intent: the description of a charge in `?payload=` (docs/payload.md#fields).

use prost::Message;
use serde::Serialize;
use ts_rs::TS;

/// The country of a payment method if the intent names none (docs/payload.md#fields).
pub const DEFAULT_COUNTRY: &str = "US";

/// The charge to pay, as the merchant's server described it. The fields have the order of `proto/charge_intent.proto`
/// (docs/payload.md#fields).
#[derive(Clone, PartialEq, Message, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename_all = "camelCase")]
pub struct ChargeIntent {
    /// The merchant's code of the item.
    #[prost(string, tag = "1")]
    pub item_code: String,
    /// The item's name, which the payment page shows.
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
    /// ISO 3166-1 alpha-2; "US" if the payload has none.
    #[prost(string, tag = "7")]
    pub payment_method_country_code: String,
    /// The id of the charge.
    #[prost(string, tag = "8")]
    pub charge_id: String,
    /// A JSON object as text.
    #[prost(string, tag = "9")]
    pub partner_custom_data: String,
    /// The shopper's email, if the merchant knows it; otherwise empty.
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
    /// Whether the shopper started this charge. The page sends it with a saved card.
    #[prost(bool, tag = "14")]
    pub user_initiated: bool,
    /// Whether saved cards are offered.
    #[prost(bool, tag = "15")]
    pub display_saved_payment_method_list: bool,
    /// Whether this charge's cards are eligible for saving.
    #[prost(bool, tag = "16")]
    pub eligible_save_payment_methods: bool,
    /// The merchant.
    #[prost(string, tag = "17")]
    pub partner_id: String,
    /// `off_session` if the card that is saved may also be charged without the shopper; otherwise empty.
    #[prost(string, tag = "19")]
    pub save_card_usage: String,
    /// The id of the card session whose card page is shown; absent for a charge.
    #[prost(string, tag = "20")]
    #[serde(skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub card_session: String,
    /// Where the card page leads back to; absent for a charge.
    #[prost(string, tag = "21")]
    #[serde(skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub return_url: String,
}

impl ChargeIntent {
    /// Whether it is a card session's: the page shows the shopper's cards, and there is no charge yet.
    pub fn is_card_session(&self) -> bool {
        !self.card_session.is_empty()
    }
}
