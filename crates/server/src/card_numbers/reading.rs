//! Reads the digits of a text as sequences. Two digits of a sequence have no letter and at most eight other characters
//! between them.

use std::ops::Range;

use super::decimal::{decimal, is_letter};

/// The fewest digits of a card number (Maestro's).
pub(super) const DIGITS_MIN: usize = 12;

/// How many characters that are neither letters nor digits may stand between two digits of a number.
const SEPARATORS_MAX: usize = 8;
/// Times of 2015 to 2038, in milliseconds since 1970; in micro- and nanoseconds they have the same first 13 digits.
/// Later times could be card numbers, because Mir's begin with 22.
const TIMES: Range<u64> = 1_420_070_400_000..2_177_452_800_000;
const TIME_DIGITS: usize = 13;

/// A digit of a sequence.
#[derive(Debug, Clone)]
pub(super) struct Digit {
    /// 0 to 9.
    pub(super) value: u8,
    /// The bytes of the text that it is written with.
    pub(super) place: Range<usize>,
    /// The number of its group. Digits of one group have nothing between them.
    pub(super) group: usize,
}

/// Which escapes are read, besides `\n` and similar ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Escapes {
    /// `\u0034` is a 4. Otherwise it is a backslash, a letter and four digits, as in `C:\u0034`.
    pub(super) unicode: bool,
    /// `%34` is a 4. Otherwise it is a percent sign and two digits.
    pub(super) percent: bool,
}

/// What the quick check of a text finds.
pub(super) struct QuickCheck {
    pub(super) has_unicode: bool,
    pub(super) has_percent: bool,
}

/// A quick check that rules out nearly every text: `None` if there are not enough digits near each other.
pub(super) fn quick_check(text: &str) -> Option<QuickCheck> {
    let bytes = text.as_bytes();
    let (mut near, mut all, mut most, mut separators) = (0, 0, 0, 0);
    let (mut has_percent, mut has_unicode) = (false, false);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'0'..=b'9' => {
                near += 1;
                all += 1;
                most = most.max(near);
                separators = 0;
            }
            b'a'..=b'z' | b'A'..=b'Z' => near = 0,
            // An escape may stand for a digit, or its own digits may belong to a number. Its letter does not end a
            // sequence.
            b'\\' => {
                while bytes.get(at) == Some(&b'\\') {
                    at += 1;
                }
                match bytes.get(at) {
                    Some(b'u') => {
                        has_unicode = true;
                        let code = bytes.get(at + 1..at + 5).unwrap_or_default();
                        let digits = code.iter().filter(|byte| byte.is_ascii_digit()).count();
                        near += 1 + digits;
                        all += digits;
                        most = most.max(near);
                        at += 5;
                        separators = 0;
                    }
                    Some(b'n' | b't' | b'r' | b'b' | b'f') => at += 1,
                    _ => {}
                }
                separators += 1;
            }
            // Other scripts' digits begin with one of these bytes.
            0xD9 | 0xDB | 0xDF | 0xE0 | 0xE1 | 0xEA | 0xEF | 0xF0 => {
                match text
                    .get(at - 1..)
                    .and_then(|rest| rest.chars().next())
                    .map(symbol_of)
                {
                    Some(Symbol::Digit(_)) => {
                        near += 1;
                        most = most.max(near);
                        separators = 0;
                    }
                    Some(Symbol::Letter) => near = 0,
                    _ => separators += 1,
                }
            }
            // The later bytes of a character.
            0x80..=0xBF => {}
            _ => {
                has_percent |= byte == b'%';
                separators += 1;
            }
        }
        if separators > SEPARATORS_MAX {
            near = 0;
        }
    }
    (most >= DIGITS_MIN || has_percent && all >= DIGITS_MIN).then_some(QuickCheck {
        has_unicode,
        has_percent,
    })
}

/// A character of the text, after escapes are read.
enum Symbol {
    Digit(u8),
    Letter,
    Other,
    /// A quotation mark that begins or ends a JSON text.
    Quote,
}

/// Iterates over the sequences of a text.
pub(super) struct Sequences<'a> {
    text: &'a str,
    escapes: Escapes,
    is_json: bool,
    at: usize,
    is_in_text: bool,
}

impl<'a> Sequences<'a> {
    pub(super) fn of(text: &'a str, escapes: Escapes, is_json: bool) -> Self {
        Self {
            text,
            escapes,
            is_json,
            at: 0,
            is_in_text: false,
        }
    }

    /// Reads the next character and moves `self.at` to its end.
    fn symbol(&mut self) -> Option<Symbol> {
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        if first == '\\' {
            return Some(self.escaped(rest));
        }
        if first == '%'
            && self.escapes.percent
            && let Some((character, bytes)) = percent_escaped(rest)
        {
            self.at += 3 * bytes;
            return Some(symbol_of(character));
        }
        self.at += first.len_utf8();
        Some(match first {
            '"' if self.is_json => Symbol::Quote,
            other => symbol_of(other),
        })
    }

    /// Reads an escape. JSON within JSON has several backslashes before it.
    fn escaped(&mut self, rest: &str) -> Symbol {
        let backslashes = rest.bytes().take_while(|byte| *byte == b'\\').count();
        let after = rest[backslashes..].chars().next();
        self.at += backslashes;
        match after {
            Some('u') if self.escapes.unicode => {
                let Some(code) = hexadecimal(rest, backslashes + 1, 4) else {
                    return Symbol::Other;
                };
                self.at += 5;
                // A code that is no character is half of a surrogate pair. Mathematical digits are written as such
                // pairs.
                match char::from_u32(code) {
                    Some(character) => symbol_of(character),
                    None => self.pair(code),
                }
            }
            Some('n' | 't' | 'r' | 'b' | 'f' | '/') => {
                self.at += 1;
                Symbol::Other
            }
            // After an even number of backslashes, a quotation mark ends the text.
            Some('"') if !backslashes.is_multiple_of(2) => {
                self.at += 1;
                Symbol::Other
            }
            _ => Symbol::Other,
        }
    }

    /// Reads the second half of a surrogate pair, `\ud835\udfd2`.
    fn pair(&mut self, high: u32) -> Symbol {
        let rest = &self.text[self.at..];
        let backslashes = rest.bytes().take_while(|byte| *byte == b'\\').count();
        let low = (backslashes > 0 && rest[backslashes..].starts_with('u'))
            .then(|| hexadecimal(rest, backslashes + 1, 4))
            .flatten()
            .filter(|low| (0xDC00..0xE000).contains(low));
        match (high, low) {
            (0xD800..0xDC00, Some(low)) => {
                self.at += backslashes + 5;
                let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                symbol_of(char::from_u32(code).unwrap_or(' '))
            }
            _ => Symbol::Other,
        }
    }

    /// Whether the fraction of a JSON number begins here. Its digits are no card number.
    fn is_fraction(&self, bytes: &[u8], from: usize) -> bool {
        self.is_json && !self.is_in_text && bytes[from] == b'.'
    }

    /// Whether the last group is a JSON number that is a time.
    fn ends_with_time(&self, digits: &[Digit]) -> bool {
        if !self.is_json || self.is_in_text {
            return false;
        }
        let Some(last) = digits.last() else {
            return false;
        };
        let from = digits.partition_point(|digit| digit.group < last.group);
        is_time(&digits[from..])
    }
}

impl Iterator for Sequences<'_> {
    type Item = Vec<Digit>;

    /// The next sequence that is long enough.
    fn next(&mut self) -> Option<Vec<Digit>> {
        let bytes = self.text.as_bytes();
        let mut digits: Vec<Digit> = Vec::new();
        let (mut separators, mut group) = (0, 0);
        loop {
            let from = self.at;
            let symbol = self.symbol();
            let is_over = match symbol {
                Some(Symbol::Digit(value)) => {
                    group += usize::from(separators > 0);
                    separators = 0;
                    digits.push(Digit {
                        value,
                        place: from..self.at,
                        group,
                    });
                    false
                }
                // The digits of a fraction are skipped, and a JSON number that is a time is removed from the sequence.
                Some(Symbol::Other | Symbol::Quote) => {
                    let is_fraction = separators == 0 && !digits.is_empty() && self.is_fraction(bytes, from);
                    if separators == 0 && self.ends_with_time(&digits) {
                        digits.retain(|digit| digit.group != group);
                    }
                    self.is_in_text ^= matches!(symbol, Some(Symbol::Quote));
                    if is_fraction {
                        while bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                            self.at += 1;
                        }
                    }
                    separators += 1;
                    is_fraction || separators > SEPARATORS_MAX
                }
                Some(Symbol::Letter) => true,
                None => {
                    if separators == 0 && self.ends_with_time(&digits) {
                        digits.retain(|digit| digit.group != group);
                    }
                    true
                }
            };
            if is_over {
                if digits.len() >= DIGITS_MIN {
                    return Some(digits);
                }
                symbol.as_ref()?;
                digits.clear();
                separators = 0;
            }
        }
    }
}

fn is_time(digits: &[Digit]) -> bool {
    let first = digits
        .iter()
        .take(TIME_DIGITS)
        .fold(0_u64, |number, digit| number * 10 + u64::from(digit.value));
    matches!(digits.len(), 13 | 16 | 19) && TIMES.contains(&first)
}

fn symbol_of(character: char) -> Symbol {
    match decimal(character) {
        Some(value) => Symbol::Digit(value),
        None if is_letter(character) => Symbol::Letter,
        None => Symbol::Other,
    }
}

/// The first character of a text, written as `%EF%BC%94`, and how many bytes it has in UTF-8. A byte that is no
/// character is read as a space.
fn percent_escaped(text: &str) -> Option<(char, usize)> {
    const BYTES_MAX: usize = 4;
    let byte = |index: usize| {
        let from = 3 * index;
        let is_escape = text.as_bytes().get(from) == Some(&b'%');
        is_escape.then(|| hexadecimal(text, from + 1, 2)).flatten()
    };
    let bytes: Vec<u8> = (0..BYTES_MAX)
        .map_while(|index| u8::try_from(byte(index)?).ok())
        .collect();
    let valid = match std::str::from_utf8(&bytes) {
        Ok(all) => all,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    let character = valid.chars().next();
    (!bytes.is_empty()).then(|| character.map_or((' ', 1), |character| (character, character.len_utf8())))
}

/// The number of `count` hexadecimal digits from this byte on.
fn hexadecimal(text: &str, from: usize, count: usize) -> Option<u32> {
    let digits = text.get(from..from + count)?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hexadecimal
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
}
