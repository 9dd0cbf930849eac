//! `POST /v1/pub/direct/charges`: a shopper's card for a charge, and the answer (docs/calls.md#direct-charge).

use rules::Brand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::limits::{
    BROWSER_TEXT_CHARACTERS_MAX, CUSTOM_DATA_BYTES_MAX, EMAIL_CHARACTERS_MAX, SEALED_CARD_CHARACTERS_MAX,
    TEXT_CHARACTERS_MAX,
};
use crate::patterns::{COUNTRY, WINDOW};
use crate::whole_number::whole_number;
use crate::{ChargeStatus, Sensitive, ShopperAction, ShownAgreement};

/// The direct charge request. A field is required unless its type is an `Option`.
#[derive(Debug, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct DirectCharge {
    /// The charge to pay; must be the client secret's.
    pub charge_id: String,
    /// The merchant's code of the item.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub item_code: String,
    /// The item's name.
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
    /// The settings of the charge.
    pub setting: Setting,
    /// The tax of the charge.
    pub tax: Tax,
    /// The card, new or saved.
    pub payment_method: PaymentMethod,
    /// The seller.
    pub partner_custom_data: PartnerCustomData,
    /// Whether the shopper started the charge; sent with a saved card only.
    pub user_initiated: Option<bool>,
}

/// The browser that pays, for 3-D Secure and fraud prevention.
#[derive(Debug, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct ShopperAgent {
    /// The client's address, which the page looked up, or empty.
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
    pub device_metadata: Option<DeviceMetadata>,
}

/// The result of the fraud-prevention script.
#[derive(Debug, Deserialize, JsonSchema, TS)]
pub struct FraudMetadata {
    /// The script's token, or empty.
    #[schemars(length(max = BROWSER_TEXT_CHARACTERS_MAX))]
    pub fraud_token: String,
}

/// The result of device data collection.
#[derive(Debug, Deserialize, JsonSchema, TS)]
pub struct DeviceMetadata {
    /// The session's id; null if the collection failed, which never stops a charge.
    #[schemars(length(min = 1, max = TEXT_CHARACTERS_MAX), pattern("^[!-~]+$"))]
    pub session_id: Option<String>,
}

/// The settings of the charge.
#[derive(Debug, Deserialize, JsonSchema, TS)]
pub struct Setting {
    /// The page's language: "en".
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub default_language: String,
    /// Card settings.
    pub card: CardSettings,
}

/// Card settings (docs/calls.md#fixed-values).
#[derive(Debug, Deserialize, JsonSchema, TS)]
pub struct CardSettings {
    /// 0: captured at once.
    #[serde(deserialize_with = "whole_number")]
    pub capture_grace_period: u32,
    /// Width and height in CSS pixels: "390x400".
    #[schemars(pattern(WINDOW))]
    pub three_ds_challenge_window_size: String,
}

/// The tax of the charge.
#[derive(Debug, Deserialize, JsonSchema, TS)]
pub struct Tax {
    /// "CD010001" (docs/calls.md#fixed-values).
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub tax_code: String,
}

/// The card: a new one has no `id`, a saved one is `{id, type, shopper_id, card: {security_code}}`.
#[derive(Debug, Deserialize, JsonSchema, TS)]
// Inside `allOf`, because client generators read an `anyOf` beside `properties` as another type, not as a condition.
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
#[ts(optional_fields)]
pub struct PaymentMethod {
    /// A saved card's id.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub id: Option<String>,
    /// `card`.
    #[serde(rename = "type")]
    pub kind: PaymentMethodType,
    /// The shopper of the saved card.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub shopper_id: Option<String>,
    /// The typed card data.
    pub card: Card,
    /// The shopper, with a new card.
    pub shopper: Option<Shopper>,
    /// Whether to save a new card after it has paid.
    pub save_payment_method: Option<bool>,
    /// With a card to save: which text the shopper agreed to.
    pub agreement: Option<ShownAgreement>,
}

/// The kind of a payment method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum PaymentMethodType {
    /// A card.
    Card,
}

/// The typed card data. With a saved card only the security code.
#[derive(Debug, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct Card {
    /// ISO 3166-1 alpha-2.
    #[schemars(pattern(COUNTRY))]
    pub country_code: Option<String>,
    /// Digits without spaces; absent if the number is sealed.
    #[schemars(pattern("^[0-9]{12,19}$"))]
    pub number: Option<Sensitive>,
    /// As typed; empty if the form does not ask for the name.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub holder_name: Option<String>,
    /// Two digits.
    #[schemars(pattern("^(0[1-9]|1[0-2])$"))]
    pub expiration_month: Option<String>,
    /// Four digits.
    #[schemars(pattern("^[0-9]{4}$"))]
    pub expiration_year: Option<String>,
    /// Digits; absent if the security code is sealed.
    #[schemars(pattern("^[0-9]{3,4}$"))]
    pub security_code: Option<Sensitive>,
    /// The sealed number and security code, instead of the two fields (docs/sealed-cards.md): a compact JWE with
    /// ECDH-ES over P-256 and A256GCM for the key of `GET /v1/pub/card-key`.
    #[schemars(length(max = SEALED_CARD_CHARACTERS_MAX))]
    pub sealed: Option<String>,
    /// The network that the shopper chose, if the number has two (docs/rules.md#card-networks).
    #[ts(optional, type = "BrandName")]
    pub network: Option<Brand>,
}

/// `GET /v1/pub/card-key`: the key that pages seal card fields with, as a JSON Web Key. A page of this service already
/// contains the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
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

/// The shopper: only `id` and a typed `zip_code` if the intent has a shopper id, otherwise the other three fields.
#[derive(Debug, Deserialize, JsonSchema, TS)]
#[ts(optional_fields)]
pub struct Shopper {
    /// The shopper's id in the vault.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub id: Option<String>,
    /// The typed email, otherwise the intent's.
    #[schemars(length(max = EMAIL_CHARACTERS_MAX))]
    pub email: Option<String>,
    /// The typed postal code, which must pass its rule (docs/rules.md#postal-code); otherwise the intent's, empty if
    /// unknown.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub zip_code: Option<String>,
    /// The merchant's own id of the shopper.
    #[schemars(length(max = TEXT_CHARACTERS_MAX))]
    pub partner_shopper_id: Option<String>,
}

/// The seller, from the intent's custom data; a field that is absent there is null.
#[derive(Debug, Default, Deserialize, JsonSchema, TS)]
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

/// 201: the charge was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DirectChargeAnswer {
    /// `succeeded`, `waiting_for_shopper_action`, `processing`, or `outcome_unknown` while the provider is being asked.
    pub status_code: ChargeStatus,
    /// The action that the charge waits for, with `waiting_for_shopper_action`.
    pub shopper_action: Option<ShopperAction>,
}

/// 402: the card was declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DeclineBody {
    /// `failed`.
    pub status_code: ChargeStatus,
    /// The provider's reason: `insufficient_funds`.
    pub decline_code: String,
    /// In English, for the developer; the page shows its own text.
    pub message: String,
    /// Whether the same card may be tried again.
    pub retryable: bool,
}
