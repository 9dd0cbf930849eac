//! What a provider is asked for: a charge, its shopper and its card.

use protocol::{
    CaptureMethod, ChargeDescription, ChargeMode, KeptCard, MerchantPaymentReason, SaveCardUsage,
};
use rules::Brand;
use serde::{Deserialize, Serialize};
use vault::{Pan, SecurityCode};

use super::Authentication;

/// A charge for a provider.
#[derive(Debug)]
pub struct ProviderCharge {
    /// Our attempt, for the logs.
    pub attempt_id: String,
    /// The provider makes at most one payment per key, however often it is called.
    pub idempotency_key: String,
    /// Our charge.
    pub charge_id: String,
    /// A decimal string in the currency's major unit; "0" for a setup.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The charge's description, which the provider stores.
    pub description: ChargeDescription,
    /// Whether the money is taken now or held.
    pub capture: CaptureMethod,
    /// What the shopper's statement says besides the merchant's name, if the merchant chose it.
    pub statement_descriptor: Option<String>,
    /// What the merchant told of the shopper.
    pub billing: Billing,
    /// The card.
    pub card: ProviderCard,
    /// The data for 3-D Secure, in case the issuer requires it.
    pub authentication: Authentication,
    /// Set if the merchant pays without the shopper.
    pub merchant: Option<MerchantPayment>,
    /// What the shopper agreed to, if this payment saves the card.
    pub saved_for: Option<SaveCardUsage>,
    /// The customer for which the provider stores the card after the payment, if it stores the card.
    pub keep_for: Option<String>,
    /// The shopper, for a customer that the provider must make anew.
    pub shopper_id: String,
}

impl ProviderCharge {
    /// Whether the card is only saved, after the issuer has accepted it: no money is taken.
    pub fn is_setup(&self) -> bool {
        ChargeMode::of(&self.amount_value) == ChargeMode::Setup
    }
}

/// A payment that the merchant makes with a saved card, without the shopper
/// (docs/saving-cards.md#pay-without-the-shopper).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MerchantPayment {
    /// Why.
    pub reason: MerchantPaymentReason,
    /// The card network's id of the payment at which the shopper agreed.
    pub network_transaction_id: Option<String>,
    /// The provider's copy of the card.
    pub kept: Option<KeptCard>,
}

/// What the merchant told of the shopper. Issuers check some of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Billing {
    /// The zip code.
    pub zip_code: Option<String>,
    /// The email.
    pub email: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
}

/// The card that a provider gets.
#[derive(Debug)]
pub struct ProviderCard {
    /// The card number.
    pub number: Pan,
    /// The security code; only a payment without the shopper has none.
    pub security_code: Option<SecurityCode>,
    /// 1 to 12.
    pub expiration_month: u8,
    /// Four digits.
    pub expiration_year: u16,
    /// As typed, or empty.
    pub holder_name: String,
    /// The network that the shopper chose, if the number has two.
    pub network: Option<Brand>,
}

impl ProviderCard {
    /// The brand's name; empty if the brand is unknown.
    pub fn brand_name(&self) -> &'static str {
        Brand::detect(self.number.first_six()).map_or("", |brand| brand.row().name)
    }
}
