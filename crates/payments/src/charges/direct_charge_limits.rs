//! How long each text of a direct charge may be. The number and the security code have rules of their own.

use protocol::DirectCharge;
use protocol::limits::{
    BROWSER_TEXT_CHARACTERS_MAX, CUSTOM_DATA_BYTES_MAX, EMAIL_CHARACTERS_MAX, TEXT_CHARACTERS_MAX,
};

use super::charge_rules::not_too_long;
use web::api_error::ApiError;

/// Refuses a text that is too long, with a 400 that names its field. Texts that must equal a claim of the client
/// secret need no limit.
pub fn within_limits(body: &DirectCharge) -> Result<(), ApiError> {
    sale(body)?;
    browser(body)?;
    method(body)
}

fn sale(body: &DirectCharge) -> Result<(), ApiError> {
    for (field, text) in [
        ("item_code", &body.item_code),
        ("item_name", &body.item_name),
        ("partner_reference", &body.partner_reference),
        ("tax.tax_code", &body.tax.tax_code),
        ("setting.default_language", &body.setting.default_language),
    ] {
        not_too_long(field, text, TEXT_CHARACTERS_MAX)?;
    }
    let seller = &body.partner_custom_data;
    for (field, text) in [
        ("partner_custom_data.merchant_id", &seller.merchant_id),
        ("partner_custom_data.merchant_name", &seller.merchant_name),
        ("partner_custom_data.merchant_email", &seller.merchant_email),
        ("partner_custom_data.merchant_user_id", &seller.merchant_user_id),
        ("partner_custom_data.mno_id", &seller.mno_id),
    ] {
        optional(field, text.as_deref(), CUSTOM_DATA_BYTES_MAX)?;
    }
    Ok(())
}

fn browser(body: &DirectCharge) -> Result<(), ApiError> {
    let agent = &body.shopper_agent;
    for (field, text, characters_max) in [
        ("shopper_agent.ip_address", &agent.ip_address, TEXT_CHARACTERS_MAX),
        (
            "shopper_agent.user_agent",
            &agent.user_agent,
            BROWSER_TEXT_CHARACTERS_MAX,
        ),
        (
            "shopper_agent.accept_header",
            &agent.accept_header,
            BROWSER_TEXT_CHARACTERS_MAX,
        ),
        (
            "shopper_agent.fraud_metadata.fraud_token",
            &agent.fraud_metadata.fraud_token,
            BROWSER_TEXT_CHARACTERS_MAX,
        ),
    ] {
        not_too_long(field, text, characters_max)?;
    }
    Ok(())
}

fn method(body: &DirectCharge) -> Result<(), ApiError> {
    let method = &body.payment_method;
    optional("payment_method.id", method.id.as_deref(), TEXT_CHARACTERS_MAX)?;
    optional(
        "payment_method.card.holder_name",
        method.card.holder_name.as_deref(),
        TEXT_CHARACTERS_MAX,
    )?;
    let Some(shopper) = &method.shopper else {
        return Ok(());
    };
    for (field, text, characters_max) in [
        (
            "payment_method.shopper.email",
            &shopper.email,
            EMAIL_CHARACTERS_MAX,
        ),
        (
            "payment_method.shopper.zip_code",
            &shopper.zip_code,
            TEXT_CHARACTERS_MAX,
        ),
        (
            "payment_method.shopper.partner_shopper_id",
            &shopper.partner_shopper_id,
            TEXT_CHARACTERS_MAX,
        ),
    ] {
        optional(field, text.as_deref(), characters_max)?;
    }
    Ok(())
}

fn optional(field: &'static str, text: Option<&str>, characters_max: usize) -> Result<(), ApiError> {
    not_too_long(field, text.unwrap_or_default(), characters_max)
}
