//! The decimal digits of all scripts (Unicode 15, category Nd).

/// Each script's zero; its nine others follow.
const ZEROS: [u32; 65] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6,
    0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0,
    0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30,
    0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0,
    0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC,
    0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// What the character counts as a digit, if it is one.
pub(super) fn decimal(character: char) -> Option<u8> {
    if character.is_ascii() {
        return character.is_ascii_digit().then(|| character as u8 - b'0');
    }
    let code = u32::from(character);
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last()?;
    u8::try_from(code - zero).ok().filter(|value| *value < 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_script_count() {
        for (digits, value) in [("4٤۴४４𝟒", 4), ("0０٠𝟘", 0), ("9９٩𝟿🯹", 9)] {
            for digit in digits.chars() {
                assert_eq!(decimal(digit), Some(value), "{digit}");
            }
        }
        assert!(ZEROS.is_sorted());
    }

    #[test]
    fn letters_signs_and_numbers_that_are_no_digits_do_not_count() {
        for other in "aé/:²½①Ⅳ．　\u{a0}😀".chars() {
            assert_eq!(decimal(other), None, "{other}");
        }
    }
}
