//! The payload: a charge intent in base64, with our signature as its last field (docs/payload.md).

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, general_purpose};
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use thiserror::Error;

use crate::intent::{ChargeIntent, DEFAULT_COUNTRY};

/// The longest payload that is looked at, in bytes of base64. An intent is some hundred bytes; this leaves room for
/// a merchant's custom data and keeps the URL under what proxies pass on.
pub const PAYLOAD_BYTES_MAX: usize = 16 * 1024;

/// The field of the signature in `proto/charge_intent.proto`. Readers that do not know it skip it.
const SIGNATURE_TAG: u32 = 18;

/// A payload that was read: the intent, and its signature if it has one. Nothing is verified here.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    /// The charge to pay.
    pub intent: ChargeIntent,
    /// Its signature; absent in a payload from another backend.
    pub signature: Option<PayloadSignature>,
    /// The payload's bytes before the signature; the signature covers all of them.
    pub signed: Vec<u8>,
}

/// A signature, `PayloadSignature` in `proto/charge_intent.proto`. It covers every byte before its own field. It must
/// be the last field; with bytes after it, it is not a signature.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct PayloadSignature {
    /// The key that signed.
    #[prost(string, tag = "1")]
    pub key_id: String,
    /// The signature of the bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

/// Why a payload shows no card form. The messages are for the merchant's developer and never repeat the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PayloadError {
    /// There is no `payload` parameter, or it is empty. HTTP 400.
    #[error("The payload is missing. Open this page with ?payload=, as POST /v1/charges answers it.")]
    Missing,
    /// Longer than [`PAYLOAD_BYTES_MAX`]. HTTP 414.
    #[error("The payload is too long.")]
    TooLong,
    /// Not base64 in either alphabet. HTTP 400.
    #[error(
        "The payload is not base64. Pass the payload of POST /v1/charges as it is, percent-encoded in the URL."
    )]
    NotBase64,
    /// Base64, but not a charge intent. HTTP 422.
    #[error("The payload is not a charge intent. Pass the payload of POST /v1/charges as it is.")]
    NotAnIntent,
    /// A charge intent without a field that a charge needs. HTTP 422.
    #[error("The payload is not a complete charge intent: {0} is missing or unusable.")]
    Incomplete(&'static str),
    /// A charge intent that nobody signed. HTTP 403.
    #[error(
        "The payload is not signed. Pass the payload of POST /v1/charges as it is; one that was made elsewhere shows no \
         card form here."
    )]
    Unsigned,
    /// Its signature is not one of this service's for these bytes. HTTP 403.
    #[error(
        "The payload's signature is not valid: the payload was changed, comes from another Cardform, or was signed with \
         a key that has been revoked. Get a new one from POST /v1/charges/{{id}}/client-secret."
    )]
    NotOurs,
    /// It names no merchant of this service, or one that is not active. HTTP 403.
    #[error("The payload names no active merchant of this service.")]
    UnknownPartner,
}

impl Payload {
    /// Reads the value of `?payload=`: base64 in the standard or the URL-safe alphabet, padded or not.
    pub fn read(payload: &str) -> Result<Self, PayloadError> {
        if payload.is_empty() {
            return Err(PayloadError::Missing);
        }
        if payload.len() > PAYLOAD_BYTES_MAX {
            return Err(PayloadError::TooLong);
        }
        let mut bytes = decode_base64(payload).ok_or(PayloadError::NotBase64)?;
        let mut intent = ChargeIntent::decode(bytes.as_slice()).map_err(|_| PayloadError::NotAnIntent)?;
        if intent.charge_id.is_empty() {
            return Err(PayloadError::Incomplete("the charge id"));
        }
        if rules::amount::parse(&intent.amount_value, &intent.amount_currency).is_err() {
            return Err(PayloadError::Incomplete("the amount"));
        }
        if intent.payment_method_country_code.is_empty() {
            DEFAULT_COUNTRY.clone_into(&mut intent.payment_method_country_code);
        }
        let signature = last_field(&bytes).map(|(start, signature)| {
            bytes.truncate(start);
            signature
        });
        Ok(Self {
            intent,
            signature,
            signed: bytes,
        })
    }
}

impl ChargeIntent {
    /// The intent of a payload, without checking who made it.
    pub fn from_payload(payload: &str) -> Result<Self, PayloadError> {
        Payload::read(payload).map(|read| read.intent)
    }

    /// The intent as the value of `?payload=`, without a signature.
    pub fn to_payload(&self) -> String {
        encode_base64(&self.encode_to_vec())
    }

    /// The intent as the value of `?payload=`, with the signature that `sign` makes of its bytes.
    pub fn to_signed_payload(&self, sign: impl FnOnce(&[u8]) -> PayloadSignature) -> String {
        let mut bytes = self.encode_to_vec();
        let signature = sign(&bytes);
        prost::encoding::message::encode(SIGNATURE_TAG, &signature, &mut bytes);
        encode_base64(&bytes)
    }
}

/// The signature and where its field begins, if the last field of the message is one.
fn last_field(bytes: &[u8]) -> Option<(usize, PayloadSignature)> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let start = bytes.len() - rest.len();
        let (tag, wire_type) = decode_key(&mut rest).ok()?;
        if tag == SIGNATURE_TAG && wire_type == WireType::LengthDelimited {
            let length = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
            return (length == rest.len())
                .then(|| PayloadSignature::decode(rest).ok())
                .flatten()
                .map(|signature| (start, signature));
        }
        skip_field(wire_type, tag, &mut rest, DecodeContext::default()).ok()?;
    }
    None
}

/// URL-safe without padding, so that it needs no percent-encoding.
fn encode_base64(bytes: &[u8]) -> String {
    general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

/// Base64 of either alphabet, padded or not. A space counts as `+`, because some query parsers turn `+` into a space.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    const CONFIG: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);
    // Ours are in the URL-safe alphabet already.
    if !text.bytes().any(|byte| matches!(byte, b'+' | b'/' | b' ')) {
        return URL_SAFE.decode(text).ok();
    }
    let url_safe = text.replace(['+', ' '], "-").replace('/', "_");
    URL_SAFE.decode(url_safe).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gems() -> ChargeIntent {
        ChargeIntent {
            item_code: "gems-100".into(),
            item_name: "100 gems ✨???>>>".into(),
            amount_value: "12.50".into(),
            amount_currency: "USD".into(),
            payment_method_country_code: "US".into(),
            charge_id: "ch_1".into(),
            partner_id: "partner_1".into(),
            ..ChargeIntent::default()
        }
    }

    #[test]
    fn a_payload_is_read_in_both_alphabets_padded_or_not() {
        let bytes = gems().encode_to_vec();
        for engine in [
            general_purpose::STANDARD,
            general_purpose::STANDARD_NO_PAD,
            general_purpose::URL_SAFE,
            general_purpose::URL_SAFE_NO_PAD,
        ] {
            assert_eq!(ChargeIntent::from_payload(&engine.encode(&bytes)), Ok(gems()));
        }
    }

    #[test]
    fn a_space_in_a_payload_is_read_as_a_plus() {
        let standard = general_purpose::STANDARD.encode(gems().encode_to_vec());
        assert!(standard.contains('+'), "the example must have a plus: {standard}");
        assert_eq!(
            ChargeIntent::from_payload(&standard.replace('+', " ")),
            Ok(gems())
        );
    }

    #[test]
    fn the_country_defaults_to_the_united_states() {
        let intent = ChargeIntent {
            payment_method_country_code: String::new(),
            ..gems()
        };
        let read = ChargeIntent::from_payload(&intent.to_payload()).unwrap();
        assert_eq!(read.payment_method_country_code, "US");
    }

    fn signed(bytes: &[u8]) -> PayloadSignature {
        PayloadSignature {
            key_id: "sig_1".into(),
            value: bytes.iter().rev().copied().collect(),
        }
    }

    #[test]
    fn a_signature_covers_every_byte_of_the_intent() {
        let read = Payload::read(&gems().to_signed_payload(signed)).unwrap();
        assert_eq!(read.intent, gems());
        assert_eq!(read.signed, gems().encode_to_vec());
        assert_eq!(read.signature, Some(signed(&read.signed)));
        let unsigned = Payload::read(&gems().to_payload()).unwrap();
        assert_eq!((unsigned.intent, unsigned.signature), (gems(), None));
    }

    /// The message as readers without signatures know it: [`ChargeIntent`] itself.
    #[test]
    fn a_reader_without_signatures_reads_a_signed_intent() {
        let payload = gems().to_signed_payload(signed);
        let bytes = general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap();
        assert_eq!(ChargeIntent::decode(bytes.as_slice()), Ok(gems()));
    }

    #[test]
    fn a_field_after_the_signature_makes_it_invalid() {
        let payload = gems().to_signed_payload(signed);
        let bytes = general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap();
        // The last of two equal fields is used, so the merchant would change.
        let other = ChargeIntent {
            partner_id: "partner_2".into(),
            ..ChargeIntent::default()
        };
        let longer = [bytes, other.encode_to_vec()].concat();
        let read = Payload::read(&general_purpose::STANDARD.encode(longer)).unwrap();
        assert_eq!(read.intent.partner_id, "partner_2");
        assert_eq!(read.signature, None);
    }

    #[test]
    fn an_unusable_payload_has_an_error_that_says_why() {
        let encode = |bytes: &[u8]| general_purpose::STANDARD.encode(bytes);
        assert_eq!(ChargeIntent::from_payload(""), Err(PayloadError::Missing));
        assert_eq!(ChargeIntent::from_payload("%%%"), Err(PayloadError::NotBase64));
        assert_eq!(
            ChargeIntent::from_payload(&encode(b"hello world")),
            Err(PayloadError::NotAnIntent)
        );
        assert_eq!(
            ChargeIntent::from_payload(&"A".repeat(PAYLOAD_BYTES_MAX + 1)),
            Err(PayloadError::TooLong)
        );
        let no_charge = ChargeIntent {
            charge_id: String::new(),
            ..gems()
        };
        let no_amount = ChargeIntent {
            amount_value: "12.505".into(),
            ..gems()
        };
        for intent in [no_charge, no_amount] {
            assert!(matches!(
                ChargeIntent::from_payload(&intent.to_payload()),
                Err(PayloadError::Incomplete(_))
            ));
        }
    }
}
