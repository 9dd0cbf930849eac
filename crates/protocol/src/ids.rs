//! Ids that sort by time, and secret keys of merchants.

use aws_lc_rs::digest::{SHA256, digest};
use uuid::fmt::Simple;
use uuid::{NoContext, Timestamp, Uuid};

use crate::clock::Clock;

/// What an id names; its prefix shows it in logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdKind {
    /// `ch_`: a charge.
    Charge,
    /// `chg_`: a change of a charge.
    ChargeChange,
    /// `att_`: an attempt to pay a charge.
    Attempt,
    /// `partner_`: a merchant.
    Partner,
    /// `sig_`: a key that signs client secrets.
    SigningKey,
    /// `tok_`: a client secret's own id.
    Token,
    /// `pay_`: the idempotency key that a provider gets.
    ProviderKey,
    /// `pm_`: a saved card as a payment method.
    PaymentMethod,
    /// `card_`: a saved card.
    Card,
    /// `evt_`: an event for a merchant's webhook.
    Event,
    /// `key_`: a merchant's secret key; the operator names the key by this id.
    SecretKey,
    /// `aud_`: a line of the audit log.
    AuditLine,
    /// `req_`: a request, in logs and the `x-request-id` header.
    Request,
}

impl IdKind {
    /// How ids of this kind begin.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Charge => "ch_",
            Self::ChargeChange => "chg_",
            Self::Attempt => "att_",
            Self::Partner => "partner_",
            Self::SigningKey => "sig_",
            Self::Token => "tok_",
            Self::ProviderKey => "pay_",
            Self::PaymentMethod => "pm_",
            Self::Card => "card_",
            Self::Event => "evt_",
            Self::SecretKey => "key_",
            Self::AuditLine => "aud_",
            Self::Request => "req_",
        }
    }
}

/// A new id: the prefix and a `UUIDv7` of the clock's time, so that ids sort by creation time.
pub fn new_id(kind: IdKind, clock: &Clock) -> String {
    new_id_at(kind, clock.now_ms())
}

/// A new id of the time `ms` since 1970.
pub fn new_id_at(kind: IdKind, ms: i64) -> String {
    let seconds = u64::try_from(ms.div_euclid(1000)).unwrap_or_default();
    let nanos = u32::try_from(ms.rem_euclid(1000)).unwrap_or_default() * 1_000_000;
    let uuid = Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, nanos));
    let mut digits = [0; Simple::LENGTH];
    [kind.prefix(), uuid.simple().encode_lower(&mut digits)].concat()
}

/// When the id of [`new_id`] was made, in unix milliseconds; `None` if it is no such id.
pub fn time_of(id: &str) -> Option<i64> {
    let digits = id.split_once('_').and_then(|(_, digits)| digits.get(..12))?;
    i64::from_str_radix(digits, 16).ok()
}

/// The characters of a secret key after `sk_`: 32 of base62 are 190 bits.
const SECRET_KEY_CHARACTERS: usize = 32;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A new merchant key, `sk_…`. Only [`sha256_hex`] of it is stored; it is shown once.
pub fn new_secret_key() -> Result<String, NoRandomness> {
    random_key("sk_")
}

/// A new operator's key, `op_…`.
pub fn new_operator_key() -> Result<String, NoRandomness> {
    random_key("op_")
}

/// A prefix of three characters, and the random characters of a key.
fn random_key(prefix: &str) -> Result<String, NoRandomness> {
    let mut key = String::from(prefix);
    while key.len() < 3 + SECRET_KEY_CHARACTERS {
        let mut bytes = [0_u8; 64];
        aws_lc_rs::rand::fill(&mut bytes).map_err(|_| NoRandomness)?;
        // 248 is the largest multiple of 62 in a byte; larger bytes would make some characters more likely.
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
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_the_clock() {
        let clock = Clock::fixed("2026-01-02T03:04:05Z".parse().unwrap());
        let first = new_id(IdKind::Charge, &clock);
        clock.advance_ms(1);
        let second = new_id(IdKind::Charge, &clock);
        assert!(first.starts_with("ch_") && first < second, "{first} {second}");
    }

    #[test]
    fn secret_keys_are_long_and_differ() {
        let (a, b) = (new_secret_key().unwrap(), new_secret_key().unwrap());
        assert_ne!(a, b);
        assert_eq!(a.len(), 35);
        assert!(a.starts_with("sk_") && a.bytes().skip(3).all(|c| BASE62.contains(&c)));
    }

    #[test]
    fn a_digest_is_written_in_hexadecimal() {
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
