//! The payload: a charge intent in base64, with our signature as its last field (docs/payload.md).

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, general_purpose};
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use thiserror::Error;

use crate::intent::{ChargeIntent, DEFAULT_COUNTRY};
use crate::limits::TEXT_CHARACTERS_MAX;

/// The longest payload that is read, in bytes of base64. An intent has a few hundred bytes, and the merchant's custom
/// data may have more. Proxies accept URLs of this length.
pub const PAYLOAD_BYTES_MAX: usize = 16 * 1024;

/// The field of the signature in `proto/charge_intent.proto`. Readers that do not know the field skip it.
const SIGNATURE_TAG: u32 = 18;

/// The content of a payload. Its signature is not verified yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    /// The charge to pay.
    pub intent: ChargeIntent,
    /// The signature; absent in a payload from another backend.
    pub signature: Option<PayloadSignature>,
    /// The bytes before the signature, which covers all of them.
    pub signed: Vec<u8>,
}

/// A signature, `PayloadSignature` in `proto/charge_intent.proto`. It covers every byte before its own field, and is
/// valid only as the last field.
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
    /// A charge intent without a signature. HTTP 403.
    #[error(
        "The payload is not signed. Pass the payload of POST /v1/charges as it is; one that was made elsewhere shows no \
         card form here."
    )]
    Unsigned,
    /// The signature is not this service's, or not for these bytes. HTTP 403.
    #[error(
        "The payload's signature is not valid: the payload was changed, comes from another Cardform, or was signed with \
         a key that has been revoked. Get a new one from POST /v1/charges/{{id}}/client-secret."
    )]
    NotOurs,
    /// The merchant is unknown to this service, or not active. HTTP 403.
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
        // A card session has no charge before the shopper adds a card.
        if intent.charge_id.is_empty() != intent.is_card_session() || !is_id(&intent.charge_id) {
            return Err(PayloadError::Incomplete("the charge id"));
        }
        if !is_id(&intent.partner_id) || !is_id(&intent.shopper_id) {
            return Err(PayloadError::Incomplete("an id"));
        }
        if rules::amount::parse_of_charge(&intent.amount_value, &intent.amount_currency).is_err() {
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

/// Whether a text can be an id: databases compare it with stored ids.
fn is_id(text: &str) -> bool {
    text.chars().count() <= TEXT_CHARACTERS_MAX && !text.chars().any(char::is_control)
}

impl ChargeIntent {
    /// The intent of a payload. The signature is not verified.
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

/// The signature and the start of its field, if the last field of the message is a signature.
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
    // Our own payloads use the URL-safe alphabet and are decoded without a copy.
    if !text.bytes().any(|byte| matches!(byte, b'+' | b'/' | b' ')) {
        return URL_SAFE.decode(text).ok();
    }
    let url_safe = text.replace(['+', ' '], "-").replace('/', "_");
    URL_SAFE.decode(url_safe).ok()
}

#[cfg(test)]
mod tests;
