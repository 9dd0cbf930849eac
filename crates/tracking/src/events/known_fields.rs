//! The fields that a stored event may contain: the known fields of the form's events, each with its kind and its limit
//! (docs/tracking.md#events). All other fields are removed, so few fields can contain free text. In these, digits that
//! look like a card number are replaced with nines.

use std::fmt;

use protocol::{EVENT_DATA_ENTRIES_MAX, EVENT_TEXT_CHARACTERS_MAX, EVENT_URL_CHARACTERS_MAX};
use rules::mask_card_numbers;
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
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
        let mut json = serde_json::Deserializer::from_str(json);
        let known = Known {
            kind,
            is_masked: &mut is_masked,
        };
        let value = known.deserialize(&mut json).ok()??;
        json.end().ok()?;
        Some(Self { value, is_masked })
    }
}

/// Reads a value of this kind, without memory for what is left out. `None` if it is of another kind.
struct Known<'a> {
    kind: FieldKind,
    is_masked: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for Known<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Known<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(matches!(self.kind, FieldKind::Flag | FieldKind::Entry).then_some(Value::Bool(flag)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(self.number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(self.number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(number).and_then(|number| self.number(number)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        let is_known = match self.kind {
            FieldKind::Word | FieldKind::Entry => is_word(text),
            FieldKind::Text(max) => text.chars().nth(max).is_none(),
            _ => false,
        };
        Ok(is_known.then(|| masked(text, self.is_masked)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut known = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let Some(kind) = self.kind_of_field(&name, known.len()) else {
                entries.next_value::<IgnoredAny>()?;
                continue;
            };
            let field = Known {
                kind,
                is_masked: self.is_masked,
            };
            if let Some(value) = entries.next_value_seed(field)? {
                known.insert(name, value);
            }
        }
        let is_object = matches!(self.kind, FieldKind::Data | FieldKind::Fields(_));
        Ok(is_object.then_some(Value::Object(known)))
    }
}

impl Known<'_> {
    fn number(&self, number: Number) -> Option<Value> {
        let is_known = matches!(self.kind, FieldKind::Number | FieldKind::Entry) && is_small(&number);
        is_known.then_some(Value::Number(number))
    }

    /// The kind of the object's next field; `None` if the field is left out.
    fn kind_of_field(&self, name: &str, fields_before: usize) -> Option<FieldKind> {
        match self.kind {
            FieldKind::Fields(fields) => {
                let (_, kind) = fields.iter().find(|(known, _)| *known == name)?;
                Some(*kind)
            }
            FieldKind::Data if fields_before < EVENT_DATA_ENTRIES_MAX => {
                (is_word(name) && mask_card_numbers(name).is_none()).then_some(FieldKind::Entry)
            }
            _ => None,
        }
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
