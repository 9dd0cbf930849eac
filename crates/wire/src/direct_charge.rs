//! `POST /v1/pub/direct/charges`: a shopper's card for a charge, and the answer (specification, points 3 and 7).

use serde::{Deserialize, Serialize};

use crate::{ChargeStatus, Sensitive};

/// The direct charge request. Every field is required unless its type says otherwise.
#[derive(Debug, Deserialize, ts_rs::TS)]
pub struct DirectCharge {
    /// The charge to pay; must be the client secret's.
    pub charge_id: String,
    /// The merchant's code of what is bought.
    pub item_code: String,
    /// Its name.
    pub item_name: String,
    /// A decimal string; must be the client secret's.
    pub amount_value: String,
    /// ISO 4217; must be the client secret's.
    pub amount_currency: String,
    /// The merchant's own reference.
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
    #[ts(optional)]
    pub user_initiated: Option<bool>,
}

/// The browser that pays, as 3-D Secure and fraud prevention ask for it.
#[derive(Debug, Deserialize, ts_rs::TS)]
pub struct ShopperAgent {
    /// The client's address as the page looked it up, or empty.
    pub ip_address: String,
    /// `navigator.userAgent`.
    pub user_agent: String,
    /// Minutes to add to the browser's time to reach UTC: −480 in Singapore.
    pub timezone: i32,
    /// CSS pixels.
    pub screen_height: u32,
    /// CSS pixels.
    pub screen_width: u32,
    /// Bits per pixel.
    pub color_depth: u32,
    /// `text/html` ("§9").
    pub accept_header: String,
    /// From the fraud-prevention script.
    pub fraud_metadata: FraudMetadata,
    /// From device data collection; with a new card only.
    #[ts(optional)]
    pub device_metadata: Option<DeviceMetadata>,
}

/// What the fraud-prevention script found.
#[derive(Debug, Deserialize, ts_rs::TS)]
pub struct FraudMetadata {
    /// Its token, or empty without one.
    pub fraud_token: String,
}

/// What device data collection found.
#[derive(Debug, Deserialize, ts_rs::TS)]
pub struct DeviceMetadata {
    /// The session's id; null when the collection failed, which never stops a charge.
    pub session_id: Option<String>,
}

/// How the charge is to be made.
#[derive(Debug, Deserialize, ts_rs::TS)]
pub struct Setting {
    /// The page's language: "en".
    pub default_language: String,
    /// Card settings.
    pub card: CardSettings,
}

/// Card settings ("§9").
#[derive(Debug, Deserialize, ts_rs::TS)]
pub struct CardSettings {
    /// 0: captured at once.
    pub capture_grace_period: u32,
    /// Width and height in CSS pixels: "390x400".
    pub three_ds_challenge_window_size: String,
}

/// How the charge is taxed.
#[derive(Debug, Deserialize, ts_rs::TS)]
pub struct Tax {
    /// "CD010001" ("§9").
    pub tax_code: String,
}

/// The card: a new one has no `id`, a saved one is `{id, type, shopper_id, card: {security_code}}`.
#[derive(Debug, Deserialize, ts_rs::TS)]
pub struct PaymentMethod {
    /// A saved card's id.
    #[ts(optional)]
    pub id: Option<String>,
    /// `card`.
    #[serde(rename = "type")]
    pub kind: PaymentMethodType,
    /// Whose saved card it is.
    #[ts(optional)]
    pub shopper_id: Option<String>,
    /// What was typed.
    pub card: Card,
    /// Who pays, with a new card.
    #[ts(optional)]
    pub shopper: Option<Shopper>,
    /// Whether to save a new card once it has paid.
    #[ts(optional)]
    pub save_payment_method: Option<bool>,
}

/// The kinds of payment method there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum PaymentMethodType {
    /// A card ("§9").
    Card,
}

/// What was typed into the form. With a saved card just the security code.
#[derive(Debug, Deserialize, ts_rs::TS)]
pub struct Card {
    /// ISO 3166-1 alpha-2.
    #[ts(optional)]
    pub country_code: Option<String>,
    /// Digits without spaces.
    #[ts(optional)]
    pub number: Option<Sensitive>,
    /// As typed, empty when the form does not ask for it.
    #[ts(optional)]
    pub holder_name: Option<String>,
    /// Two digits.
    #[ts(optional)]
    pub expiration_month: Option<String>,
    /// Four digits.
    #[ts(optional)]
    pub expiration_year: Option<String>,
    /// Digits.
    pub security_code: Sensitive,
}

/// Who pays: by `id` alone when the intent has a shopper id, otherwise by the other three.
#[derive(Debug, Deserialize, ts_rs::TS)]
pub struct Shopper {
    /// The shopper's id in the vault.
    #[ts(optional)]
    pub id: Option<String>,
    /// The typed email, otherwise the intent's.
    #[ts(optional)]
    pub email: Option<String>,
    /// Empty when not known.
    #[ts(optional)]
    pub zip_code: Option<String>,
    /// The merchant's own id of the shopper.
    #[ts(optional)]
    pub partner_shopper_id: Option<String>,
}

/// Who sells, from the intent's custom data; each is null when absent there.
#[derive(Debug, Default, Deserialize, ts_rs::TS)]
pub struct PartnerCustomData {
    /// The merchant's id.
    pub merchant_id: Option<String>,
    /// The merchant's name.
    pub merchant_name: Option<String>,
    /// The merchant's email.
    pub merchant_email: Option<String>,
    /// The merchant's own id of the user.
    pub merchant_user_id: Option<String>,
    /// The mobile network operator's id.
    pub mno_id: Option<String>,
}

/// 201: the charge was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct DirectChargeAnswer {
    /// `succeeded`, `waiting_for_shopper_action`, `processing`, or `outcome_unknown` while the provider is being asked.
    pub status_code: ChargeStatus,
    /// What the shopper must do, with `waiting_for_shopper_action`.
    pub shopper_action: Option<ShopperAction>,
}

/// What the shopper must do before the charge goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ShopperAction {
    /// Visit `url` and come back.
    Redirect {
        /// Where to.
        url: String,
    },
    /// Pass the bank's 3-D Secure challenge, whose page at `url` is shown in a frame of this size.
    Challenge {
        /// The challenge's page.
        url: String,
        /// CSS pixels.
        width: u32,
        /// CSS pixels.
        height: u32,
    },
}

/// 402: the card was declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
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
