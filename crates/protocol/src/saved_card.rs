//! A shopper's saved cards on the page: the list, and the request to remove one (docs/calls.md#saved-cards).

use rules::Brand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::limits::NICKNAME_CHARACTERS_MAX;
use crate::patterns::{LOCALE, NAMED, TEXT_ID};
use crate::webhook_endpoint::given;

/// The longest page of the list.
pub const SAVED_CARDS_PAGE_SIZE_MAX: u32 = 50;
/// The page size if the request names none (docs/calls.md#saved-cards).
pub const SAVED_CARDS_PAGE_SIZE: u32 = 5;

/// For which payments a shopper lets the merchant keep the card (docs/saving-cards.md#what-the-shopper-agrees-to).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SaveCardUsage {
    /// Payments at which the shopper is present.
    #[default]
    OnSession,
    /// Also payments that the merchant makes without the shopper.
    OffSession,
}

impl SaveCardUsage {
    /// The value in a charge intent: empty for most charges, so that their payloads stay short.
    pub fn in_intent(self) -> String {
        match self {
            Self::OnSession => String::new(),
            Self::OffSession => self.as_str().to_owned(),
        }
    }

    /// The key of the form's text that asks the shopper for this usage (docs/texts.md#keys).
    pub fn text_id(self) -> &'static str {
        match self {
            Self::OnSession => "save_card",
            Self::OffSession => "save_card_off_session",
        }
    }
}

/// Which text of the checkbox the shopper agreed to (docs/calls.md#direct-charge).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema, TS)]
pub struct ShownAgreement {
    /// The key of the text; with `own_` before it if the merchant's page replaced the words.
    #[schemars(pattern(TEXT_ID))]
    pub text_id: String,
    /// The locale of the text: "de-DE".
    #[schemars(pattern(LOCALE))]
    pub locale: String,
}

/// `GET /v1/pub/shoppers/{shopper_id}/payment-methods`: a page of the shopper's cards: the default one, then the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SavedCardList {
    /// Empty when there are no more.
    pub items: Vec<SavedCardItem>,
}

/// One entry of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SavedCardItem {
    /// The card.
    pub card: SavedCard,
}

/// The parts of a saved card that may be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SavedCard {
    /// The card's own id: `card_…`.
    pub id: String,
    /// The id that a charge or a removal names: `pm_…`.
    pub payment_method_id: String,
    /// The first six digits.
    pub first_six: String,
    /// The last four digits.
    pub last_four: String,
    /// The brand of its number; null if the first four digits show none (docs/rules.md#brand-detection).
    #[ts(type = "BrandName | null")]
    pub brand: Option<Brand>,
    /// The networks of its number: two if the shopper can choose; empty if they are unknown (docs/rules.md#card-networks).
    #[serde(default)]
    #[ts(type = "BrandName[]")]
    pub networks: Vec<Brand>,
    /// The network that the shopper chose last.
    #[serde(default)]
    #[ts(type = "BrandName | null")]
    pub network: Option<Brand>,
    /// Two digits.
    pub expiration_month: String,
    /// Four digits. The card may have expired.
    pub expiration_year: String,
    /// The shopper's name for it.
    #[serde(default)]
    pub nickname: Option<String>,
    /// Whether the form selects it first.
    #[serde(default)]
    pub default: bool,
}

/// `DELETE /v1/pub/payment-methods/{payment_method_id}`: the shopper who removes the card.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, TS)]
pub struct RemoveSavedCard {
    /// Must be the client secret's shopper.
    pub shopper_id: String,
}

/// A saved card for its merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MerchantCard {
    /// The card's id, its `payment_method_id`: `pm_…`.
    pub id: String,
    /// The merchant's shopper.
    pub shopper_id: String,
    /// The brand of its number; null if the first four digits show none.
    pub brand: Option<Brand>,
    /// The networks of its number; empty if they are unknown (docs/rules.md#card-networks).
    #[serde(default)]
    pub networks: Vec<Brand>,
    /// The network that the shopper chose last.
    #[serde(default)]
    pub network: Option<Brand>,
    /// The first six digits.
    pub first_six: String,
    /// The last four digits.
    pub last_four: String,
    /// Two digits.
    pub expiration_month: String,
    /// Four digits. The card may have expired.
    pub expiration_year: String,
    /// The shopper's name for it.
    pub nickname: Option<String>,
    /// Whether the form selects it first.
    pub default: bool,
    /// What the shopper agreed to; null for a card that an earlier version saved.
    pub agreement: Option<AgreementView>,
    /// The card network's id of the payment at which the shopper agreed, if the provider told it.
    pub network_transaction_id: Option<String>,
    /// When it was saved last, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub saved_at: String,
}

/// What a shopper agreed to when a card was saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgreementView {
    /// For which payments the card is kept.
    pub usage: SaveCardUsage,
    /// When, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub accepted_at: String,
    /// The key of the text that the shopper read, if the page told it.
    pub text_id: Option<String>,
    /// The locale of the text.
    pub locale: Option<String>,
}

/// `GET /v1/shoppers/{shopper_id}/payment-methods`: a page of a shopper's cards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MerchantCardList {
    /// Empty when there are no more.
    pub items: Vec<MerchantCard>,
}

/// `DELETE /v1/shoppers/{shopper_id}`: what was erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErasedShopper {
    /// How many saved cards were removed.
    pub payment_methods: u64,
    /// How many charges do not name the shopper any more.
    pub charges: u64,
}

/// `POST /v1/payment-methods/{id}`, and the same for the shopper's page: an absent field changes nothing.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeSavedCard {
    /// The shopper's name for the card; null for none.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", length(max = NICKNAME_CHARACTERS_MAX), pattern(NAMED))]
    pub nickname: Option<Option<String>>,
    /// True to make it the shopper's only default card; false to end that.
    pub default: Option<bool>,
}

#[cfg(test)]
mod tests;
