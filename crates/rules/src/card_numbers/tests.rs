use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// A number of each brand with prefixes of its own, a number of no known brand, and numbers with unusual lengths.
const NUMBERS: [&str; 15] = [
    "4242424242424242",
    "4000000000000000006",
    "5555555555554444",
    "2223003122003222",
    "378282246310005",
    "36227206271667",
    "3056930009020004",
    "6011111111111117",
    "3566002020360505",
    "6200000000000005",
    "501800000009",
    "6759649826438453",
    "2200000000000004",
    "6062826786276634",
    "9792030394440796",
];

fn fours(number: &str) -> Vec<&str> {
    (0..number.len())
        .step_by(4)
        .map(|from| &number[from..number.len().min(from + 4)])
        .collect()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[track_caller]
fn assert_masked(text: &str, number: &str) {
    assert!(has_card_number(text.as_bytes()), "{text}");
    let masked = mask_card_numbers(text).unwrap_or_else(|| panic!("{text} is not masked"));
    assert!(!digits(&masked).contains(number), "{masked}");
}

#[test]
fn a_number_of_every_brand_is_masked_in_every_usual_format() {
    for number in NUMBERS {
        let fours = fours(number);
        let ones: Vec<String> = number.chars().map(String::from).collect();
        let around = [
            number.to_owned(),
            format!("[{number}]"),
            format!("{{\"{number}\":1}}"),
            format!("{number} 12/30"),
            format!("{number} 123"),
            format!("1 {number}"),
            format!("card{number}"),
            format!("{number}card"),
            format!("a_{number}_b"),
            format!("n={number}&a=1"),
            format!("\n{number}\n"),
            format!("100%{number}"),
            format!("9{number}9"),
            format!("7{} 12", fours.join(" ")),
            format!("C:\\u{number}.txt"),
            ones.join(" "),
            ones.join("\\"),
            ones.join(","),
            format!("[\"{}\"]", fours.join("\", \"")),
            format!("{{\"at\":1763738400000,\"text\":\"it is {}.\"}}", fours.join(" ")),
        ];
        let separators = [
            " ",
            "-",
            "\t",
            "\n",
            "\u{a0}",
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
            "%20%20",
            "%2D",
            "%2f",
            "%C2%A0",
            "%E2%80%8B",
            "\\t",
            "\\u00a0",
            "\\u200b\\u2011",
            "\u{345}",
            "²",
            "\u{e0020}\u{e0020}",
        ];
        let grouped = separators.iter().map(|separator| fours.join(separator));
        for text in around.into_iter().chain(grouped) {
            assert_masked(&text, number);
        }
    }
}

#[test]
fn a_masked_text_has_nines_in_place_of_the_digits() {
    for (text, masked) in [
        ("4242 4242 4242 4242, please", "9999 9999 9999 9999, please"),
        ("3782 822463 10005", "9999 999999 99999"),
        ("é4242-4242-4242-4242é", "é9999-9999-9999-9999é"),
    ] {
        assert_eq!(mask_card_numbers(text).as_deref(), Some(masked));
        assert_eq!(mask_card_numbers(masked), None);
    }
}

#[test]
fn digits_that_are_not_a_card_number_stay() {
    for text in [
        // Times in milliseconds; each has digits that pass the checksum.
        "{\"at\":1763738400007}",
        "{\"at\":1663738400007,\"to\":1663738400012}",
        "0000 0000 0000 0000",
        "9999999999999999",
        // A UUID, an id with letters, and an id of Google Analytics.
        "0199f1c2-a4b4-7cc0-9d8e-4f6a7b8c9d0e",
        "4242x4242x4242x4242",
        "GA1.1.1234567890.1763738400",
        "192.168.100.200",
        "2026-01-15 12:00:00.123",
        // The first fails the checksum, and no issuer uses the others.
        "4242424242424241",
        "1111111111111117",
        "7000000000000005",
        // Nine separators.
        "424242424242         4242",
    ] {
        assert_eq!(mask_card_numbers(text), None, "{text}");
        assert!(!has_card_number(text.as_bytes()), "{text}");
    }
}

#[test]
fn a_body_that_is_not_text_is_searched() {
    assert!(has_card_number(b"\xff\x004242424242424242\xfe"));
    assert!(!has_card_number(b"\xff\xfe"));
    assert!(!has_card_number(b""));
}

proptest! {
    #[test]
    fn a_number_in_any_text_is_masked(
        number in select(NUMBERS.to_vec()),
        before in ".{0,40}",
        after in ".{0,40}",
        separator in select(vec!["", " ", "-", "\t", "\u{a0}", ".", "/", " . "]),
    ) {
        let text = format!("{before}{}{after}", fours(number).join(separator));
        let masked = mask_card_numbers(&text);
        prop_assert!(masked.is_some(), "{}", text);
        // A digit beside the number may be masked as a digit of the number.
        prop_assert!(!digits(&masked.unwrap_or_default()).contains(number) || digits(&(before + &after)).contains(number));
        prop_assert!(has_card_number(text.as_bytes()), "{}", text);
    }

    #[test]
    fn a_number_among_other_digits_is_masked(
        number in select(NUMBERS.to_vec()),
        before in "[0-9]{0,3} ?",
        after in " ?[0-9]{0,4}",
    ) {
        let text = format!("{before}{number}{after}");
        prop_assert!(!digits(&mask_card_numbers(&text).unwrap_or_default()).contains(number), "{}", text);
    }

    #[test]
    fn masking_changes_only_digits(text in "[0-9 .-]{0,60}.{0,20}") {
        if let Some(masked) = mask_card_numbers(&text) {
            let shape = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "9");
            prop_assert_eq!(shape(&masked), shape(&text));
        }
    }
}

/// Each digit belongs to one run, and is the first of at most eight candidates of at most 19 digits.
#[test]
fn the_work_grows_linearly_with_the_text() {
    for text in [
        "4242424242424241".repeat(15 * 1_024),
        "6 ".repeat(120 * 1_024),
        "%20".repeat(80 * 1_024),
        "4242,".repeat(48 * 1_024),
    ] {
        let bytes = text.as_bytes();
        let digits: usize = runs(bytes).map(|run| run.len()).sum();
        let candidates: Vec<_> = runs(bytes)
            .flat_map(|run| candidates(bytes, &run).collect::<Vec<_>>())
            .collect();
        assert!(digits <= text.len());
        assert!(candidates.len() <= 8 * digits, "{}", candidates.len());
        assert!(candidates.iter().all(|card| card.len() <= 19));
    }
}
