//! What a stored event may contain: the known fields of the form's events, each with its kind and its limit
//! (docs/tracking.md#events). Everything else is left out, so texts that others choose have few places. In those,
//! digits that look like a card number are replaced with nines.

use protocol::{EVENT_DATA_ENTRIES_MAX, EVENT_TEXT_CHARACTERS_MAX, EVENT_URL_CHARACTERS_MAX};
use rules::mask_card_numbers;
use serde_json::{Map, Number, Value};
use uuid::Uuid;

/// The longest word, in bytes.
const WORD_BYTES_MAX: usize = 100;
/// The length of a UUID with hyphens, in bytes.
const UUID_BYTES: usize = 36;
/// Every number is smaller, because card numbers have at least twelve digits.
const NUMBER_MAX: f64 = 1e11;
/// The times of 2015 to 2038, in milliseconds since 1970. No card number begins with these digits.
const TIMES: std::ops::Range<f64> = 1_420_070_400_000.0..2_147_483_648_000.0;

/// What a field may contain.
#[derive(Clone, Copy)]
enum FieldKind {
    /// Letters, digits and a few signs: a name, an id, a locale.
    Word,
    /// A text of at most so many characters.
    Text(usize),
    /// A count, a duration or a time.
    Number,
    Flag,
    /// A flat object of words, numbers and flags.
    Data,
    /// An object with these fields.
    Fields(&'static [(&'static str, FieldKind)]),
}

const TEXT: FieldKind = FieldKind::Text(EVENT_TEXT_CHARACTERS_MAX);
const ADDRESS: FieldKind = FieldKind::Text(EVENT_URL_CHARACTERS_MAX);

/// The fields of `protocol::Event` and its kinds.
const EVENT: &[(&str, FieldKind)] = &[
    ("type", FieldKind::Word),
    ("name", FieldKind::Word),
    ("id", FieldKind::Word),
    ("at", FieldKind::Number),
    ("visit", FieldKind::Word),
    ("metadata", FieldKind::Fields(METADATA)),
    ("title", TEXT),
    ("path", TEXT),
    ("referrerUrl", ADDRESS),
    ("locale", FieldKind::Word),
    ("additionalInfo", FieldKind::Data),
    ("element", FieldKind::Word),
    ("experimentId", TEXT),
    ("variationId", FieldKind::Number),
    ("variationKey", TEXT),
    ("data", FieldKind::Data),
    ("deviceId", FieldKind::Word),
    ("anonymousId", FieldKind::Word),
    ("cookieId", TEXT),
];

/// The fields of `protocol::EventMetadata`.
const METADATA: &[(&str, FieldKind)] = &[
    ("namespace", FieldKind::Word),
    ("codaCookieId", TEXT),
    ("fullUrl", ADDRESS),
    ("ip", FieldKind::Word),
    ("libraryVersion", FieldKind::Word),
    ("domainName", TEXT),
    ("userAgent", TEXT),
    ("os", TEXT),
    ("mobile", FieldKind::Flag),
    ("browser", TEXT),
    ("cid", TEXT),
    ("campaignId", TEXT),
    ("utmCampaign", TEXT),
    ("utmSource", TEXT),
    ("utmMedium", TEXT),
    ("utmContent", TEXT),
    ("utmTerm", TEXT),
    ("sessionId", FieldKind::Word),
    ("sessionNum", FieldKind::Number),
    ("engagementMs", FieldKind::Number),
    ("attributes", FieldKind::Data),
];

/// An event that may be stored.
pub(super) struct KnownFields {
    pub(super) value: Value,
    /// Whether a text had what looked like a card number.
    pub(super) is_masked: bool,
}

impl KnownFields {
    /// The known fields of a record's value; `None` if it is no object.
    pub(super) fn of_event(value: Value) -> Option<Self> {
        Self::read(value, FieldKind::Fields(EVENT))
    }

    /// A record's key; `None` if it is no text.
    pub(super) fn of_key(key: Value) -> Option<Self> {
        Self::read(key, TEXT)
    }

    fn read(value: Value, kind: FieldKind) -> Option<Self> {
        let mut is_masked = false;
        let value = known(value, kind, &mut is_masked)?;
        Some(Self { value, is_masked })
    }
}

/// The value as it may be stored; `None` if it is not of this kind.
fn known(value: Value, kind: FieldKind, is_masked: &mut bool) -> Option<Value> {
    match (kind, value) {
        (FieldKind::Word, Value::String(text)) if is_word(&text) => Some(masked(text, is_masked)),
        (FieldKind::Text(max), Value::String(text)) if text.chars().count() <= max => {
            Some(masked(text, is_masked))
        }
        (FieldKind::Number, Value::Number(number)) if is_small(&number) => Some(Value::Number(number)),
        (FieldKind::Flag, Value::Bool(flag)) => Some(Value::Bool(flag)),
        (FieldKind::Data, Value::Object(entries)) => {
            let known = entries.into_iter().filter_map(|(name, value)| {
                let kind = match value {
                    Value::String(_) => FieldKind::Word,
                    Value::Number(_) => FieldKind::Number,
                    _ => FieldKind::Flag,
                };
                let is_name = is_word(&name) && mask_card_numbers(&name).is_none();
                is_name
                    .then(|| known(value, kind, is_masked))
                    .flatten()
                    .map(|value| (name, value))
            });
            Some(Value::Object(known.take(EVENT_DATA_ENTRIES_MAX).collect()))
        }
        (FieldKind::Fields(fields), Value::Object(mut entries)) => {
            let known: Map<_, _> = fields
                .iter()
                .filter_map(|(name, kind)| {
                    let value = known(entries.remove(*name)?, *kind, is_masked)?;
                    Some(((*name).to_owned(), value))
                })
                .collect();
            Some(Value::Object(known))
        }
        _ => None,
    }
}

fn is_word(text: &str) -> bool {
    let is_sign = |byte| b"-_.~:|/".contains(&byte);
    text.len() <= WORD_BYTES_MAX
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || is_sign(byte))
}

fn is_small(number: &Number) -> bool {
    number
        .as_f64()
        .is_some_and(|number| number.abs() < NUMBER_MAX || TIMES.contains(&number))
}

/// The text without card numbers. One UUID in some thousands would have one, so UUIDs are not searched.
fn masked(text: String, is_masked: &mut bool) -> Value {
    if text.len() == UUID_BYTES && Uuid::try_parse(&text).is_ok() {
        return Value::String(text);
    }
    let masked = mask_card_numbers(&text);
    *is_masked |= masked.is_some();
    Value::String(masked.unwrap_or(text))
}

#[cfg(test)]
mod tests;
