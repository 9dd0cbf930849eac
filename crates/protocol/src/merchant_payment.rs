//! `POST /v1/charges/{id}/pay`: a merchant pays a charge with a saved card, without the shopper
//! (docs/saving-cards.md#pay-without-the-shopper).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::TEXT_CHARACTERS_MAX;
use crate::patterns::NAMED;

/// The saved card to pay with, and why the merchant pays without the shopper.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PayCharge {
    /// A saved card of the charge's shopper: `pm_…`.
    #[schemars(length(max = TEXT_CHARACTERS_MAX), pattern(NAMED))]
    pub payment_method_id: String,
    /// `merchant`.
    pub initiated_by: PaymentInitiator,
    /// Why the merchant pays without the shopper.
    pub reason: MerchantPaymentReason,
}

/// Who starts a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentInitiator {
    /// The merchant, without the shopper.
    Merchant,
}

/// Why a merchant pays without the shopper, in the words of the card networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum MerchantPaymentReason {
    /// A subscription: payments in equal intervals.
    Recurring,
    /// A payment whose time is not fixed, such as a top-up.
    Unscheduled,
    /// One of several parts of a purchase.
    Installment,
}
