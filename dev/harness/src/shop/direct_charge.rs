//! The body of a press of the pay button, as the page builds it (docs/calls.md#direct-charge).

use serde_json::{Value, json};

use crate::shop::{AMOUNT, CreatedTrialCharge};

/// What a shopper pays with.
#[derive(Debug, Clone)]
pub enum CardToPay<'a> {
    /// A card that is typed in.
    New {
        /// Its number.
        number: &'a str,
        /// Whether to save it.
        save: bool,
    },
    /// A saved card, by its id.
    Saved(&'a str),
}

/// The direct charge of this card.
pub fn direct_charge(charge: &CreatedTrialCharge, card: &CardToPay<'_>) -> Value {
    let (_, amount_currency) = AMOUNT;
    json!({
        "charge_id": charge.id, "item_code": "gems-100", "item_name": "100 gems",
        "amount_value": charge.amount_value, "amount_currency": amount_currency, "partner_reference": charge.reference,
        "shopper_agent": {
            "ip_address": "", "user_agent": "trial", "timezone": 0, "screen_height": 800, "screen_width": 400,
            "color_depth": 24, "accept_header": "text/html", "fraud_metadata": {"fraud_token": ""},
            "device_metadata": {"session_id": null},
        },
        "setting": {
            "default_language": "en",
            "card": {"capture_grace_period": 0, "three_ds_challenge_window_size": "390x400"},
        },
        "tax": {"tax_code": "CD010001"},
        "user_initiated": matches!(card, CardToPay::Saved(_)).then_some(true),
        "payment_method": payment_method(charge, card),
        "partner_custom_data": {
            "merchant_id": null, "merchant_name": null, "merchant_email": null, "merchant_user_id": null,
            "mno_id": null,
        },
    })
}

fn payment_method(charge: &CreatedTrialCharge, card: &CardToPay<'_>) -> Value {
    let (number, save) = match card {
        CardToPay::Saved(id) => {
            return json!({
                "id": id, "type": "card", "shopper_id": charge.shopper_id, "card": {"security_code": "123"},
            });
        }
        CardToPay::New { number, save } => (number, save),
    };
    let shopper = if charge.shopper_id.is_empty() {
        json!({"partner_shopper_id": "", "zip_code": "", "email": "sam@example.com"})
    } else {
        json!({"id": charge.shopper_id})
    };
    json!({
        "type": "card", "save_payment_method": save,
        "card": {
            "country_code": "US", "number": number, "holder_name": "Ana", "expiration_month": "12",
            "expiration_year": "2035", "security_code": "123",
        },
        "shopper": shopper,
    })
}
