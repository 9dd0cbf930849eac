//! The shapes of a charge for the merchant's server and for the shopper's page (docs/merchant-api.md).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;
use ts_rs::TS;

use crate::clock::rfc3339;
use crate::limits::{
    CAPTURE_AFTER_HOURS_MAX, EMAIL_CHARACTERS_MAX, METADATA_ENTRIES_MAX, TEXT_CHARACTERS_MAX, URL_BYTES_MAX,
};
use crate::patterns::{
    AMOUNT, COUNTRY, CURRENCY, NAMED, PLAIN, STATEMENT, WEB, bounded_metadata, fields_of_charges_depend,
};
use crate::{
    CaptureMethod, DisputeStatus, OperationStatus, SaveCardUsage, ScaExemption, ShopperAction, ThreeDsRequest,
};

/// The status of a charge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
#[derive(Hash, strum::IntoStaticStr, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ChargeStatus {
    /// The charge waits for a card.
    #[default]
    Created,
    /// A card is at the provider.
    Processing,
    /// The shopper must do something first: a 3-D Secure challenge.
    WaitingForShopperAction,
    /// The issuer holds the money until the merchant captures it or releases it.
    Authorized,
    /// Paid. Never changes any more; a refund is an object of its own.
    Succeeded,
    /// The last card was declined. The shopper may try another card.
    Failed,
    /// The provider's answer was lost. No shopper can pay the charge until the service knows the outcome.
    OutcomeUnknown,
    /// The merchant canceled the charge.
    Canceled,
    /// The charge was not paid in time.
    Expired,
}

/// What a charge is for (docs/saving-cards.md#save-a-card-without-a-payment).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChargeMode {
    /// It takes or holds money.
    #[default]
    Payment,
    /// It saves the shopper's card and takes nothing.
    Setup,
}

pub use rules::amount::SETUP_AMOUNT;

impl ChargeMode {
    /// The mode of a charge of this amount.
    pub fn of(amount_value: &str) -> Self {
        if amount_value == SETUP_AMOUNT {
            Self::Setup
        } else {
            Self::Payment
        }
    }
}

impl ChargeStatus {
    /// Every status.
    pub const ALL: &[Self] = Self::VARIANTS;
}

/// `POST /v1/charges`: the charge that the merchant creates. Item, amount, currency and reference are required.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
#[schemars(transform = fields_of_charges_depend)]
pub struct CreateCharge {
    /// The merchant's code of the item.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED), example = &"gems-100")]
    pub item_code: String,
    /// The item's name, which the shopper reads.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED), example = &"100 gems")]
    pub item_name: String,
    /// A decimal string in the currency's major unit: "12.50"; "0" for a setup.
    #[schemars(pattern(AMOUNT), example = &"12.50")]
    pub amount_value: String,
    /// ISO 4217: "USD".
    #[schemars(pattern(CURRENCY), example = &"USD")]
    pub amount_currency: String,
    /// The merchant's own reference of the order.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED), example = &"order-17")]
    pub partner_reference: String,
    /// The merchant's own id of the shopper.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(PLAIN))]
    pub partner_shopper_id: Option<String>,
    /// ISO 3166-1 alpha-2; "US" if absent.
    #[schemars(pattern(COUNTRY))]
    pub payment_method_country_code: Option<String>,
    /// A JSON object as text, of at most 4096 bytes.
    #[schemars(
            example = &r#"{"merchant_id":"m-1"}"#,
            extend("contentMediaType" = "application/json", "contentSchema" = {"type": "object"})
        )]
    pub partner_custom_data: Option<String>,
    /// The shopper's id in the vault. Only with an id can cards be saved and offered.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(PLAIN))]
    pub shopper_id: Option<String>,
    /// The shopper's email, if the merchant knows it.
    #[schemars(length(max = EMAIL_CHARACTERS_MAX), pattern(PLAIN))]
    pub shopper_email: Option<String>,
    /// The shopper's zip code.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(PLAIN))]
    pub zip_code: Option<String>,
    /// Whether the shopper started this charge; true if absent.
    pub user_initiated: Option<bool>,
    /// Whether the shopper may save the card.
    pub enable_save_payment_method: Option<bool>,
    /// Whether saved cards are offered.
    pub display_saved_payment_method_list: Option<bool>,
    /// Whether this charge's cards are eligible for saving.
    pub eligible_save_payment_methods: Option<bool>,
    /// What the shopper agrees to when the card is saved: `on_session`, by default, or `off_session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save_card_usage: Option<SaveCardUsage>,
    /// `payment`, by default, or `setup`, which saves the card of a shopper without a payment. A setup has the
    /// `amount_value` "0" and needs a `shopper_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ChargeMode>,
    /// Where the standalone page leads back to; `https:` or, for tests on one machine, `http:`.
    #[schemars(length(max = URL_BYTES_MAX), pattern(WEB))]
    pub return_url: Option<String>,
    /// Where the standalone page leads a shopper who does not want to pay; like `return_url`.
    // Left out if absent, so that the body of an older client has the same hash as before this field existed.
    // Idempotency keys compare the hashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = URL_BYTES_MAX), pattern(WEB))]
    pub cancel_url: Option<String>,
    /// `automatic`, by default, takes the money when the shopper pays; `manual` only holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture_method: Option<CaptureMethod>,
    /// Only with `manual`: the service captures the hold by itself after so many hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = CAPTURE_AFTER_HOURS_MAX))]
    pub capture_after_hours: Option<i64>,
    /// Names and texts of the merchant's own, which every answer and event has again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = METADATA_ENTRIES_MAX), transform = bounded_metadata, example = &serde_json::json!({"floor": "3"}))]
    pub metadata: Option<Metadata>,
    /// What the shopper's statement shows besides the merchant's name: 5 to 22 Latin letters, digits and signs, at least one
    /// of them a letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(pattern(STATEMENT), example = &"ORDER 17")]
    pub statement_descriptor: Option<String>,
    /// `automatic`, by default, leaves 3-D Secure to bank and provider; `challenge` asks for the bank's challenge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub three_ds: Option<ThreeDsRequest>,
    /// Asks the bank to leave the challenge out. Not with `three_ds` `challenge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exemption: Option<ScaExemption>,
}

/// Names and texts of the merchant's own.
pub type Metadata = BTreeMap<String, String>;

/// `POST /v1/charges/{id}`: changes a charge that is not being paid. An absent field changes nothing.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeCharge {
    /// The merchant's code of the item.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED))]
    pub item_code: Option<String>,
    /// The item's name, which the shopper reads.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED))]
    pub item_name: Option<String>,
    /// A decimal string in the currency's major unit: "12.50".
    #[schemars(pattern(AMOUNT), example = &"15.00")]
    pub amount_value: Option<String>,
    /// ISO 4217: "USD".
    #[schemars(pattern(CURRENCY))]
    pub amount_currency: Option<String>,
}

/// The answer to `POST /v1/charges`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, TS)]
pub struct CreatedCharge {
    /// The charge's id.
    pub id: String,
    /// `created`.
    pub status: ChargeStatus,
    /// The charge intent for `?payload=`.
    pub payload: String,
    /// The bearer token for the page. Give it only to the shopper's page.
    pub client_secret: String,
    /// The address of this charge's payment page. It can be sent by e-mail: it lives as long as the charge.
    pub url: String,
    /// When the client secret expires, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub expires_at: String,
}

/// The answer to `POST /v1/pub/charges/{charge_id}/client-secret`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, TS)]
pub struct OpenedLink {
    /// The bearer token for the page.
    pub client_secret: String,
    /// When it expires, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub expires_at: String,
}

/// The charge for the merchant: `GET /v1/charges/{id}` and the data of every event. What a provider does not tell is null.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ChargeView {
    /// The charge's id.
    pub id: String,
    /// The charge's status.
    pub status: ChargeStatus,
    /// The merchant's code of the item.
    pub item_code: String,
    /// The item's name.
    pub item_name: String,
    /// Whether it takes money, or saves a card without a payment.
    pub mode: ChargeMode,
    /// A decimal string.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// When the money is taken.
    pub capture_method: CaptureMethod,
    /// What the issuer holds and the merchant can capture, a decimal string.
    pub amount_capturable: String,
    /// What was taken, refunded parts included, a decimal string.
    pub amount_captured: String,
    /// What was given back, a decimal string. Refunds under way do not count yet.
    pub amount_refunded: String,
    /// When the hold ends by itself, RFC 3339; null if the provider does not tell it, or if nothing is held.
    #[schemars(extend("format" = "date-time"))]
    pub capture_before: Option<String>,
    /// When the card was accepted, RFC 3339; null before, and for payments of earlier versions.
    #[schemars(extend("format" = "date-time"))]
    pub paid_at: Option<String>,
    /// The merchant's own reference.
    pub partner_reference: String,
    /// The shopper's id in the vault; null for a guest.
    pub shopper_id: Option<String>,
    /// The merchant's own names and texts.
    pub metadata: Metadata,
    /// The card that paid.
    pub paid_with: Option<PaidWith>,
    /// The payment at the provider.
    pub provider: Option<ProviderView>,
    /// Why the last card was declined, while `failed`.
    pub decline_code: Option<String>,
    /// The same with what to do about it.
    pub decline: Option<DeclineView>,
    /// The charge's refunds, the oldest first.
    pub refunds: Vec<RefundSummary>,
    /// The dispute of the payment, if the shopper's bank has opened one.
    pub dispute: Option<DisputeView>,
    /// Created at, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
    /// Changed at, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub updated_at: String,
}

impl ChargeView {
    /// An unpaid charge without a name and a price, made at `now_ms`, in unix milliseconds.
    pub fn example(now_ms: i64) -> Self {
        Self {
            amount_value: "0.00".to_owned(),
            amount_currency: "USD".to_owned(),
            amount_capturable: "0.00".to_owned(),
            amount_captured: "0.00".to_owned(),
            amount_refunded: "0.00".to_owned(),
            created_at: rfc3339(now_ms),
            updated_at: rfc3339(now_ms),
            ..Self::default()
        }
    }
}

/// The card that paid a charge, for its merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct PaidWith {
    /// The brand's name: "visa"; empty if the brand is unknown.
    pub brand: String,
    /// The number's last four digits.
    pub last_four: String,
    /// The number's first six digits.
    pub first_six: Option<String>,
    /// "01" to "12".
    pub expiration_month: Option<String>,
    /// Four digits.
    pub expiration_year: Option<String>,
    /// `credit`, `debit` or `prepaid`.
    pub funding: Option<String>,
    /// The issuer's country, ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// The card network that carried the payment: "cb". It can differ from `brand` if the card has two networks; null if the
    /// provider does not tell it.
    pub network: Option<String>,
    /// The saved card that paid.
    pub payment_method_id: Option<String>,
    /// What the issuer checked.
    pub checks: CardChecks,
    /// The result of 3-D Secure; null without it.
    pub three_ds: Option<ThreeDsResult>,
}

/// What the issuer checked: `pass`, `fail`, `unavailable` or `unchecked`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct CardChecks {
    /// The security code.
    pub security_code: Option<String>,
    /// The postal code.
    pub postal_code: Option<String>,
}

/// The result of 3-D Secure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ThreeDsResult {
    /// `authenticated`, `attempt_acknowledged` and others of the provider's words.
    pub outcome: String,
    /// `challenge` or `frictionless`.
    pub flow: Option<String>,
}

/// The payment at the provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ProviderView {
    /// `stripe` or `simulator`.
    pub name: String,
    /// The provider's reference of the payment.
    pub reference: Option<String>,
    /// The card network's id of the payment.
    pub network_transaction_id: Option<String>,
}

/// Why a card was declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DeclineView {
    /// The code (docs/merchant-api.md#declines).
    pub code: String,
    /// `try_again_later`, `confirm_card_data` or `do_not_try_again`.
    pub advice: String,
    /// The card network's own code.
    pub network_code: Option<String>,
    /// When the merchant may try this card again without the shopper, RFC 3339; null unless the merchant paid and the advice is
    /// `try_again_later`.
    #[schemars(extend("format" = "date-time"))]
    pub retry_not_before: Option<String>,
}

/// A refund in its charge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct RefundSummary {
    /// The refund's id.
    pub id: String,
    /// The refund's status.
    pub status: OperationStatus,
    /// A decimal string.
    pub amount_value: String,
}

/// A dispute: the shopper's bank asks the payment back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DisputeView {
    /// `open`, `won` or `lost`.
    pub status: DisputeStatus,
    /// A decimal string.
    pub amount_value: String,
    /// The network's reason, in the provider's words.
    pub reason: Option<String>,
    /// Until when the merchant can answer, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub respond_before: Option<String>,
}

/// The charge for the shopper's page: `GET /v1/pub/charges/{charge_id}`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, TS)]
pub struct ShopperCharge {
    /// The charge's id.
    pub id: String,
    /// The charge's status.
    pub status: ChargeStatus,
    /// Why the last card was declined, while `failed`; a reason that the shopper must not learn is `generic_decline`.
    pub decline_code: Option<String>,
    /// The merchant's page after the payment.
    pub return_url: Option<String>,
    /// The merchant's page for a shopper who does not want to pay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_url: Option<String>,
    /// The card that paid, while `succeeded`; absent if an earlier version, which did not record the card, took the
    /// payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid_with: Option<PaidCard>,
    /// The action that the charge waits for, while `waiting_for_shopper_action`.
    pub shopper_action: Option<ShopperAction>,
}

/// The parts of a card that a receipt shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct PaidCard {
    /// The brand's name: "visa"; empty if the brand is unknown.
    pub brand: String,
    /// The number's last four digits.
    pub last_four: String,
}
