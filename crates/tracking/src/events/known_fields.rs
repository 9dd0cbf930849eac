//! The fields that a stored event may contain: the known fields of the form's events, each with its kind and its limit
//! (docs/tracking.md#events). All other fields are removed, so few fields can contain free text. In these, digits that
//! look like a card number are replaced with nines.

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

/// The kind of a field's value.
#[derive(Clone, Copy)]
enum FieldKind {
    /// Letters, digits and a few signs: a name, an id, a locale.
    Word,
    /// A text of at most so many characters.
    Text(usize),
    /// A count, a duration or a time.
    Number,
    Flag,
    /// A flat object of entries.
    Data,
    /// A word, a number or a flag.
    Entry,
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
    /// Whether a text contained digits that look like a card number.
    pub(super) is_masked: bool,
}

impl KnownFields {
    /// The known fields of a record's value; `None` if it is no JSON object that a database can read.
    pub(super) fn of_event(json: &str) -> Option<Self> {
        Self::read(json, FieldKind::Fields(EVENT))
    }

    /// A record's key; `None` if it is no text.
    pub(super) fn of_key(json: &str) -> Option<Self> {
        Self::read(json, TEXT)
    }

    fn read(json: &str, kind: FieldKind) -> Option<Self> {
        let mut is_masked = false;
        let sent = serde_json::from_str(json).ok()?;
        let value = known(sent, kind, &mut is_masked)?;
        Some(Self { value, is_masked })
    }
}

/// The known part of a value; `None` if it is of another kind.
fn known(value: Value, kind: FieldKind, is_masked: &mut bool) -> Option<Value> {
    match (kind, value) {
        (FieldKind::Flag | FieldKind::Entry, flag @ Value::Bool(_)) => Some(flag),
        (FieldKind::Number | FieldKind::Entry, Value::Number(number)) => {
            is_small(&number).then_some(Value::Number(number))
        }
        (FieldKind::Word | FieldKind::Entry, Value::String(text)) => {
            is_word(&text).then(|| masked(&text, is_masked))
        }
        (FieldKind::Text(max), Value::String(text)) => {
            text.chars().nth(max).is_none().then(|| masked(&text, is_masked))
        }
        (FieldKind::Fields(fields), Value::Object(mut sent)) => {
            let mut kept = Map::new();
            for (name, kind) in fields {
                let value = sent
                    .remove(*name)
                    .and_then(|value| known(value, *kind, is_masked));
                kept.extend(value.map(|value| ((*name).to_owned(), value)));
            }
            Some(Value::Object(kept))
        }
        (FieldKind::Data, Value::Object(sent)) => {
            let named = sent
                .into_iter()
                .filter(|(name, _)| is_word(name) && mask_card_numbers(name).is_none());
            let entries =
                named.filter_map(|(name, value)| Some((name, known(value, FieldKind::Entry, is_masked)?)));
            Some(Value::Object(entries.take(EVENT_DATA_ENTRIES_MAX).collect()))
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

/// The text without card numbers, and without the control characters that a database or a terminal cannot show. One UUID
/// in some thousands would have a card number, so UUIDs are not searched.
fn masked(text: &str, is_masked: &mut bool) -> Value {
    let text = text.replace(char::is_control, "\u{fffd}");
    if text.len() == UUID_BYTES && Uuid::try_parse(&text).is_ok() {
        return Value::String(text);
    }
    let masked = mask_card_numbers(&text);
    *is_masked |= masked.is_some();
    Value::String(masked.unwrap_or(text))
}

#[cfg(test)]
mod tests;
