//! The experiments, and the variations that a shopper gets (docs/experiments.md#the-eight).

use rules::Brand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// The eight experiments, each on or off for this shopper (docs/experiments.md#the-eight).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub struct Features {
    /// Check the card number's Luhn digit.
    pub card_form_card_number_luhn_alg_validation: bool,
    /// Check the length of the security code.
    pub card_form_card_security_length_limit_validation: bool,
    /// Refuse expiry dates over 20 years ahead.
    pub card_form_card_expiry_date_limit_validation: bool,
    /// Collect device data.
    pub enable_ddc: bool,
    /// Show a message after a card was removed.
    pub enable_save_card_snackbar: bool,
    /// Offer to save cards and to pay with saved ones.
    pub enable_save_payment_methods: bool,
    /// Show the configured brands before one is detected.
    pub card_form_card_brand_icon_config: bool,
    /// The redesigned layout.
    #[serde(rename = "pop-646-card-form-ui-redesign")]
    pub pop_646_card_form_ui_redesign: bool,
}

impl Features {
    /// The features of a server without the operator's own features document: all on.
    pub const SHIPPED: Self = Self {
        card_form_card_number_luhn_alg_validation: true,
        card_form_card_security_length_limit_validation: true,
        card_form_card_expiry_date_limit_validation: true,
        enable_ddc: true,
        enable_save_card_snackbar: true,
        enable_save_payment_methods: true,
        card_form_card_brand_icon_config: true,
        pop_646_card_form_ui_redesign: true,
    };

    /// The names of the experiments.
    pub const NAMES: [&str; 8] = [
        "card-form-card-number-luhn-alg-validation",
        "card-form-card-security-length-limit-validation",
        "card-form-card-expiry-date-limit-validation",
        "enable-ddc",
        "enable-save-card-snackbar",
        "enable-save-payment-methods",
        "card-form-card-brand-icon-config",
        "pop-646-card-form-ui-redesign",
    ];

    /// These features with the values of `forced`. Unknown names are ignored.
    #[must_use]
    pub fn forced(mut self, forced: &BTreeMap<String, bool>) -> Self {
        for (name, on) in forced {
            self.set(name, *on);
        }
        self
    }

    /// Switches the experiment `name` on or off. An unknown name is ignored.
    pub fn set(&mut self, name: &str, on: bool) {
        let feature = match name {
            "card-form-card-number-luhn-alg-validation" => {
                &mut self.card_form_card_number_luhn_alg_validation
            }
            "card-form-card-security-length-limit-validation" => {
                &mut self.card_form_card_security_length_limit_validation
            }
            "card-form-card-expiry-date-limit-validation" => {
                &mut self.card_form_card_expiry_date_limit_validation
            }
            "enable-ddc" => &mut self.enable_ddc,
            "enable-save-card-snackbar" => &mut self.enable_save_card_snackbar,
            "enable-save-payment-methods" => &mut self.enable_save_payment_methods,
            "card-form-card-brand-icon-config" => &mut self.card_form_card_brand_icon_config,
            "pop-646-card-form-ui-redesign" => &mut self.pop_646_card_form_ui_redesign,
            _ => return,
        };
        *feature = on;
    }
}

/// The variation that a shopper has in an experiment. A feature that a rule switches has no variation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Assignment {
    /// The experiment's key; the feature's name if it has no key.
    pub experiment_id: String,
    /// The feature that the experiment decides: "enable-save-payment-methods".
    pub feature: String,
    /// Which variation, from 0.
    pub variation_id: u32,
    /// The variation's key; its number if it has no key.
    pub variation_key: String,
}

/// The answer of `GET /v1/pub/experiment-token`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ExperimentToken {
    /// A JWT signed with `EdDSA`. Its claims have the features that the form gives the shopper.
    pub token: String,
    /// The shopper's cookie id, for a page that has none to store.
    pub cookie_id: String,
    /// When the token expires, RFC 3339.
    pub expires_at: String,
}

/// The claims of an experiment token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExperimentTokenClaims {
    /// Who signed it: the service's experiments.
    pub iss: String,
    /// The shopper's cookie id.
    pub sub: String,
    /// Which experiments are on.
    pub features: Features,
    /// The experiments that the shopper takes part in.
    pub experiments: Vec<Assignment>,
    /// The brands that are shown before one is detected.
    pub available_brands: Vec<Brand>,
    /// Signed at, in seconds since 1970.
    pub iat: i64,
    /// Expires at, in seconds since 1970.
    pub exp: i64,
}
