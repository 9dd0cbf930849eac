//! The data about the shopper's browser for 3-D Secure, from the direct charge (docs/calls.md#direct-charge).

use protocol::DirectCharge;
use providers::{Authentication, ChallengeWindow};

use web::ApiError;

/// The longest device data session id, in bytes; they are UUIDs or the like.
const SESSION_ID_BYTES_MAX: usize = 255;
/// How many bytes of each text about the browser are passed on; the rest is cut off.
const BROWSER_TEXT_BYTES_MAX: usize = 2_048;

/// Reads `setting.card` and `shopper_agent`. A malformed window size or session id is a 400. The browser's description of
/// itself is never refused.
pub fn authentication(
    public_url: &str,
    charge_id: &str,
    body: &DirectCharge,
) -> Result<Authentication, ApiError> {
    let agent = &body.shopper_agent;
    let challenge_window = ChallengeWindow::parse(&body.setting.card.three_ds_challenge_window_size)
        .ok_or_else(|| {
            ApiError::invalid(
                "setting.card.three_ds_challenge_window_size",
                "This must be a width and a height in pixels: 390x400.",
            )
        })?;
    let session_id = agent
        .device_metadata
        .as_ref()
        .and_then(|device| device.session_id.clone());
    if session_id.as_deref().is_some_and(|id| !is_session_id(id)) {
        return Err(ApiError::invalid(
            "shopper_agent.device_metadata.session_id",
            "This must be 1 to 255 visible ASCII characters, or null.",
        ));
    }
    Ok(Authentication {
        return_url: format!(
            "{public_url}/v1/pub/charges/{charge_id}/return{}",
            locale_query(&body.setting.default_language)
        ),
        challenge_window,
        device_session_id: session_id,
        ip_address: cut(&agent.ip_address),
        user_agent: cut(&agent.user_agent),
        timezone: agent.timezone,
        screen_width: agent.screen_width,
        screen_height: agent.screen_height,
        color_depth: agent.color_depth,
        accept_header: cut(&agent.accept_header),
        language: cut(&body.setting.default_language),
        // The charge tells what the merchant asks for.
        ..Authentication::default()
    })
}

/// The shopper's language for the page to which the bank leads, which another browser may open.
fn locale_query(language: &str) -> String {
    let is_tag = language
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_tag && rules::locale::of_language(language).is_some() {
        format!("?locale={language}")
    } else {
        String::new()
    }
}

fn is_session_id(text: &str) -> bool {
    (1..=SESSION_ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(BROWSER_TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
mod tests;
