//! Checks the fields of a new charge.

use protocol::limits::{
    CAPTURE_AFTER_HOURS_MAX, CUSTOM_DATA_BYTES_MAX, EMAIL_CHARACTERS_MAX, METADATA_ENTRIES_MAX,
    METADATA_NAME_CHARACTERS_MAX, METADATA_TEXT_CHARACTERS_MAX, TEXT_CHARACTERS_MAX, URL_BYTES_MAX,
};
use protocol::{CaptureMethod, ChargeMode, CreateCharge, ErrorCode, Metadata, SETUP_AMOUNT, ThreeDsRequest};
use providers::Provider;
use rules::amount::{self, AmountError};
use rules::letters::{is_direction_mark, is_hidden_control, is_visible};
use store::ChargeTerms;
use url::Url;

use web::ApiError;

/// Checks every field; the error names the first that is refused: 400, or 422 for the amount. The amount is refused, too,
/// if `provider` can never take it, and a setup unless this service `saves_cards`.
pub fn validate(body: &CreateCharge, provider: Option<&Provider>, saves_cards: bool) -> Result<(), ApiError> {
    required("item_code", &body.item_code)?;
    required("item_name", &body.item_name)?;
    required("partner_reference", &body.partner_reference)?;
    let optional = [
        (
            "partner_shopper_id",
            &body.partner_shopper_id,
            TEXT_CHARACTERS_MAX,
        ),
        ("shopper_id", &body.shopper_id, TEXT_CHARACTERS_MAX),
        ("shopper_email", &body.shopper_email, EMAIL_CHARACTERS_MAX),
        ("zip_code", &body.zip_code, TEXT_CHARACTERS_MAX),
    ];
    for (field, text, characters_max) in optional {
        check_length(field, text.as_deref().unwrap_or_default(), characters_max)?;
    }
    if body.mode == Some(ChargeMode::Setup) {
        setup(body, saves_cards)?;
    } else {
        amount(&body.amount_value, &body.amount_currency, provider)?;
    }
    country(
        "payment_method_country_code",
        body.payment_method_country_code.as_deref(),
    )?;
    custom_data(body.partner_custom_data.as_deref())?;
    web_address("return_url", body.return_url.as_deref())?;
    web_address("cancel_url", body.cancel_url.as_deref())?;
    capture(body, provider)?;
    exemption(body, provider)?;
    metadata(body.metadata.as_ref())?;
    statement_descriptor(body.statement_descriptor.as_deref())
}

/// A setup saves the card of a shopper without a payment (docs/saving-cards.md#save-a-card-without-a-payment).
fn setup(body: &CreateCharge, saves_cards: bool) -> Result<(), ApiError> {
    if !saves_cards {
        return Err(ApiError::invalid(
            "mode",
            "This service saves no cards, because it has no vault.",
        ));
    }
    setup_amount(&body.amount_value, &body.amount_currency)?;
    if body.shopper_id.as_deref().unwrap_or_default().is_empty() {
        return Err(ApiError::invalid("shopper_id", "A setup is for a shopper."));
    }
    if body.enable_save_payment_method == Some(false) {
        return Err(ApiError::invalid(
            "enable_save_payment_method",
            "A setup always saves the card.",
        ));
    }
    if body.capture_method == Some(CaptureMethod::Manual) {
        return Err(ApiError::invalid("capture_method", "A setup holds no money."));
    }
    Ok(())
}

fn setup_amount(value: &str, currency: &str) -> Result<(), ApiError> {
    if value != SETUP_AMOUNT {
        let message = "The amount of a setup is \"0\", because it takes no money.";
        return Err(ApiError::new(ErrorCode::InvalidAmount, message).at("amount_value"));
    }
    match amount::parse_of_charge(value, currency) {
        Ok(_) => Ok(()),
        // It is the currency's error.
        Err(_) => amount(value, currency, None),
    }
}

/// Whether and when money is held.
fn capture(body: &CreateCharge, provider: Option<&Provider>) -> Result<(), ApiError> {
    const HOURS: &str = "capture_after_hours";
    let is_manual = body.capture_method == Some(CaptureMethod::Manual);
    if is_manual && provider.is_some_and(|provider| !provider.holds()) {
        return Err(ApiError::new(
            ErrorCode::NotSupportedByProvider,
            "The payment provider cannot hold money: leave capture_method out.",
        )
        .at("capture_method"));
    }
    match body.capture_after_hours {
        None => Ok(()),
        Some(_) if !is_manual => Err(ApiError::invalid(
            HOURS,
            "Only a charge with capture_method manual has this field.",
        )),
        Some(hours) if (1..=CAPTURE_AFTER_HOURS_MAX).contains(&hours) => Ok(()),
        Some(_) => Err(ApiError::invalid(HOURS, "This field must be from 1 to 168.")),
    }
}

/// Whether an exemption from strong authentication can be asked for.
fn exemption(body: &CreateCharge, provider: Option<&Provider>) -> Result<(), ApiError> {
    const FIELD: &str = "exemption";
    if body.exemption.is_none() {
        return Ok(());
    }
    if body.three_ds == Some(ThreeDsRequest::Challenge) {
        return Err(ApiError::invalid(
            FIELD,
            "A charge with three_ds challenge cannot ask for an exemption.",
        ));
    }
    if provider.is_some_and(|provider| !provider.takes_exemptions()) {
        return Err(ApiError::new(
            ErrorCode::NotSupportedByProvider,
            "The payment provider chooses exemptions itself: leave exemption out.",
        )
        .at(FIELD));
    }
    Ok(())
}

/// Checks the merchant's own names and texts.
pub(crate) fn metadata(metadata: Option<&Metadata>) -> Result<(), ApiError> {
    const FIELD: &str = "metadata";
    let entries = metadata.into_iter().flatten();
    if entries.clone().count() > METADATA_ENTRIES_MAX {
        return Err(ApiError::invalid(
            FIELD,
            "This field may have at most 50 entries.",
        ));
    }
    for (name, text) in entries {
        required(FIELD, name)?;
        check_length(FIELD, name, METADATA_NAME_CHARACTERS_MAX)?;
        check_length(FIELD, text, METADATA_TEXT_CHARACTERS_MAX)?;
    }
    Ok(())
}

/// The metadata as it is stored; `None` if there is none.
pub(crate) fn metadata_text(metadata: &Metadata) -> Option<String> {
    if metadata.is_empty() {
        return None;
    }
    serde_json::to_string(metadata).ok()
}

/// A text for a statement. Card networks show only these characters.
fn statement_descriptor(text: Option<&str>) -> Result<(), ApiError> {
    let Some(text) = text else {
        return Ok(());
    };
    let is_allowed =
        |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '\\' | '\'' | '"' | '*') || c == ' ';
    let is_valid = (5..=22).contains(&text.len())
        && text.chars().all(is_allowed)
        && text.chars().any(|c| c.is_ascii_alphabetic());
    if is_valid {
        return Ok(());
    }
    Err(ApiError::invalid(
        "statement_descriptor",
        "This field must have 5 to 22 Latin letters, digits and signs, at least one letter, and none of < > \\ ' \" *.",
    ))
}

/// Checks what a charge of this mode is for and how much it is, as [`validate`] does.
pub fn validate_terms(
    terms: &ChargeTerms,
    mode: ChargeMode,
    provider: Option<&Provider>,
) -> Result<(), ApiError> {
    required("item_code", &terms.item_code)?;
    required("item_name", &terms.item_name)?;
    if mode == ChargeMode::Setup {
        return setup_amount(&terms.amount_value, &terms.amount_currency);
    }
    amount(&terms.amount_value, &terms.amount_currency, provider)
}

const HIDDEN_CONTROL: &str =
    "This field must not have control characters, or characters that change the text's direction.";

/// A text that shows something, of usual length.
pub(crate) fn required(field: &'static str, text: &str) -> Result<(), ApiError> {
    required_of(field, text, TEXT_CHARACTERS_MAX)
}

/// A text that shows something, of at most this many characters.
pub(crate) fn required_of(field: &'static str, text: &str, characters_max: usize) -> Result<(), ApiError> {
    if !is_visible(text) {
        return Err(ApiError::invalid(field, "This field must not be empty."));
    }
    check_length(field, text, characters_max)
}

fn amount(value: &str, currency: &str, provider: Option<&Provider>) -> Result<(), ApiError> {
    let (field, message) = match amount::parse(value, currency) {
        Ok(_) => match provider.and_then(|provider| provider.refuses_amount(value, currency)) {
            None => return Ok(()),
            Some(message) => ("amount_value", message),
        },
        Err(AmountError::Currency) => (
            "amount_currency",
            "The currency must be an ISO 4217 code in capitals that can be paid in.",
        ),
        Err(AmountError::Value) => (
            "amount_value",
            "The amount must be a decimal string above zero, no finer than the currency's minor unit.",
        ),
    };
    Err(ApiError::new(ErrorCode::InvalidAmount, message).at(field))
}

/// Checks the amount of a refund or a capture, if there is one.
pub(crate) fn operation_amount(value: Option<&str>, currency: &str) -> Result<(), ApiError> {
    value.map_or(Ok(()), |value| amount(value, currency, None))
}

/// A text of at most this many characters, without control characters, which a receipt or a log could not show. Only a
/// name may have marks of direction.
pub(crate) fn check_length(field: &'static str, text: &str, characters_max: usize) -> Result<(), ApiError> {
    let may_have = |c| field == "item_name" && is_direction_mark(c);
    if text.chars().any(|c| is_hidden_control(c) && !may_have(c)) {
        return Err(ApiError::invalid(field, HIDDEN_CONTROL));
    }
    not_too_long(field, text, characters_max)
}

/// A text of at most this many characters.
pub fn not_too_long(field: &'static str, text: &str, characters_max: usize) -> Result<(), ApiError> {
    if text.chars().nth(characters_max).is_some() {
        return Err(ApiError::invalid(field, "This field is too long."));
    }
    Ok(())
}

/// A country, if there is one, must be two capital letters.
pub fn country(field: &'static str, code: Option<&str>) -> Result<(), ApiError> {
    match code {
        Some(code) if code.len() != 2 || !code.bytes().all(|b| b.is_ascii_uppercase()) => Err(
            ApiError::invalid(field, "A country is two capital letters: ISO 3166-1 alpha-2."),
        ),
        _ => Ok(()),
    }
}

fn custom_data(text: Option<&str>) -> Result<(), ApiError> {
    const FIELD: &str = "partner_custom_data";
    let Some(text) = text else {
        return Ok(());
    };
    if text.len() > CUSTOM_DATA_BYTES_MAX {
        return Err(ApiError::invalid(FIELD, "This field is too long."));
    }
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) if has_control(&value) => Err(ApiError::invalid(
            FIELD,
            "The texts in this field must not have control characters.",
        )),
        Ok(serde_json::Value::Object(_)) => Ok(()),
        _ => Err(ApiError::invalid(
            FIELD,
            "This field must be a JSON object, written as text.",
        )),
    }
}

/// Whether a text or a name in the JSON has a control character.
fn has_control(value: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Object, String};
    let in_text = |text: &str| text.chars().any(is_hidden_control);
    match value {
        String(text) => in_text(text),
        Array(values) => values.iter().any(has_control),
        Object(fields) => fields
            .iter()
            .any(|(name, value)| in_text(name) || has_control(value)),
        _ => false,
    }
}

/// An address that a page may lead to, if there is one.
fn web_address(field: &'static str, text: Option<&str>) -> Result<(), ApiError> {
    let Some(text) = text else {
        return Ok(());
    };
    if text.len() > URL_BYTES_MAX {
        return Err(ApiError::invalid(field, "This field is too long."));
    }
    if text.chars().any(|c| is_hidden_control(c) || c.is_whitespace()) {
        return Err(ApiError::invalid(
            field,
            "An address must not have spaces or control characters; encode them with percent signs.",
        ));
    }
    // `Url::parse` repairs missing slashes; such addresses are refused here.
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    match Url::parse(text) {
        // Browsers warn of an address with a user's name, because it looks like another site's.
        Ok(url) if !url.username().is_empty() || url.password().is_some() => Err(ApiError::invalid(
            field,
            "An address must not have a user name or a password.",
        )),
        Ok(_) if is_web => Ok(()),
        _ => Err(ApiError::invalid(
            field,
            "This field must be an absolute https: URL (http: for tests).",
        )),
    }
}
