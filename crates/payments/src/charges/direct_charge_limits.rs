//! How long each text of a direct charge may be, and that ids and names have no control characters. The number and the
//! security code have rules of their own.

use protocol::DirectCharge;
use protocol::limits::{
    BROWSER_TEXT_CHARACTERS_MAX, CUSTOM_DATA_BYTES_MAX, EMAIL_CHARACTERS_MAX, TEXT_CHARACTERS_MAX,
};

use super::charge_rules::not_too_long;
use web::ApiError;

/// A field of the request and its text.
type FieldText<'a> = (&'static str, Option<&'a String>);

/// Refuses a text that is too long or has control characters, with a 400 that names its field. Texts that must equal a
/// claim of the client secret need no limit.
pub fn within_limits(body: &DirectCharge) -> Result<(), ApiError> {
    let (seller, agent) = (&body.partner_custom_data, &body.shopper_agent);
    let method = &body.payment_method;
    let shopper = method.shopper.as_ref();
    let email = shopper.and_then(|shopper| shopper.email.as_ref());
    let zip_code = shopper.and_then(|shopper| shopper.zip_code.as_ref());
    let partner_shopper_id = shopper.and_then(|shopper| shopper.partner_shopper_id.as_ref());
    let fraud_token = Some(&agent.fraud_metadata.fraud_token);
    check(
        TEXT_CHARACTERS_MAX,
        &[
            ("item_code", Some(&body.item_code)),
            ("item_name", Some(&body.item_name)),
            ("partner_reference", Some(&body.partner_reference)),
            ("tax.tax_code", Some(&body.tax.tax_code)),
            ("setting.default_language", Some(&body.setting.default_language)),
            ("shopper_agent.ip_address", Some(&agent.ip_address)),
            ("payment_method.id", method.id.as_ref()),
            (
                "payment_method.card.holder_name",
                method.card.holder_name.as_ref(),
            ),
            ("payment_method.shopper.zip_code", zip_code),
            ("payment_method.shopper.partner_shopper_id", partner_shopper_id),
        ],
    )?;
    check(EMAIL_CHARACTERS_MAX, &[("payment_method.shopper.email", email)])?;
    check(
        CUSTOM_DATA_BYTES_MAX,
        &[
            ("partner_custom_data.merchant_id", seller.merchant_id.as_ref()),
            ("partner_custom_data.merchant_name", seller.merchant_name.as_ref()),
            (
                "partner_custom_data.merchant_email",
                seller.merchant_email.as_ref(),
            ),
            (
                "partner_custom_data.merchant_user_id",
                seller.merchant_user_id.as_ref(),
            ),
            ("partner_custom_data.mno_id", seller.mno_id.as_ref()),
        ],
    )?;
    check(
        BROWSER_TEXT_CHARACTERS_MAX,
        &[
            ("shopper_agent.user_agent", Some(&agent.user_agent)),
            ("shopper_agent.accept_header", Some(&agent.accept_header)),
            ("shopper_agent.fraud_metadata.fraud_token", fraud_token),
        ],
    )
}

fn check(characters_max: usize, texts: &[FieldText<'_>]) -> Result<(), ApiError> {
    for (field, text) in texts {
        if let Some(text) = text {
            if characters_max <= EMAIL_CHARACTERS_MAX && text.chars().any(char::is_control) {
                return Err(ApiError::invalid(
                    *field,
                    "This field must not have control characters.",
                ));
            }
            not_too_long(field, text, characters_max)?;
        }
    }
    Ok(())
}
