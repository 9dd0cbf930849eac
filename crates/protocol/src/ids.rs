//! Ids that sort by time, and random secret keys.

use aws_lc_rs::digest::{SHA256, digest};
use uuid::fmt::Simple;
use uuid::{NoContext, Timestamp, Uuid};

use crate::clock::Clock;

/// The kind of thing that an id names. The id's prefix shows the kind in logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
pub enum IdKind {
    /// A charge.
    #[strum(serialize = "ch_")]
    Charge,
    /// A change of a charge.
    #[strum(serialize = "chg_")]
    ChargeChange,
    /// An attempt to pay a charge.
    #[strum(serialize = "att_")]
    Attempt,
    /// A merchant.
    #[strum(serialize = "partner_")]
    Partner,
    /// A key that signs client secrets.
    #[strum(serialize = "sig_")]
    SigningKey,
    /// A client secret's own id.
    #[strum(serialize = "tok_")]
    Token,
    /// A card session.
    #[strum(serialize = "cs_")]
    CardSession,
    /// The idempotency key that a provider gets.
    #[strum(serialize = "pay_")]
    ProviderKey,
    /// A saved card as a payment method.
    #[strum(serialize = "pm_")]
    PaymentMethod,
    /// A saved card.
    #[strum(serialize = "card_")]
    Card,
    /// A refund.
    #[strum(serialize = "re_")]
    Refund,
    /// A capture or a release of a hold.
    #[strum(serialize = "op_")]
    Operation,
    /// A dispute.
    #[strum(serialize = "dp_")]
    Dispute,
    /// An event for a merchant's webhook.
    #[strum(serialize = "evt_")]
    Event,
    /// An endpoint that gets a merchant's events.
    #[strum(serialize = "we_")]
    WebhookEndpoint,
    /// A merchant's secret key; the operator uses this id to name the key.
    #[strum(serialize = "key_")]
    SecretKey,
    /// A line of the audit log.
    #[strum(serialize = "aud_")]
    AuditLine,
    /// A request, in logs and the `x-request-id` header.
    #[strum(serialize = "req_")]
    Request,
}

impl IdKind {
    /// The prefix of ids of this kind.
    pub fn prefix(self) -> &'static str {
        self.into()
    }
}

/// A new id: the prefix and a `UUIDv7` of the clock's time, so that ids sort by creation time.
pub fn new_id(kind: IdKind, clock: &Clock) -> String {
    new_id_at(kind, clock.now_ms())
}

/// A new id of the time `ms`, in milliseconds since 1970.
pub fn new_id_at(kind: IdKind, ms: i64) -> String {
    let seconds = u64::try_from(ms.div_euclid(1000)).unwrap_or_default();
    let nanos = u32::try_from(ms.rem_euclid(1000)).unwrap_or_default() * 1_000_000;
    let uuid = Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, nanos));
    let mut digits = [0; Simple::LENGTH];
    [kind.prefix(), uuid.simple().encode_lower(&mut digits)].concat()
}

/// The time at which [`new_id`] made `id`, in unix milliseconds; `None` for any other text.
pub fn time_of(id: &str) -> Option<i64> {
    let digits = id.split_once('_').and_then(|(_, digits)| digits.get(..12))?;
    i64::from_str_radix(digits, 16).ok()
}

/// The characters of a secret key after `sk_`: 32 of base62 are 190 bits.
const SECRET_KEY_CHARACTERS: usize = 32;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A new merchant key, `sk_…`. It is shown once, and only its [`sha256_hex`] is stored.
pub fn new_secret_key() -> Result<String, NoRandomness> {
    random_key("sk_")
}

/// A new operator's key, `op_…`.
pub fn new_operator_key() -> Result<String, NoRandomness> {
    random_key("op_")
}

/// A key: a prefix of three characters, then random characters.
fn random_key(prefix: &str) -> Result<String, NoRandomness> {
    let mut key = String::from(prefix);
    while key.len() < 3 + SECRET_KEY_CHARACTERS {
        let mut bytes = [0_u8; 64];
        aws_lc_rs::rand::fill(&mut bytes).map_err(|_| NoRandomness)?;
        // 248 is the largest multiple of 62 in a byte. With larger bytes some characters would be more likely.
        let fair = bytes.iter().filter(|byte| **byte < 248);
        let missing = 3 + SECRET_KEY_CHARACTERS - key.len();
        key.extend(
            fair.take(missing)
                .map(|byte| char::from(BASE62[usize::from(byte % 62)])),
        );
    }
    Ok(key)
}

/// Eight random hexadecimal digits, for names that people read.
pub fn short_random() -> String {
    Uuid::new_v4().simple().to_string()[..8].to_owned()
}

/// The operating system gave no random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gave no random bytes")]
pub struct NoRandomness;

/// SHA-256 in lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(digest(&SHA256, bytes).as_ref())
}

/// Bytes in lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let text = String::with_capacity(2 * bytes.len());
    bytes.iter().fold(text, |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
