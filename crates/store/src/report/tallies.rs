//! What is counted of a span of time: each word with its counts. A row of the database holds all of them as one text, so
//! that a report reads a few rows and adds them up.
//!
//! The text is a row of `length:key` and the key's counts, like `6:lde-DE3,0,1;`: a topic's letter and a word of six bytes
//! together, then counts up to the last one that is not 0. The keys are in order.

use smol_str::{SmolStr, format_smolstr};

use super::super::StoreError;

/// The counts of a word: of visits those that came as far as each step and no further.
pub(super) type Counts = [i64; 5];

/// How many parts of an amount's unit are counted: no currency has more digits after the point than four.
const PARTS_OF_UNIT: i32 = 10_000;
const DIGITS_OF_PARTS: usize = 4;
/// No `i64` has more.
const DIGITS_MAX: usize = 19;

/// Words with their counts, in the order of their keys. A key is the letter of a topic, followed by the word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tallies(Vec<(SmolStr, Counts)>);

impl Tallies {
    /// Adds to the counts of a word.
    pub(super) fn add(&mut self, topic: char, word: &str, counts: &Counts) {
        let mut letter = [0; 4];
        let letter = topic.encode_utf8(&mut letter).as_bytes();
        let found = self.0.binary_search_by(|(known, _)| {
            let (of_topic, rest) = known.as_bytes().split_at(letter.len().min(known.len()));
            of_topic.cmp(letter).then_with(|| rest.cmp(word.as_bytes()))
        });
        match found {
            Ok(at) => self.add_at(at, counts),
            Err(at) => self.0.insert(at, (key_of(topic, word), *counts)),
        }
    }

    fn add_at(&mut self, at: usize, counts: &Counts) {
        if let Some((_, known)) = self.0.get_mut(at) {
            for (known, more) in known.iter_mut().zip(counts) {
                *known = known.saturating_add(*more);
            }
        }
    }

    /// Adds to the counts of a key, and says where the next one is. Rows have nearly the same keys, so it is likely to be
    /// where it is `expected`.
    pub(super) fn add_key(&mut self, key: &str, counts: &Counts, expected: usize) -> usize {
        match self.0.get(expected) {
            Some((known, _)) if known == key => {
                self.add_at(expected, counts);
                return expected + 1;
            }
            None if self.0.last().is_none_or(|(last, _)| last.as_str() < key) => {
                self.0.push((SmolStr::new(key), *counts));
                return self.0.len();
            }
            _ => {}
        }
        let found = self.0.binary_search_by(|(known, _)| known.as_str().cmp(key));
        match found {
            Ok(at) => self.add_at(at, counts),
            Err(at) => self.0.insert(at, (SmolStr::new(key), *counts)),
        }
        found.unwrap_or_else(|at| at) + 1
    }

    /// Adds all of the other.
    pub(super) fn merge(&mut self, other: &Self) {
        let mut next = 0;
        for (key, counts) in &other.0 {
            next = self.add_key(key, counts, next);
        }
    }

    /// Adds all of a row.
    pub(super) fn add_text(&mut self, text: &str) -> Result<(), StoreError> {
        let mut next = 0;
        each_word(text, |key, counts| {
            next = self.add_key(key, counts, next);
            Ok(())
        })
    }

    /// The text for a row, empty if nothing is counted.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (key, counts) in self.counted() {
            for part in [&key.len().to_string(), ":", key, &counts_text(counts), ";"] {
                text.push_str(part);
            }
        }
        text
    }

    /// The words of the text, in its order, with their counts.
    pub(super) fn counted(&self) -> impl Iterator<Item = (&SmolStr, &Counts)> {
        let all = self.0.iter().map(|(key, counts)| (key, counts));
        all.filter(|(_, counts)| counts.iter().any(|count| *count != 0))
    }

    /// Leaves out words without counts: all that was added was taken away.
    pub(super) fn drop_zeros(&mut self) {
        self.0.retain(|(_, counts)| *counts != Counts::default());
    }

    /// Leaves out the words of a topic that are not wanted.
    pub(super) fn keep(&mut self, topic: char, wanted: impl Fn(&str) -> bool) {
        self.0
            .retain(|(key, _)| key.strip_prefix(topic).is_none_or(&wanted));
    }

    /// The words of a topic in their order.
    pub(super) fn of_topic(&self, topic: char) -> impl Iterator<Item = (&str, &Counts)> {
        let entries = self.0.iter();
        entries.filter_map(move |(key, counts)| Some((key.strip_prefix(topic)?, counts)))
    }
}

/// The key of a word.
pub(super) fn key_of(topic: char, word: &str) -> SmolStr {
    format_smolstr!("{topic}{word}")
}

/// Counts up to the last one that is not 0.
pub(super) fn counts_text(counts: &Counts) -> String {
    let last = counts.iter().rposition(|count| *count != 0);
    let length = last.map_or(0, |last| last + 1);
    let numbers: Vec<String> = counts.iter().take(length).map(i64::to_string).collect();
    numbers.join(",")
}

/// Gives the keys of a row's text with their counts, in its order.
pub(super) fn each_word<'a>(
    text: &'a str,
    mut word: impl FnMut(&'a str, &Counts) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut at = 0;
    while at < text.len() {
        let (key, counts, after) = entry(text, at).ok_or(UNREADABLE)?;
        word(key, &counts)?;
        at = after;
    }
    Ok(())
}

/// The counts of the first word of a row's text, if it is the one word of this topic.
pub(super) fn counts_of_first(text: &str, topic: char) -> Result<Counts, StoreError> {
    if text.is_empty() {
        return Ok(Counts::default());
    }
    let (key, counts, _) = entry(text, 0).ok_or(UNREADABLE)?;
    let is_topic = key.strip_prefix(topic) == Some("");
    is_topic.then_some(counts).ok_or(UNREADABLE)
}

pub(super) const UNREADABLE: StoreError = StoreError::Unusable("counts of a report");

/// The word that begins at this byte with its counts, and where the next one begins. A report reads a thousand of them.
fn entry(text: &str, begin: usize) -> Option<(&str, Counts, usize)> {
    let bytes = text.as_bytes();
    let (length, at) = number(bytes, begin)?;
    if bytes.get(at) != Some(&b':') {
        return None;
    }
    let (key_begin, length) = (at + 1, usize::try_from(length).ok()?);
    let mut at = key_begin.checked_add(length)?;
    let key = text.get(key_begin..at)?;
    let mut counts = Counts::default();
    for count in &mut counts {
        (*count, at) = number(bytes, at)?;
        let end = bytes.get(at)?;
        at += 1;
        match end {
            b',' => {}
            b';' => return Some((key, counts, at)),
            _ => return None,
        }
    }
    None
}

/// The number that begins at this byte, and where it ends.
#[inline]
pub(super) fn number(text: &[u8], begin: usize) -> Option<(i64, usize)> {
    let (mut number, mut at) = (0_u64, begin);
    while let Some(byte) = text.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        if at - begin == DIGITS_MAX {
            return None;
        }
        number = number * 10 + u64::from(digit);
        at += 1;
    }
    (at > begin).then_some((i64::try_from(number).ok()?, at))
}

/// Charges that were paid with this amount together, in the currency's major unit as a database writes numbers.
pub(super) fn paid_counts(charges: i64, amount: &str) -> Counts {
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    let padded = format!("{fraction:0<DIGITS_OF_PARTS$}");
    let (whole, parts) = match (whole.parse(), padded.parse()) {
        (Ok(whole), Ok(parts)) if padded.len() == DIGITS_OF_PARTS => (whole, parts),
        // It has a power of ten, or comes from a database that adds in binary.
        _ => rounded(amount.parse().unwrap_or_default()),
    };
    [charges, whole, parts, 0, 0]
}

#[expect(clippy::cast_possible_truncation, reason = "larger sums are no money")]
fn rounded(amount: f64) -> (i64, i64) {
    let whole = amount.trunc();
    let parts = (amount - whole) * f64::from(PARTS_OF_UNIT);
    (whole as i64, parts.round() as i64)
}

/// How many charges were paid, and their amount together as a decimal number.
pub(super) fn paid_of(counts: &Counts) -> (i64, String) {
    let [charges, whole, parts, ..] = *counts;
    let unit = i64::from(PARTS_OF_UNIT);
    let (whole, parts) = (whole.saturating_add(parts / unit), parts % unit);
    let amount = format!("{whole}.{parts:0DIGITS_OF_PARTS$}");
    let amount = amount.trim_end_matches('0').trim_end_matches('.');
    (charges, amount.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tallies(words: &[(char, &str, Counts)]) -> Tallies {
        let mut tallies = Tallies::default();
        for (topic, word, counts) in words {
            tallies.add(*topic, word, counts);
        }
        tallies
    }

    #[test]
    fn a_row_holds_every_word_whatever_it_contains() {
        let words = [
            ('l', "de-DE", [3, 0, 1, 0, 0]),
            ('a', "", [0, 0, 0, 0, 7]),
            ('x', "1 an;odd:12,name\n\u{1f4b3}", [1, 2, 3, 4, 5]),
            ('l', "", [0; 5]),
        ];
        let text = tallies(&words).text();
        assert!(text.starts_with("1:a0,0,0,0,7;6:lde-DE3,0,1;"), "{text}");
        let mut read = Tallies::default();
        read.add_text(&text).unwrap();
        assert_eq!(read.text(), text);
        assert_eq!(read, tallies(&words[..3]));
        assert_eq!(counts_of_first(&text, 'a').unwrap(), [0, 0, 0, 0, 7]);
        assert!(counts_of_first(&text, 'l').is_err());
        assert_eq!(counts_of_first("", 'a').unwrap(), [0; 5]);
    }

    #[test]
    fn rows_are_added_up_word_by_word() {
        let mut sum = tallies(&[('a', "", [1, 0, 0, 0, 2]), ('b', "visa", [1, 0, 0, 0, 0])]);
        sum.add_text(&tallies(&[('a', "", [0, 5, 0, 0, 1])]).text())
            .unwrap();
        sum.merge(&tallies(&[('b', "amex", [0, 0, 0, 0, 1])]));
        let expected = [
            ('a', "", [1, 5, 0, 0, 3]),
            ('b', "visa", [1, 0, 0, 0, 0]),
            ('b', "amex", [0, 0, 0, 0, 1]),
        ];
        assert_eq!(sum.text(), tallies(&expected).text());
        let mut brands: Vec<_> = sum.of_topic('b').map(|(word, _)| word).collect();
        brands.sort_unstable();
        assert_eq!(brands, ["amex", "visa"]);
    }

    #[test]
    fn a_text_that_is_no_row_is_refused() {
        for text in [
            "x",
            "1:a",
            "1:a1",
            "9:a1;",
            "1:a1,2,3,4,5,6;",
            "1:a-1;",
            "1:a9999999999999999999;",
            "1:a99999999999999999999;",
            ":a1;",
        ] {
            let read = Tallies::default().add_text(text);
            assert!(read.is_err(), "{text}");
        }
    }

    #[test]
    fn money_is_added_up_exactly() {
        let mut sum = Tallies::default();
        for amount in ["0.1", "0.2", "12.5", "7", "0.0001", "9999999999999.99"] {
            sum.add('p', "USD", &paid_counts(1, amount));
        }
        let (_, counts) = sum.of_topic('p').next().unwrap();
        assert_eq!(paid_of(counts), (6, "10000000000019.7901".to_owned()));
        assert_eq!(paid_of(&paid_counts(2, "1.5e+3")), (2, "1500".to_owned()));
        assert_eq!(paid_of(&paid_counts(2, "20.2900000001")), (2, "20.29".to_owned()));
        assert_eq!(paid_of(&paid_counts(0, "0")), (0, "0".to_owned()));
    }
}
