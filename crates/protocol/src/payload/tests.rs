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
fn a_payload_is_for_a_charge_or_for_a_card_session() {
    let read = |charge_id: &str, card_session: &str| {
        let intent = ChargeIntent {
            charge_id: charge_id.into(),
            card_session: card_session.into(),
            amount_value: "0".into(),
            ..gems()
        };
        ChargeIntent::from_payload(&intent.to_payload()).is_ok()
    };
    assert!(read("ch_1", "") && read("", "cs_1"));
    assert!(!read("", "") && !read("ch_1", "cs_1"));
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

/// [`ChargeIntent`] is the message without the signature's field.
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
