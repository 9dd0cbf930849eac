//! The characters that are letters, and the digits of other scripts.
//!
//! The tables are our own, because Rust, browsers and the embedded engine have different versions of Unicode and would
//! disagree about new characters. The tables have the scripts of cardholders' names, with the marks on letters. A range
//! may include unassigned code points, which do no harm in a name.

/// The ranges of letters in ascending order: first letter, last letter.
pub const LETTERS: &[(char, char)] = &[
    // Latin.
    ('A', 'Z'),
    ('a', 'z'),
    // The ordinals of Spanish and Portuguese names: Mª.
    ('\u{aa}', '\u{aa}'),
    ('\u{ba}', '\u{ba}'),
    ('\u{c0}', '\u{d6}'),
    ('\u{d8}', '\u{f6}'),
    ('\u{f8}', '\u{2af}'),
    // The modifier letters of Ukrainian and Hawaiian names, and the marks of all alphabets.
    ('\u{2b9}', '\u{2bf}'),
    ('\u{300}', '\u{36f}'),
    // Greek, without its question mark and its upper dot.
    ('\u{370}', '\u{373}'),
    ('\u{376}', '\u{377}'),
    ('\u{37b}', '\u{37d}'),
    ('\u{386}', '\u{386}'),
    ('\u{388}', '\u{3f5}'),
    ('\u{3f7}', '\u{3ff}'),
    // Cyrillic.
    ('\u{400}', '\u{481}'),
    ('\u{483}', '\u{487}'),
    ('\u{48a}', '\u{52f}'),
    // Armenian.
    ('\u{531}', '\u{556}'),
    ('\u{560}', '\u{588}'),
    // Hebrew.
    ('\u{591}', '\u{5bd}'),
    ('\u{5bf}', '\u{5bf}'),
    ('\u{5c1}', '\u{5c2}'),
    ('\u{5c4}', '\u{5c5}'),
    ('\u{5d0}', '\u{5f2}'),
    // Arabic.
    ('\u{610}', '\u{61a}'),
    ('\u{620}', '\u{65f}'),
    ('\u{66e}', '\u{6d3}'),
    ('\u{6d5}', '\u{6dc}'),
    ('\u{6df}', '\u{6e8}'),
    ('\u{6ea}', '\u{6ef}'),
    ('\u{6fa}', '\u{6fc}'),
    ('\u{750}', '\u{77f}'),
    // The scripts of India and Sri Lanka, each without its digits and signs.
    ('\u{900}', '\u{963}'),
    ('\u{971}', '\u{9e3}'),
    ('\u{a01}', '\u{a63}'),
    ('\u{a70}', '\u{a75}'),
    ('\u{a81}', '\u{ae3}'),
    ('\u{b01}', '\u{b63}'),
    ('\u{b82}', '\u{bd7}'),
    ('\u{c00}', '\u{c63}'),
    ('\u{c80}', '\u{c83}'),
    ('\u{c85}', '\u{ce3}'),
    ('\u{d00}', '\u{d4e}'),
    ('\u{d54}', '\u{d57}'),
    ('\u{d5f}', '\u{d63}'),
    ('\u{d7a}', '\u{ddf}'),
    // Thai, without the baht.
    ('\u{e01}', '\u{e3a}'),
    ('\u{e40}', '\u{e4e}'),
    // Lao.
    ('\u{e81}', '\u{ece}'),
    ('\u{edc}', '\u{edf}'),
    // Burmese.
    ('\u{1000}', '\u{103f}'),
    ('\u{1050}', '\u{108f}'),
    // Georgian.
    ('\u{10a0}', '\u{10fa}'),
    ('\u{10fc}', '\u{10ff}'),
    // The parts of Hangul.
    ('\u{1100}', '\u{11ff}'),
    // Ethiopic.
    ('\u{1200}', '\u{135f}'),
    // Khmer, without its punctuation and the riel.
    ('\u{1780}', '\u{17d3}'),
    ('\u{17d7}', '\u{17d7}'),
    ('\u{17dc}', '\u{17dd}'),
    // Georgian capitals.
    ('\u{1c90}', '\u{1cbf}'),
    // The Latin of Vietnamese.
    ('\u{1e00}', '\u{1eff}'),
    // Kana, Bopomofo, Hangul, and the characters of Chinese, Japanese and Korean.
    ('\u{3005}', '\u{3006}'),
    ('\u{3041}', '\u{3096}'),
    ('\u{3099}', '\u{309a}'),
    ('\u{309d}', '\u{309f}'),
    ('\u{30a1}', '\u{30fa}'),
    ('\u{30fc}', '\u{30ff}'),
    ('\u{3105}', '\u{312f}'),
    ('\u{3131}', '\u{318e}'),
    ('\u{3400}', '\u{4dbf}'),
    ('\u{4e00}', '\u{9fff}'),
    ('\u{ac00}', '\u{d7a3}'),
    ('\u{f900}', '\u{faff}'),
    // Latin and kana in the widths of Chinese and Japanese.
    ('\u{ff21}', '\u{ff3a}'),
    ('\u{ff41}', '\u{ff5a}'),
    ('\u{ff66}', '\u{ff9f}'),
    ('\u{20000}', '\u{3ffff}'),
];

/// The zero of each script whose digits people type instead of 0 to 9. The nine other digits follow the zero.
pub const DIGIT_ZEROS: &[char] = &[
    '0', '\u{660}',  // Arabic
    '\u{6f0}',  // Persian and Urdu
    '\u{966}',  // Devanagari
    '\u{9e6}',  // Bengali
    '\u{e50}',  // Thai
    '\u{ed0}',  // Lao
    '\u{1040}', // Burmese
    '\u{17e0}', // Khmer
    '\u{ff10}', // full-width
];

/// Whether `c` is a letter or a mark on a letter.
pub fn is_letter(c: char) -> bool {
    let after = LETTERS.partition_point(|&(first, _)| first <= c);
    after > 0 && c <= LETTERS[after - 1].1
}

/// Whether a character is not shown, but changes how a terminal, a log or a page shows the text around it: control
/// characters, other line ends, and characters that change the direction or the shape of text, or hide it.
pub fn is_hidden_control(c: char) -> bool {
    c.is_control()
        || is_direction_mark(c)
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
}

/// Whether a text shows something: a character that is neither a space nor invisible by itself.
pub fn is_visible(text: &str) -> bool {
    text.chars().any(|c| {
        let is_invisible = matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        );
        !(is_invisible || c.is_whitespace() || c.is_control())
    })
}

/// Whether a character only marks a direction, as names in Arabic and Hebrew use it. It changes nothing before it.
pub fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
}

#[cfg(test)]
mod tests;
