use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use super::*;
use crate::simulator::cards::TEST_CARDS;

/// Valid numbers that are not among the simulator's test cards: one of Maestro with twelve digits.
const OTHER_NUMBERS: [&str; 1] = ["501800000009"];

fn numbers() -> Vec<&'static str> {
    let cards = TEST_CARDS.iter().map(|card| card.number);
    cards.chain(OTHER_NUMBERS).collect()
}

fn fours(number: &str) -> Vec<&str> {
    (0..number.len())
        .step_by(4)
        .map(|from| &number[from..number.len().min(from + 4)])
        .collect()
}

fn twos(number: &str) -> Vec<&str> {
    (0..number.len())
        .step_by(2)
        .map(|from| &number[from..number.len().min(from + 2)])
        .collect()
}

fn spread(text: &str, between: &str) -> String {
    let characters: Vec<String> = text.chars().map(String::from).collect();
    characters.join(between)
}

/// Escaped as in JSON within JSON: `\\\\ud835\\\\udfd2`.
fn doubly_escaped(text: &str) -> String {
    let units = text.encode_utf16().map(|unit| format!("\\\\u{unit:04x}"));
    units.collect::<Vec<_>>().concat()
}

fn percent_encoded(text: &str) -> String {
    let bytes = text.bytes().map(|byte| format!("%{byte:02X}"));
    bytes.collect::<Vec<_>>().concat()
}

fn in_script(number: &str, zero: u32) -> String {
    number
        .bytes()
        .filter_map(|digit| char::from_u32(zero + u32::from(digit - b'0')))
        .collect()
}

/// The digits of all texts of a JSON value, in ASCII.
fn digits(json: &str) -> String {
    let read: Value = serde_json::from_str(json).unwrap_or_else(|_| panic!("{json} is no JSON"));
    let text = read.as_str().map_or_else(|| read.to_string(), str::to_owned);
    text.chars()
        .filter_map(decimal::decimal)
        .map(|value| char::from(b'0' + value))
        .collect()
}

#[track_caller]
fn assert_masked(text: &str, number: &str) {
    let masked = mask(text).unwrap_or_else(|| panic!("{text} is not masked"));
    assert!(!digits(&masked).contains(number), "{masked}");
}

#[test]
fn every_test_number_is_masked_in_every_format() {
    for number in numbers() {
        let fours = fours(number);
        let escaped: String = number
            .chars()
            .flat_map(|digit| ["\\u003".to_owned(), digit.to_string()])
            .collect();
        let ones: Vec<String> = number.chars().map(String::from).collect();
        let mut texts = vec![
            format!("\"{number}\""),
            format!("[{number}]"),
            format!("{{\"{number}\":1}}"),
            format!("\"{number} 12/30\""),
            format!("\"{number} 123\""),
            format!("\"1 {number}\""),
            format!("\"card{number}\""),
            format!("\"{number}card\""),
            format!("\"a_{number}_b\""),
            format!("\"n={number}&a=1\""),
            format!("\"\\n{number}\\n\""),
            format!("\"100%{number}\""),
            format!("\"9{number}9\""),
            format!("\"7{} 12\"", fours.join(" ")),
            format!("\"{escaped}\""),
            // A backslash and a letter directly before the number, as in a Windows path; backslashes between the
            // digits.
            format!("\"\\\\u{number}\""),
            format!("\"C:\\\\u{number}.txt\""),
            format!("\"\\\\u{number} 12/30\""),
            format!("\"{}\"", ones.join("\\\\")),
            format!("\"{}\"", twos(number).join("\\\\")),
            format!("\"{}\"", fours.join("\\\\")),
            // Eight invisible tag characters between two digits.
            format!(
                "\"{}\"",
                spread(&in_script(number, 0xFF10), &"\u{e0020}".repeat(8))
            ),
            format!("\"{}\"", doubly_escaped(&in_script(number, 0x1D7CE))),
            format!("\"{}\"", percent_encoded(&in_script(number, 0xFF10))),
            format!("\"{}\"", in_script(number, 0x1CCF0)),
            format!("\"{}\"", in_script(number, 0x10D40)),
            format!("\"{}\"", in_script(number, 0x11BF0)),
            format!("\"{}\"", in_script(number, 0xFF10)),
            format!("\"{}\"", in_script(number, 0x0660)),
            format!("\"{}\"", ones.join(" ")),
            format!("[\"{}\"]", fours.join("\", \"")),
            format!("[{}]", ones.join(",")),
            format!("{{\"at\":1763738400000,\"text\":\"it is {}.\"}}", fours.join(" ")),
        ];
        let separators = [
            " ",
            "-",
            "\\t",
            "\\n",
            "\u{a0}",
            "\\u00a0",
            ".",
            "/",
            "_",
            ":",
            ", ",
            " - ",
            "\u{2009}",
            "\u{200b}",
            "·",
            "%20",
            "+",
            "\\\\n",
            "\\\\u00a0",
            // Marks, numbers and symbols are not letters.
            "\u{345}",
            "\u{903}",
            "²",
            "½",
            "Ⓐ",
        ];
        texts.extend(
            separators
                .iter()
                .map(|separator| format!("\"{}\"", fours.join(separator))),
        );
        for text in texts {
            assert_masked(&text, number);
        }
    }
    assert_eq!(
        mask(r#"{"pan":"4242 4242 4242 4242","at":1763738400000}"#).as_deref(),
        Some(r#"{"pan":"9999 9999 9999 9999","at":1763738400000}"#)
    );
    assert_eq!(
        mask("\"3782 822463 10005\"").as_deref(),
        Some("\"9999 999999 99999\"")
    );
}

proptest! {
    #[test]
    fn a_test_number_in_any_text_is_masked(
        number in select(numbers()),
        before in ".{0,40}",
        after in ".{0,40}",
        separator in select(vec!["", " ", "-", "\t", "\u{a0}", ".", "/", " . "]),
    ) {
        let text = format!("{before}{}{after}", fours(number).join(separator));
        let json = Value::from(text.clone()).to_string();
        let masked = mask(&json);
        prop_assert!(masked.is_some(), "{}", json);
        // A digit of the text around the number may have been masked as one of the number's.
        prop_assert!(!digits(&masked.unwrap_or_default()).contains(number) || digits(&Value::from(before + &after).to_string()).contains(number));
        prop_assert!(has_card_number(text.as_bytes()), "{}", text);
    }

    #[test]
    fn a_test_number_among_other_digits_is_masked(
        number in select(numbers()),
        before in "[0-9]{0,3} ?",
        after in " ?[0-9]{0,4}",
    ) {
        let json = format!("\"{before}{number}{after}\"");
        prop_assert!(!digits(&mask(&json).unwrap_or_default()).contains(number), "{}", json);
    }

    #[test]
    fn masked_json_keeps_its_shape(text in ".{0,60}", number in any::<u64>(), digits in "[0-9 .-]{0,60}") {
        let json = serde_json::json!({ "text": text, "number": number, "list": [digits, number, 1.5] }).to_string();
        if let Some(masked) = mask(&json) {
            let shape = |text: &str| text.chars().map(|c| if decimal::decimal(c).is_some() { '9' } else { c }).collect::<String>();
            prop_assert!(serde_json::from_str::<Value>(&masked).is_ok(), "{}", masked);
            prop_assert_eq!(shape(&masked), shape(&json));
        }
    }
}

#[test]
fn digits_that_are_no_card_number_stay() {
    for text in [
        // Times as numbers, in milli-, micro- and nanoseconds; each has a window that passes the checksum.
        r#"{"at":1763738400007}"#,
        r#"{"at":1663738400007,"to":1663738400012}"#,
        "[1763738400007001,1763738400007001002]",
        "0.4242424242424242",
        r#"{"x":12.424242424242424,"y":0.5105105105105100}"#,
        "\"0000 0000 0000 0000\"",
        // UUIDs, and an id of Google Analytics.
        "\"42424242-4242-4242-8242-424242424242\"",
        "\"ch_42424242424242428242424242424242\"",
        "\"ch_0199f1c2a4b47cc09d8e4f6a7b8c9d0e\"",
        "\"GA1.1.1234567890.1763738400\"",
        "\"192.168.100.200\"",
        "\"2026-01-15 12:00:00.123\"",
        // The first fails the checksum; no issuer uses the others.
        "\"4242424242424241\"",
        "\"0000000000000000\"",
        "\"1111111111111117\"",
    ] {
        assert_eq!(mask(text), None, "{text}");
    }
}

#[test]
fn masked_digits_are_not_masked_again() {
    for count in 12..=19 {
        assert_eq!(mask(&format!("\"{}\"", "9".repeat(count))), None);
    }
}

/// If the neighbours of each window were read to their ends, this would take a quarter of an hour.
#[test]
fn time_grows_linearly_with_the_text() {
    let text = format!("\"{}\"", "4242424242424241".repeat(16 * 1024));
    let began = std::time::Instant::now();
    mask(&text);
    assert!(
        began.elapsed() < std::time::Duration::from_secs(30),
        "{:?}",
        began.elapsed()
    );
}
