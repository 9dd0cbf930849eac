//! `POST /v1/pub/direct/charges`: a shopper's card for a charge, and the answer (docs/calls.md#direct-charge).

use serde::{Deserialize, Serialize};

use crate::limits::{
    BROWSER_TEXT_CHARACTERS_MAX, CUSTOM_DATA_BYTES_MAX, EMAIL_CHARACTERS_MAX, SEALED_CARD_CHARACTERS_MAX,
    TEXT_CHARACTERS_MAX,
};
use crate::patterns::{COUNTRY, WINDOW};
use crate::whole_number::whole_number;
use crate::{ChargeStatus, Sensitive, ShopperAction};

/// The direct charge request. Every field is required unless its type says otherwise.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct DirectCharge {
    /// The charge to pay; must be the client secret's.
    pub charge_id: String,
    /// The merchant's code of what is bought.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub item_code: String,
    /// Its name.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub item_name: String,
    /// A decimal string; must be the client secret's.
    pub amount_value: String,
    /// ISO 4217; must be the client secret's.
    pub amount_currency: String,
    /// The merchant's own reference.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub partner_reference: String,
    /// The browser that pays.
    pub shopper_agent: ShopperAgent,
    /// How the charge is to be made.
    pub setting: Setting,
    /// How it is taxed.
    pub tax: Tax,
    /// The card, new or saved.
    pub payment_method: PaymentMethod,
    /// Who sells.
    pub partner_custom_data: PartnerCustomData,
    /// Whether the shopper started the charge; sent with a saved card only.
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub user_initiated: Option<bool>,
}

/// The browser that pays, as 3-D Secure and fraud prevention ask for it.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct ShopperAgent {
    /// The client's address as the page looked it up, or empty.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub ip_address: String,
    /// `navigator.userAgent`.
    #[schemars(length(max = BROWSER_TEXT_CHARACTERS_MAX))]
    pub user_agent: String,
    /// Minutes to add to the browser's time to reach UTC: −480 in Singapore.
    #[serde(deserialize_with = "whole_number")]
    pub timezone: i32,
    /// CSS pixels.
    #[serde(deserialize_with = "whole_number")]
    pub screen_height: u32,
    /// CSS pixels.
    #[serde(deserialize_with = "whole_number")]
    pub screen_width: u32,
    /// Bits per pixel.
    #[serde(deserialize_with = "whole_number")]
    pub color_depth: u32,
    /// `text/html` (docs/calls.md#fixed-values).
    #[schemars(length(max = BROWSER_TEXT_CHARACTERS_MAX))]
    pub accept_header: String,
    /// From the fraud-prevention script.
    pub fraud_metadata: FraudMetadata,
    /// From device data collection; with a new card only.
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub device_metadata: Option<DeviceMetadata>,
}

/// What the fraud-prevention script found.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct FraudMetadata {
    /// Its token, or empty without one.
    #[schemars(length(max = BROWSER_TEXT_CHARACTERS_MAX))]
    pub fraud_token: String,
}

/// What device data collection found.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct DeviceMetadata {
    /// The session's id; null when the collection failed, which never stops a charge.
    #[schemars(length(min = 1, max = TEXT_CHARACTERS_MAX), pattern("^[!-~]+$"))]
    pub session_id: Option<String>,
}

/// How the charge is to be made.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct Setting {
    /// The page's language: "en".
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub default_language: String,
    /// Card settings.
    pub card: CardSettings,
}

/// Card settings (docs/calls.md#fixed-values).
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct CardSettings {
    /// 0: captured at once.
    #[serde(deserialize_with = "whole_number")]
    pub capture_grace_period: u32,
    /// Width and height in CSS pixels: "390x400".
    #[schemars(pattern(WINDOW))]
    pub three_ds_challenge_window_size: String,
}

/// How the charge is taxed.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct Tax {
    /// "CD010001" (docs/calls.md#fixed-values).
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub tax_code: String,
}

/// The card: a new one has no `id`, a saved one is `{id, type, shopper_id, card: {security_code}}`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
// Inside `allOf`, because client generators take an `anyOf` beside `properties` for another type instead of a condition.
#[schemars(extend("allOf" = [{ "anyOf": [
    {
        "title": "A new card",
        "required": ["shopper"],
        "properties": { "id": { "type": "null" }, "shopper": { "$ref": "#/components/schemas/Shopper" } },
    },
    {
        "title": "A saved card",
        "required": ["id"],
        "properties": { "id": { "type": "string" }, "card": { "properties": { "number": { "type": "null" } } } },
    },
] }]))]
pub struct PaymentMethod {
    /// A saved card's id.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub id: Option<String>,
    /// `card`.
    #[serde(rename = "type")]
    pub kind: PaymentMethodType,
    /// Whose saved card it is.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub shopper_id: Option<String>,
    /// What the shopper typed.
    pub card: Card,
    /// Who pays, with a new card.
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub shopper: Option<Shopper>,
    /// Whether to save a new card once it has paid.
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub save_payment_method: Option<bool>,
}

/// The kinds of payment method there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentMethodType {
    /// A card.
    Card,
}

/// What was typed into the form. With a saved card just the security code.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct Card {
    /// ISO 3166-1 alpha-2.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(pattern(COUNTRY))]
    pub country_code: Option<String>,
    /// Digits without spaces; left out when it is sealed.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(pattern("^[0-9]{12,19}$"))]
    pub number: Option<Sensitive>,
    /// As typed, empty when the form does not ask for it.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub holder_name: Option<String>,
    /// Two digits.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(pattern("^(0[1-9]|1[0-2])$"))]
    pub expiration_month: Option<String>,
    /// Four digits.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(pattern("^[0-9]{4}$"))]
    pub expiration_year: Option<String>,
    /// Digits; left out when it is sealed.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(pattern("^[0-9]{3,4}$"))]
    pub security_code: Option<Sensitive>,
    /// Number and security code as the page sealed them, in their stead (docs/sealed-cards.md): a compact JWE with ECDH-ES
    /// over P-256 and A256GCM for the key of `GET /v1/pub/card-key`.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(length(max = SEALED_CARD_CHARACTERS_MAX))]
    pub sealed: Option<String>,
}

/// `GET /v1/pub/card-key`: the key that pages seal card fields for, as a JSON Web Key. Pages have it from the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct CardKey {
    /// The key's id. The key is rotated together with the service's signing keys.
    pub kid: String,
    /// `EC`.
    pub kty: String,
    /// `P-256`.
    pub crv: String,
    /// The first coordinate, base64url.
    pub x: String,
    /// The second coordinate, base64url.
    pub y: String,
}

/// Who pays: by `id` alone when the intent has a shopper id, otherwise by the other three.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct Shopper {
    /// The shopper's id in the vault.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub id: Option<String>,
    /// The typed email, otherwise the intent's.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(length(max = EMAIL_CHARACTERS_MAX))]
    pub email: Option<String>,
    /// Empty when not known.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub zip_code: Option<String>,
    /// The merchant's own id of the shopper.
    #[cfg_attr(feature = "typescript", ts(optional))]
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub partner_shopper_id: Option<String>,
}

/// Who sells, from the intent's custom data; each is null when absent there.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct PartnerCustomData {
    /// The merchant's id.
    #[schemars(length(max = CUSTOM_DATA_BYTES_MAX))]
    pub merchant_id: Option<String>,
    /// The merchant's name.
    #[schemars(length(max = CUSTOM_DATA_BYTES_MAX))]
    pub merchant_name: Option<String>,
    /// The merchant's email.
    #[schemars(length(max = CUSTOM_DATA_BYTES_MAX))]
    pub merchant_email: Option<String>,
    /// The merchant's own id of the user.
    #[schemars(length(max = CUSTOM_DATA_BYTES_MAX))]
    pub merchant_user_id: Option<String>,
    /// The mobile network operator's id.
    #[schemars(length(max = CUSTOM_DATA_BYTES_MAX))]
    pub mno_id: Option<String>,
}

/// 201: the charge was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct DirectChargeAnswer {
    /// `succeeded`, `waiting_for_shopper_action`, `processing`, or `outcome_unknown` while the provider is being asked.
    pub status_code: ChargeStatus,
    /// What the shopper must do, with `waiting_for_shopper_action`.
    pub shopper_action: Option<ShopperAction>,
}

/// 402: the card was declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(schemars::JsonSchema)]
pub struct DeclineBody {
    /// `failed`.
    pub status_code: ChargeStatus,
    /// Why, in the provider's terms: `insufficient_funds`.
    pub decline_code: String,
    /// In English, for the developer; the page shows its own text.
    pub message: String,
    /// Whether the same card may be tried again.
    pub retryable: bool,
}
