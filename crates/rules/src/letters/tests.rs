use super::*;

#[test]
fn letter_ranges_ascend_and_contain_no_digit() {
    assert!(LETTERS.iter().all(|(first, last)| first <= last));
    assert!(LETTERS.windows(2).all(|pair| pair[0].1 < pair[1].0));
    let digits = DIGIT_ZEROS
        .iter()
        .flat_map(|&zero| (0..10).filter_map(move |n| char::from_u32(u32::from(zero) + n)));
    for digit in digits {
        assert!(digit.is_numeric() && !is_letter(digit), "{digit:?}");
    }
}

#[test]
fn letters_are_letters_in_unicode() {
    for c in [
        'ñ', 'Ñ', 'é', 'ß', 'ł', 'Ș', 'ş', 'ő', 'ř', 'Ж', 'ї', 'م', 'ก', 'ລ', 'မ', 'ខ', '田', 'か', 'カ',
        '김', 'Ễ', 'ª', 'º',
    ] {
        assert!(is_letter(c) && c.is_alphabetic(), "{c}");
    }
    for c in [
        '0', '@', '#', '$', '€', '฿', '\u{17db}', '。', '・', '؟', '×', '÷', '\u{200b}', '\u{202e}', '😀',
        ' ', '\u{a0}',
    ] {
        assert!(!is_letter(c), "{c:?}");
    }
    let numerals = (0..=0xffff)
        .filter_map(char::from_u32)
        .filter(|c| c.is_numeric() && is_letter(*c));
    assert_eq!(numerals.filter(|c| !c.is_alphabetic()).collect::<String>(), "");
}

#[test]
fn a_text_without_a_visible_character_is_not_visible() {
    for text in [
        "",
        " \n",
        "\u{200b}",
        "\u{feff}\u{a0}",
        "\u{3164}",
        "\u{2800}\u{fe0f}",
        "\u{202e}\u{e0020}",
    ] {
        assert!(!is_visible(text), "{text:?}");
    }
    for text in ["a", " -", "\u{200f}ש", "❤\u{fe0f}", "👨\u{200d}👩", "ក\u{17b6}"] {
        assert!(is_visible(text), "{text:?}");
    }
}
