//! Charges as the merchant's server and the shopper's page see them (docs/merchant-api.md).

use serde::{Deserialize, Serialize};

use crate::ShopperAction;
use crate::limits::{EMAIL_CHARACTERS_MAX, TEXT_CHARACTERS_MAX, URL_BYTES_MAX};
use crate::patterns::{AMOUNT, COUNTRY, CURRENCY, NAMED, PLAIN, WEB};

/// Where a charge stands.
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ChargeStatus {
    /// Waits for a card.
    Created,
    /// A card is with the provider.
    Processing,
    /// The shopper must do something first: a 3-D Secure challenge.
    WaitingForShopperAction,
    /// Paid. Never changes any more.
    Succeeded,
    /// The last card was declined; another may be tried.
    Failed,
    /// The provider's answer was lost and is being asked for; nobody may pay until it is known.
    OutcomeUnknown,
    /// Withdrawn by the merchant.
    Canceled,
    /// Its time ran out.
    Expired,
}

impl ChargeStatus {
    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// `POST /v1/charges`: what the merchant wants to be paid. Item, amount, currency and reference are required.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct CreateCharge {
    /// The merchant's code of what is bought.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED), example = &"gems-100")]
    pub item_code: String,
    /// The name of what is bought, as the shopper reads it.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED), example = &"100 gems")]
    pub item_name: String,
    /// A decimal string in the currency's major unit: "12.50".
    #[schemars(pattern(AMOUNT), example = &"12.50")]
    pub amount_value: String,
    /// ISO 4217: "USD".
    #[schemars(pattern(CURRENCY), example = &"USD")]
    pub amount_currency: String,
    /// The merchant's own reference of the order.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED), example = &"order-17")]
    pub partner_reference: String,
    /// The merchant's own id of the shopper.
    #[serde(default)]
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(PLAIN))]
    pub partner_shopper_id: Option<String>,
    /// ISO 3166-1 alpha-2, "US" when left out.
    #[serde(default)]
    #[schemars(pattern(COUNTRY))]
    pub payment_method_country_code: Option<String>,
    /// A JSON object as text, of at most 4096 bytes.
    #[serde(default)]
    #[schemars(
            example = &r#"{"merchant_id":"m-1"}"#,
            extend("contentMediaType" = "application/json", "contentSchema" = {"type": "object"})
        )]
    pub partner_custom_data: Option<String>,
    /// The shopper's id in the vault; with it cards can be saved and offered.
    #[serde(default)]
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(PLAIN))]
    pub shopper_id: Option<String>,
    /// The shopper's email, when the merchant knows it.
    #[serde(default)]
    #[schemars(length(max = EMAIL_CHARACTERS_MAX), pattern(PLAIN))]
    pub shopper_email: Option<String>,
    /// The shopper's zip code.
    #[serde(default)]
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(PLAIN))]
    pub zip_code: Option<String>,
    /// Whether the shopper started this charge; true when left out.
    #[serde(default)]
    pub user_initiated: Option<bool>,
    /// Whether the shopper may save the card.
    #[serde(default)]
    pub enable_save_payment_method: Option<bool>,
    /// Whether saved cards are offered.
    #[serde(default)]
    pub display_saved_payment_method_list: Option<bool>,
    /// Whether this charge's cards are eligible for saving.
    #[serde(default)]
    pub eligible_save_payment_methods: Option<bool>,
    /// Where the standalone page leads back to; `https:` or, for tests on one machine, `http:`.
    #[serde(default)]
    #[schemars(length(max = URL_BYTES_MAX), pattern(WEB))]
    pub return_url: Option<String>,
    /// Where the standalone page leads a shopper who does not want to pay; like `return_url`.
    // Left out when absent, so that the hash of a body stays the same as before this field existed: idempotency keys
    // compare it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = URL_BYTES_MAX), pattern(WEB))]
    pub cancel_url: Option<String>,
}

/// `POST /v1/charges/{id}`: what changes of a charge that nobody is paying. A field that is left out stays as it is.
#[derive(Debug, Clone, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ChangeCharge {
    /// The merchant's code of what is bought.
    #[serde(default)]
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED))]
    pub item_code: Option<String>,
    /// The name of what is bought, as the shopper reads it.
    #[serde(default)]
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED))]
    pub item_name: Option<String>,
    /// A decimal string in the currency's major unit: "12.50".
    #[serde(default)]
    #[schemars(pattern(AMOUNT), example = &"15.00")]
    pub amount_value: Option<String>,
    /// ISO 4217: "USD".
    #[serde(default)]
    #[schemars(pattern(CURRENCY))]
    pub amount_currency: Option<String>,
}

/// The answer to `POST /v1/charges`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct CreatedCharge {
    /// The charge's id.
    pub id: String,
    /// `created`.
    pub status: ChargeStatus,
    /// The charge intent for `?payload=`.
    pub payload: String,
    /// The bearer token for the page; hand it to the shopper's page and to nobody else.
    pub client_secret: String,
    /// The standalone payment page of this charge, client secret included.
    pub url: String,
    /// When the client secret expires, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub expires_at: String,
}

/// A charge as the merchant sees it: `GET /v1/charges/{id}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct ChargeView {
    /// The charge's id.
    pub id: String,
    /// Where it stands.
    pub status: ChargeStatus,
    /// The merchant's code of what is bought.
    pub item_code: String,
    /// Its name.
    pub item_name: String,
    /// A decimal string.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The merchant's own reference.
    pub partner_reference: String,
    /// Why the last card was declined, while `failed`.
    pub decline_code: Option<String>,
    /// Created at, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
    /// Changed at, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub updated_at: String,
}

/// A charge as the shopper's page sees it: `GET /v1/pub/charges/{charge_id}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct ShopperCharge {
    /// The charge's id.
    pub id: String,
    /// Where it stands.
    pub status: ChargeStatus,
    /// Why the last card was declined, while `failed`, as far as the shopper may know it.
    pub decline_code: Option<String>,
    /// The way back to the merchant.
    pub return_url: Option<String>,
    /// The way back for a shopper who does not want to pay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_url: Option<String>,
    /// The card that paid, while `succeeded`; absent for charges that were paid before cards were noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid_with: Option<PaidCard>,
    /// What the shopper must do, while `waiting_for_shopper_action`.
    pub shopper_action: Option<ShopperAction>,
}

/// As much of a card as a receipt shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct PaidCard {
    /// Its brand's name: "visa"; empty for a brand that is not known.
    pub brand: String,
    /// The number's last four digits.
    pub last_four: String,
}
