//! What a shopper agrees to when a card is saved (docs/saving-cards.md#what-the-shopper-agrees-to). The charge says for
//! which payments the card is kept. The page only tells which text it showed.

use protocol::{ErrorCode, SaveCardUsage, ShownAgreement};
use store::{CardAgreement, Charge};
use web::ApiError;

/// The most characters of a text's key.
const TEXT_ID_CHARACTERS_MAX: usize = 40;
/// Before the key of a text whose words the merchant's page replaced.
const OWN: &str = "own_";

/// A 400 unless the key and the locale are such words.
pub fn check_shown(shown: &ShownAgreement) -> Result<(), ApiError> {
    let key = shown.text_id.as_bytes();
    let is_key = (1..=TEXT_ID_CHARACTERS_MAX).contains(&key.len())
        && key[0].is_ascii_lowercase()
        && key
            .iter()
            .all(|letter| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    if !is_key {
        return Err(ApiError::invalid(
            "payment_method.agreement.text_id",
            "This field must be the key of a text: small letters, digits and _, at most 40.",
        ));
    }
    if !is_language_tag(&shown.locale) {
        return Err(ApiError::invalid(
            "payment_method.agreement.locale",
            "This field must be a locale, such as en-US.",
        ));
    }
    Ok(())
}

/// Two to eight letters, and at most three parts of letters and digits after them.
fn is_language_tag(text: &str) -> bool {
    text.split('-').count() <= 4
        && text.split('-').enumerate().all(|(at, part)| {
            let (least, is_allowed): (usize, fn(&u8) -> bool) = if at == 0 {
                (2, u8::is_ascii_alphabetic)
            } else {
                (1, u8::is_ascii_alphanumeric)
            };
            (least..=8).contains(&part.len()) && part.as_bytes().iter().all(is_allowed)
        })
}

/// What the shopper agrees to with this charge. A 403 if the page showed the text for another usage.
pub fn agreement(
    shown: Option<&ShownAgreement>,
    charge: &Charge,
    now_ms: i64,
) -> Result<CardAgreement, ApiError> {
    let usage = charge.save_card_usage;
    if shown
        .and_then(|shown| asked_usage(&shown.text_id))
        .is_some_and(|asked| asked != usage)
    {
        return Err(ApiError::new(
            ErrorCode::ChargeMismatch,
            "The page asked the shopper for another usage than the charge's save_card_usage. Nothing was charged.",
        )
        .at("payment_method.agreement.text_id"));
    }
    Ok(CardAgreement {
        usage,
        accepted_at: now_ms,
        text_id: shown.map(|shown| shown.text_id.clone()),
        locale: shown.map(|shown| shown.locale.clone()),
    })
}

/// The usage for which a text of the form asks; `None` for a text of another page.
fn asked_usage(text_id: &str) -> Option<SaveCardUsage> {
    let key = text_id.strip_prefix(OWN).unwrap_or(text_id);
    [SaveCardUsage::OnSession, SaveCardUsage::OffSession]
        .into_iter()
        .find(|usage| usage.text_id() == key)
}

#[cfg(test)]
mod tests;
