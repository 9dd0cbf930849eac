//! The cases of a minute: each charge or visit with its time, so that a report that begins or ends within the minute reads
//! no rows of theirs.
//!
//! They are one text beside the minute's counts, in the order of time, as `time:counts:words;` like `512:0,0,1:0,4,7;`: in
//! which millisecond of the minute it was, and the counts that it adds to which words. Words are places in the counts'
//! text.

use std::collections::HashMap;
use std::ops::Range;

use smol_str::SmolStr;

use super::super::StoreError;
use super::super::report_change::MINUTE_MS;
use super::tallies::{Counts, Tallies, UNREADABLE, counts_text, each_word, key_of, number};

/// What charges and visits are added to.
pub(super) trait AddCase: Default + Send + 'static {
    /// Adds the counts to each of these words of topics. They are of one case at this time, in unix milliseconds, or of
    /// several cases.
    fn add_case(&mut self, at: Option<i64>, words: &[(char, &str)], counts: &Counts);

    /// Adds all of the other.
    fn add_all(&mut self, other: Self);
}

impl AddCase for Tallies {
    fn add_case(&mut self, _: Option<i64>, words: &[(char, &str)], counts: &Counts) {
        for (topic, word) in words {
            self.add(*topic, word, counts);
        }
    }

    fn add_all(&mut self, other: Self) {
        self.merge(&other);
    }
}

/// The counts of a minute, with its cases.
#[derive(Debug, Default)]
pub(super) struct MinuteCount {
    tallies: Tallies,
    cases: Vec<Case>,
    /// Whether some came together as a group, so that their times are not known.
    has_grouped: bool,
}

#[derive(Debug)]
struct Case {
    at: i64,
    keys: Vec<SmolStr>,
    counts: Counts,
}

impl AddCase for MinuteCount {
    fn add_case(&mut self, at: Option<i64>, words: &[(char, &str)], counts: &Counts) {
        self.tallies.add_case(at, words, counts);
        let keys = words.iter().map(|(topic, word)| key_of(*topic, word));
        match at {
            Some(at) => self.cases.push(Case {
                at,
                keys: keys.collect(),
                counts: *counts,
            }),
            None => self.has_grouped = true,
        }
    }

    fn add_all(&mut self, mut other: Self) {
        self.tallies.merge(&other.tallies);
        self.cases.append(&mut other.cases);
        self.has_grouped |= other.has_grouped;
    }
}

impl MinuteCount {
    /// The text of its counts, and that of its cases for a minute with this begin. The latter is empty if not all times are
    /// known.
    pub(super) fn texts(mut self, begin: i64) -> (String, String) {
        let tallies = self.tallies.text();
        let mut cases = String::new();
        if self.has_grouped {
            return (tallies, cases);
        }
        self.cases.sort_by_key(|case| case.at);
        let counted = self.tallies.counted().enumerate();
        let places: HashMap<&SmolStr, usize> = counted.map(|(place, (key, _))| (key, place)).collect();
        for case in &self.cases {
            let words = case.keys.iter().filter_map(|key| places.get(key));
            let words: Vec<String> = words.map(usize::to_string).collect();
            if words.is_empty() {
                continue;
            }
            let time = (case.at - begin).to_string();
            cases.push_str(&[time, counts_text(&case.counts), words.join(",")].join(":"));
            cases.push(';');
        }
        (tallies, cases)
    }
}

/// Gives each word of this part of a minute, in milliseconds after its begin. If the minute's other part is shorter, that
/// one is taken from the whole.
pub(super) fn each_word_of_part(
    tallies: &str,
    cases: &str,
    part: &Range<i64>,
    mut word: impl FnMut(&str, &Counts) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut words = Vec::new();
    each_word(tallies, |key, counts| {
        words.push((key, *counts));
        Ok(())
    })?;
    let others = match (part.start == 0, part.end == MINUTE_MS) {
        (true, _) => part.end..MINUTE_MS,
        (_, true) => 0..part.start,
        _ => 0..MINUTE_MS,
    };
    let is_most = others.end - others.start < part.end - part.start;
    let mut within = vec![Counts::default(); words.len()];
    add_within(cases, if is_most { &others } else { part }, &mut within).ok_or(UNREADABLE)?;
    for ((key, mut counts), within) in words.into_iter().zip(within) {
        for (count, within) in counts.iter_mut().zip(within) {
            *count = if is_most { *count - within } else { within };
        }
        if counts != Counts::default() {
            word(key, &counts)?;
        }
    }
    Ok(())
}

/// Adds the cases of this time to the counts of the words. They are read from the nearer end of the minute on. `None` if
/// the text is none of cases.
fn add_within(cases: &str, time: &Range<i64>, words: &mut [Counts]) -> Option<()> {
    if cases.is_empty() {
        return Some(());
    }
    let is_forward = time.end <= MINUTE_MS - time.start;
    let cases = cases.strip_suffix(';')?.as_bytes();
    let mut in_order = cases.split(|byte| *byte == b';');
    let mut next = || {
        if is_forward {
            in_order.next()
        } else {
            in_order.next_back()
        }
    };
    while let Some(case) = next() {
        let (at, end) = number(case, 0)?;
        let is_over = if is_forward {
            at >= time.end
        } else {
            at < time.start
        };
        if is_over {
            break;
        }
        if time.contains(&at) {
            add_to_words(case, end, words)?;
        }
    }
    Some(())
}

/// Adds the counts of a case, which begin at this byte, to each of its words.
fn add_to_words(case: &[u8], begin: usize, words: &mut [Counts]) -> Option<()> {
    let mut counts = Counts::default();
    let mut places = counts.iter_mut();
    let begin = each_number(case, begin, |count| {
        *places.next()? = count;
        Some(())
    })?;
    let end = each_number(case, begin, |place| {
        let sum = words.get_mut(usize::try_from(place).ok()?)?;
        for (known, more) in sum.iter_mut().zip(&counts) {
            *known = known.saturating_add(*more);
        }
        Some(())
    })?;
    (end == case.len()).then_some(())
}

/// Gives the numbers of a list like `:0,4,7` that begins at this byte, and returns where it ends.
fn each_number(text: &[u8], begin: usize, mut give: impl FnMut(i64) -> Option<()>) -> Option<usize> {
    let (mut mark, mut at) = (b':', begin);
    while text.get(at) == Some(&mark) {
        let (found, end) = number(text, at + 1)?;
        give(found)?;
        (mark, at) = (b',', end);
    }
    (at > begin).then_some(at)
}

#[cfg(test)]
mod tests {
    use harness::random::Random;

    use super::*;

    const BEGIN: i64 = 1_800_000_000_000;

    type OfTest<'a> = (Option<i64>, &'a [(char, &'a str)], Counts);

    fn counted(cases: &[OfTest<'_>]) -> MinuteCount {
        let mut minute = MinuteCount::default();
        for (at, words, counts) in cases {
            minute.add_case(at.map(|at| BEGIN + at), words, counts);
        }
        minute
    }

    fn add_part(tallies: &str, cases: &str, part: &Range<i64>, sum: &mut Tallies) -> Result<(), StoreError> {
        each_word_of_part(tallies, cases, part, |key, counts| {
            sum.add_key(key, counts, 0);
            Ok(())
        })
    }

    fn part(minute: MinuteCount, part: Range<i64>) -> String {
        let (tallies, cases) = minute.texts(BEGIN);
        let mut sum = Tallies::default();
        add_part(&tallies, &cases, &part, &mut sum).unwrap();
        sum.text()
    }

    #[test]
    fn a_part_of_a_minute_has_the_cases_of_its_time() {
        let odd = ('l', "de: 1,2;3");
        let minute = || {
            counted(&[
                (Some(59_999), &[('s', "paid"), odd], [1, 0, 0, 0, 0]),
                (Some(0), &[('s', "paid"), odd], [1, 0, 0, 0, 0]),
                (Some(300), &[('p', "USD")], [1, 12, 5_000, 0, 0]),
                (Some(300), &[('s', "failed")], [1, 0, 0, 0, 0]),
            ])
        };
        assert_eq!(part(minute(), 0..60_000), minute().texts(BEGIN).0);
        for end in [1, 300] {
            assert_eq!(part(minute(), 0..end), "10:lde: 1,2;31;5:spaid1;");
        }
        for (begin, end) in [(1, 301), (300, 59_999), (1, 59_999)] {
            let of_300 = "4:pUSD1,12,5000;7:sfailed1;";
            assert_eq!(part(minute(), begin..end), of_300, "{begin} to {end}");
        }
        for (begin, end) in [(301, 59_999), (1, 300), (301, 302)] {
            assert_eq!(part(minute(), begin..end), "", "{begin} to {end}");
        }
    }

    #[test]
    fn both_parts_of_a_minute_are_the_whole() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let mut minute = MinuteCount::default();
            for _ in 0..random.between(0, 9) {
                let at = BEGIN + i64::try_from(random.between(0, 59_999)).unwrap();
                let brand = *random.one_of(&["visa", "amex", ""]);
                let counts = *random.one_of(&[[1, 0, 0, 0, 0], [0, 0, 1, 0, 0]]);
                minute.add_case(Some(at), &[('a', ""), ('b', brand)], &counts);
            }
            let (tallies, cases) = minute.texts(BEGIN);
            let cut = i64::try_from(random.between(1, 59_999)).unwrap();
            let mut sum = Tallies::default();
            for part in [0..cut, cut..MINUTE_MS] {
                add_part(&tallies, &cases, &part, &mut sum).unwrap();
            }
            assert_eq!(sum.text(), tallies, "{cut}: {cases}");
        }
    }

    #[test]
    fn cases_without_a_time_of_their_own_leave_no_text() {
        let words: &[(char, &str)] = &[('a', "")];
        let minute = counted(&[(Some(1), words, [1, 0, 0, 0, 0]), (None, words, [2, 0, 0, 0, 0])]);
        assert_eq!(minute.texts(BEGIN), ("1:a3;".to_owned(), String::new()));
    }

    #[test]
    fn a_text_that_is_no_row_of_cases_is_refused() {
        for cases in [
            "x",
            "1",
            "1:1:;",
            "1:1:1;",
            ":1:0;",
            "1:1,2,3,4,5,6:0;",
            "1:1;",
            "1;1:0;",
            "1:1:0",
            "1:1:0,;",
            "1:1:0:0;",
        ] {
            let added = add_part("1:a1;", cases, &(0..9), &mut Tallies::default());
            assert!(added.is_err(), "{cases}");
        }
        add_part("1:a1;", "1:1:0;", &(0..9), &mut Tallies::default()).unwrap();
    }
}
