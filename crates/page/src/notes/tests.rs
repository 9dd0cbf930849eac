//! Notes for the merchant's developer.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde_json::json;

use super::*;

fn told(options: &Value) -> Vec<String> {
    let Value::Object(given) = options else {
        panic!("{options}")
    };
    of_options(given)
}

#[test]
fn every_option_of_a_form_is_known_here() {
    let mut known: Vec<_> = words(OPTIONS).map(snake_case).collect();
    let mut own: Vec<_> = FieldNames::of::<FormOptions>().into();
    known.sort_unstable();
    own.sort_unstable();
    assert_eq!(known, own);
}

/// Learns the names of all fields that a type reads, also of those that it does not always write.
struct FieldNames<'a>(&'a mut &'static [&'static str]);

impl FieldNames<'_> {
    fn of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
        let mut names: &[_] = &[];
        let _ = T::deserialize(FieldNames(&mut names));
        names
    }
}

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = fields;
        Err(Error::custom("only the names are wanted"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Error::custom("this is no struct"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[test]
fn an_unknown_option_is_named_with_the_nearest_one() {
    for (name, meant) in [
        ("showCardHolderName", Some("showCardholderName")),
        ("showCardholderNam", Some("showCardholderName")),
        ("show_cardholder_mail", Some("showCardholderEmail")),
        ("colourMode", Some("colorMode")),
        ("theme", None),
        ("holderEmail", Some("cardholderEmail")),
    ] {
        let meant = meant.map_or_else(String::new, |meant| format!(" Is it {meant}?"));
        assert_eq!(
            told(&json!({name: true})),
            [format!("options.{name} is not known.{meant}")]
        );
    }
    assert_eq!(
        told(&json!({"cookieId": "c", "hide_title": true, "given": ["url"]})),
        [""; 0]
    );
}

#[test]
fn a_misplaced_name_is_told_with_its_place() {
    assert_eq!(
        told(&json!({"customStyle": {}, "given": ["payload", "hideTitle", "padding", "onReadychange"]})),
        [
            "options.customStyle has no effect: pass `customStyle` beside `options`.",
            "`hideTitle` has no effect: pass it in `options`.",
            "`padding` has no effect: pass it in `customStyle`.",
            "onReadychange is not known. Is it onReadyChange?",
        ]
    );
}

#[test]
fn a_value_of_another_type_is_named_and_spoils_only_itself() {
    let given = json!({"hideTitle": "yes", "cookieId": "c1"});
    assert_eq!(
        told(&given),
        ["options.hideTitle has a value that it cannot have, and is left out."]
    );
    let Value::Object(given) = given else { panic!() };
    assert_eq!(options::read(given).cookie_id.as_deref(), Some("c1"));
}

#[test]
fn an_unknown_contrast_is_named_and_does_not_switch_the_repair_off() {
    let given = json!({"contrast": "AAA", "given": ["url"]});
    assert_eq!(
        told(&given),
        ["options.contrast has a value that it cannot have, and is left out."]
    );
    for (contrast, repairs) in [(json!("AAA"), true), (json!("AA"), true), (json!(null), false)] {
        let given = json!({"contrast": contrast, "given": ["url"]});
        let Value::Object(given) = given else { panic!() };
        assert_eq!(options::read(given).contrast.is_some(), repairs, "{contrast}");
    }
}

#[test]
fn notes_are_few_and_short() {
    let many: Map<_, _> = (0..500)
        .map(|at| (format!("{at}{}", "x".repeat(500)), json!(1)))
        .collect();
    let notes = of_options(&many);
    assert_eq!(notes.len(), NOTES_MAX);
    assert!(notes.iter().all(|note| note.len() < 200), "{notes:?}");
}
