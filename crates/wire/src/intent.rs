//! The charge intent: what `?payload=` says is to be paid (specification, point 3).

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, general_purpose};
use prost::Message;
use serde::Serialize;
use thiserror::Error;

/// The country of a payment method when the intent names none ("§9": default country US).
pub const DEFAULT_COUNTRY: &str = "US";

/// The longest payload that is looked at, in bytes of base64. An intent is some hundred bytes; this leaves room for
/// a merchant's custom data and keeps the URL under what proxies pass on.
pub const PAYLOAD_BYTES_MAX: usize = 16 * 1024;

/// Which charge is to be paid, as the merchant's server described it. The fields stand in the order of the
/// specification's point 3 and of `proto/charge_intent.proto`.
#[derive(Clone, PartialEq, Message, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename_all = "camelCase")]
pub struct ChargeIntent {
    /// The merchant's code of what is bought.
    #[prost(string, tag = "1")]
    pub item_code: String,
    /// The name of what is bought, shown on the standalone page.
    #[prost(string, tag = "2")]
    pub item_name: String,
    /// A decimal number in the currency's major unit: "12.50".
    #[prost(string, tag = "3")]
    pub amount_value: String,
    /// ISO 4217: "USD".
    #[prost(string, tag = "4")]
    pub amount_currency: String,
    /// The merchant's own reference of the order.
    #[prost(string, tag = "5")]
    pub partner_reference: String,
    /// The merchant's own id of the shopper.
    #[prost(string, tag = "6")]
    pub partner_shopper_id: String,
    /// ISO 3166-1 alpha-2; "US" when the payload leaves it empty.
    #[prost(string, tag = "7")]
    pub payment_method_country_code: String,
    /// The id of the charge.
    #[prost(string, tag = "8")]
    pub charge_id: String,
    /// A JSON object as text.
    #[prost(string, tag = "9")]
    pub partner_custom_data: String,
    /// The shopper's email as the merchant knows it, or empty.
    #[prost(string, tag = "10")]
    pub shopper_email: String,
    /// The shopper's zip code.
    #[prost(string, optional, tag = "11")]
    pub zip_code: Option<String>,
    /// Whether the shopper may save the card.
    #[prost(bool, optional, tag = "12")]
    pub enable_save_payment_method: Option<bool>,
    /// The shopper's id in the vault, or empty for a guest.
    #[prost(string, tag = "13")]
    pub shopper_id: String,
    /// Whether the shopper started this charge (sent when paying with a saved card).
    #[prost(bool, tag = "14")]
    pub user_initiated: bool,
    /// Whether saved cards are offered.
    #[prost(bool, tag = "15")]
    pub display_saved_payment_method_list: bool,
    /// Whether cards of this charge are eligible for saving.
    #[prost(bool, tag = "16")]
    pub eligible_save_payment_methods: bool,
    /// The merchant.
    #[prost(string, tag = "17")]
    pub partner_id: String,
}

/// Why a payload cannot be used. The words are for the merchant's developer; none repeats the payload.
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
}

impl ChargeIntent {
    /// Reads the value of `?payload=`: base64 in the standard or the URL-safe alphabet, padded or not.
    pub fn from_payload(payload: &str) -> Result<Self, PayloadError> {
        if payload.is_empty() {
            return Err(PayloadError::Missing);
        }
        if payload.len() > PAYLOAD_BYTES_MAX {
            return Err(PayloadError::TooLong);
        }
        let bytes = decode_base64(payload).ok_or(PayloadError::NotBase64)?;
        let mut intent = Self::decode(bytes.as_slice()).map_err(|_| PayloadError::NotAnIntent)?;
        if intent.charge_id.is_empty() {
            return Err(PayloadError::Incomplete("the charge id"));
        }
        if rules::amount::parse(&intent.amount_value, &intent.amount_currency).is_err() {
            return Err(PayloadError::Incomplete("the amount"));
        }
        if intent.payment_method_country_code.is_empty() {
            DEFAULT_COUNTRY.clone_into(&mut intent.payment_method_country_code);
        }
        Ok(intent)
    }

    /// The intent as it goes into `?payload=`: URL-safe base64 without padding, so that it needs no percent-encoding.
    pub fn to_payload(&self) -> String {
        general_purpose::URL_SAFE_NO_PAD.encode(self.encode_to_vec())
    }
}

/// Base64 of either alphabet, padded or not. A `+` that a careless query parser turned into a space is taken as `+`.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    const CONFIG: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
    let standard: String = text
        .chars()
        .map(|c| match c {
            '-' | ' ' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    STANDARD.decode(standard).ok()
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
    fn a_plus_that_became_a_space_is_still_read() {
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

    #[test]
    fn an_unusable_payload_says_what_is_wrong_with_it() {
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
