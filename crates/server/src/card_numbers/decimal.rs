//! The decimal digits and the letters of all scripts, as Unicode defines them.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

/// The digit's value, 0 to 9; `None` for any other character.
pub(super) fn decimal(character: char) -> Option<u8> {
    if character.is_ascii() {
        return character.is_ascii_digit().then(|| character as u8 - b'0');
    }
    let is_digit = |code: &u32| category(*code) == GeneralCategory::DecimalNumber;
    let code = u32::from(character);
    if !is_digit(&code) {
        return None;
    }
    // The ten digits of a script follow each other and begin with zero. Those of another script may come directly
    // before them, so the count is taken modulo ten.
    let before = (0..code).rev().take_while(is_digit).count();
    u8::try_from(before % 10).ok()
}

/// Whether the character is a letter of any script. Marks, symbols and numbers are not letters.
pub(super) fn is_letter(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphabetic();
    }
    GeneralCategoryGroup::Letter.contains(category(u32::from(character)))
}

fn category(code: u32) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_script_are_read() {
        for (digits, value) in [
            ("4٤۴４𝟒𞓴\u{1ccf4}\u{10d44}\u{11bf4}", 4),
            ("0０٠𝟘\u{116da}", 0),
            ("9９٩𝟿🯹", 9),
        ] {
            for digit in digits.chars() {
                assert_eq!(decimal(digit), Some(value), "{digit}");
            }
        }
    }

    #[test]
    fn letters_symbols_and_other_numbers_are_no_digits() {
        for other in "aé/:²½①Ⅳ．　\u{a0}😀".chars() {
            assert_eq!(decimal(other), None, "{other}");
        }
    }

    #[test]
    fn marks_symbols_and_numbers_are_no_letters() {
        for other in "\u{345}\u{903}²½Ⓐ① 4٤_".chars() {
            assert!(!is_letter(other), "{other}");
        }
        assert!("aéжتあ漢".chars().all(is_letter));
    }
}
