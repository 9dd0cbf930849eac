//! Stripe's webhooks. An event only says what has changed: the service then asks Stripe itself, so a repeated, old or
//! reordered event does no harm. A dispute is taken from the event, whose signature proves that it is Stripe's; one with an
//! earlier deadline than is known came late, and is left out.

use aws_lc_rs::hmac;
use protocol::{DisputeStatus, ProviderDispute, SecretSource, Sensitive};
use rules::Month;
use serde::Deserialize;
use serde_json::Value;

use super::amount;
use super::calls::is_name;
use crate::{CardUpdate, EventRefusal, ProviderEvent};

/// How far the time of a signature may be from now, in seconds, as Stripe's own libraries have it.
const TOLERANCE_S: i64 = 300;

/// The secret of our endpoint at Stripe, `whsec_…`.
#[derive(Debug)]
pub struct EventSecret(Sensitive);

impl EventSecret {
    /// Reads the secret. Spaces around it are removed.
    pub fn read(source: &SecretSource) -> std::io::Result<Self> {
        let text = match source {
            SecretSource::Setting(text) => text.expose().to_owned(),
            SecretSource::File(path) => std::fs::read_to_string(path)?,
        };
        Ok(Self(Sensitive::new(text.trim().to_owned())))
    }
}

/// The event of this body, if Stripe signed it within five minutes of `now_s`, in seconds since 1970.
pub(super) fn read(
    secret: &EventSecret,
    signature: &str,
    body: &[u8],
    now_s: i64,
) -> Result<ProviderEvent, EventRefusal> {
    check(secret, signature, body, now_s)?;
    let event: StripeEvent = serde_json::from_slice(body).map_err(|_| EventRefusal::Unreadable)?;
    Ok(event.meaning())
}

/// `t=1492774577,v1=5257a8…,v1=…`: one of the signatures must be of the time and the body.
fn check(secret: &EventSecret, signature: &str, body: &[u8], now_s: i64) -> Result<(), EventRefusal> {
    let part = |name: &'static str| {
        signature
            .split(',')
            .filter_map(move |part| part.trim().strip_prefix(name))
    };
    let time = part("t=").next().ok_or(EventRefusal::Signature)?;
    let at: i64 = time.parse().map_err(|_| EventRefusal::Signature)?;
    let mut signed = Vec::with_capacity(time.len() + 1 + body.len());
    signed.extend_from_slice(time.as_bytes());
    signed.push(b'.');
    signed.extend_from_slice(body);
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.0.expose().as_bytes());
    let is_signed = part("v1=")
        .filter_map(from_hex)
        .any(|signature| hmac::verify(&key, &signed, &signature).is_ok());
    if !is_signed || now_s.abs_diff(at) > TOLERANCE_S.unsigned_abs() {
        return Err(EventRefusal::Signature);
    }
    Ok(())
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[derive(Deserialize)]
struct StripeEvent {
    #[serde(rename = "type")]
    kind: String,
    data: EventData,
}

#[derive(Deserialize)]
struct EventData {
    object: Value,
}

impl StripeEvent {
    fn meaning(self) -> ProviderEvent {
        let object = &self.data.object;
        let own = |name: &str| {
            let value = object.get("metadata").and_then(|metadata| metadata.get(name));
            value.and_then(Value::as_str).map(str::to_owned)
        };
        if self.kind.starts_with("charge.dispute.") {
            return dispute(object).unwrap_or(ProviderEvent::Other);
        }
        if self.kind == "payment_method.automatically_updated" {
            return card(object).map_or(ProviderEvent::Other, ProviderEvent::Card);
        }
        let is_refund = self.kind.starts_with("refund.") || self.kind.starts_with("charge.refund.");
        if is_refund && let Some(id) = own("cardform_refund") {
            return ProviderEvent::Operation { id };
        }
        if self.kind.starts_with("payment_intent.")
            && let Some(key) = own("cardform_payment")
        {
            return ProviderEvent::Payment { key };
        }
        ProviderEvent::Other
    }
}

fn card(object: &Value) -> Option<CardUpdate> {
    let card = object.get("card")?;
    let number = |name: &str| card.get(name).and_then(Value::as_u64);
    let expiry = Month {
        year: number("exp_year")?.try_into().ok()?,
        month: number("exp_month")?.try_into().ok()?,
    };
    let reference = object.get("id").and_then(Value::as_str)?;
    let last_four = card.get("last4").and_then(Value::as_str)?;
    ((1..=12).contains(&expiry.month) && is_name(reference)).then(|| CardUpdate {
        card: reference.to_owned(),
        last_four: last_four.to_owned(),
        expiry,
    })
}

fn dispute(object: &Value) -> Option<ProviderEvent> {
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let currency = text("currency")?.to_ascii_uppercase();
    let due_by = object
        .get("evidence_details")
        .and_then(|details| details.get("due_by"))
        .and_then(Value::as_i64);
    let status = match text("status")? {
        "won" | "warning_closed" => DisputeStatus::Won,
        "lost" => DisputeStatus::Lost,
        _ => DisputeStatus::Open,
    };
    Some(ProviderEvent::Dispute {
        payment: text("payment_intent").filter(|id| is_name(id))?.to_owned(),
        dispute: ProviderDispute {
            reference: text("id").filter(|id| is_name(id))?.to_owned(),
            status,
            amount_value: amount::decimal(object.get("amount")?.as_u64()?, &currency)?,
            amount_currency: currency,
            reason: text("reason").map(str::to_owned),
            respond_before: due_by.map(|seconds| seconds * 1_000),
        },
    })
}

#[cfg(test)]
mod tests;
