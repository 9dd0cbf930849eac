//! Card numbers are only where tests and readers need them, so that no real card number gets into the code by mistake.

use super::Finding;
use super::source::Source;

/// A card number has 13 to 19 digits. (Maestro's twelve are left out: too much else has twelve.)
const DIGITS: std::ops::RangeInclusive<usize> = 13..=19;

/// Where card numbers belong: cases, documents, the simulator's own list, those that trials, simulated shoppers and the
/// tests of the API pay with, those of the test helpers, and the one the demo shop shows.
const HOMES: [&str; 8] = [
    "cases/",
    "docs/",
    "crates/server/src/simulator/cards.rs",
    "crates/server/src/demo/traffic/cards.rs",
    "dev/harness/src/test_cards.rs",
    "sdk/testing/src/test-cards.ts",
    "demo/src/test-cards.tsx",
    "dev/xtask/src/test/api/schemathesis.toml",
];

/// Files that are written by tools and full of digits.
const WRITTEN_BY_TOOLS: [&str; 2] = ["package-lock.json", "Cargo.lock"];

/// Every card number outside tests and the places where card numbers belong.
pub(super) fn only_in_tests(sources: &[Source]) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in sources {
        let name = source.path.rsplit('/').next().unwrap_or_default();
        let is_home = HOMES.iter().any(|home| source.path.starts_with(home)) || name == "README.md";
        if is_home || WRITTEN_BY_TOOLS.contains(&name) {
            continue;
        }
        let tests_from = source.tests_from().unwrap_or(usize::MAX);
        for (index, line) in source.text.lines().enumerate().take(tests_from - 1) {
            // The number itself is not repeated: the report goes to logs.
            let what = "a card number stands outside tests, cases/, docs/ and the lists of test cards";
            found.extend(has_card_number(line).then(|| source.finding("card-numbers", index + 1, what)));
        }
    }
    found
}

/// Whether `line` holds digits, alone or in groups, that are as many as a card number's and pass its checksum.
fn has_card_number(line: &str) -> bool {
    let characters: Vec<char> = line.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        if !characters[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let mut digits = Vec::new();
        while let Some(digit) = characters.get(at).and_then(|c| c.to_digit(10)) {
            digits.push(digit);
            let is_grouped = matches!(characters.get(at + 1), Some(' ' | '-'))
                && characters.get(at + 2).is_some_and(char::is_ascii_digit);
            at += if is_grouped { 2 } else { 1 };
        }
        // A fraction, a hash and the like are no numbers of their own.
        let before = start.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(at).copied();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let is_alone =
            !before.is_some_and(is_part) && !after.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if is_alone && DIGITS.contains(&digits.len()) && digits[0] != 0 && passes_luhn_check(&digits) {
            return true;
        }
    }
    false
}

/// Luhn's checksum, as in the `rules` crate, which this crate does not need otherwise.
fn passes_luhn_check(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| match index % 2 {
            0 => *digit,
            _ => digit * 2 / 10 + digit * 2 % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_numbers_are_distinguished_from_other_digits() {
        for line in [
            "\"4242424242424242\"",
            "4242 4242 4242 4242",
            "378282246310005",
            "x: 4242-4242-4242-4242,",
        ] {
            assert!(has_card_number(line), "{line}");
        }
        for line in [
            "4242424242424241",
            "0.4242424242424242",
            "a4242424242424242",
            "0000 0000 0000 0000",
            "424242424242",
            "1_800_000",
            "42424242424242424242424242",
        ] {
            assert!(!has_card_number(line), "{line}");
        }
    }

    #[test]
    fn card_numbers_stand_where_they_belong() {
        let lines = |path: &str, text: &str| {
            let found = only_in_tests(&[Source::new(path.to_owned(), text.to_owned())]);
            found.iter().map(|finding| finding.line).collect::<Vec<_>>()
        };
        let text = "a\n4242424242424242\n";
        assert_eq!(lines("form/src/view/app.tsx", text), [2]);
        assert_eq!(
            lines(
                "crates/server/src/a.rs",
                "4242424242424242\n#[cfg(test)]\nmod tests {\n4242424242424242"
            ),
            [1]
        );
        for path in [
            "form/src/a.test.ts",
            "cases/number.json",
            "docs/a.md",
            "README.md",
            "crates/server/src/simulator/cards.rs",
        ] {
            assert!(lines(path, text).is_empty(), "{path}");
        }
    }
}
