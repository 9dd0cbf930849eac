//! Which card networks can carry a payment with a number: ranges of first digits, from a file of the operator
//! (docs/operating.md#card-networks).

use std::collections::HashMap;

use thiserror::Error;

use crate::Brand;
use crate::limits::{CARD_NUMBER_LENGTHS, NETWORK_PREFIX_LENGTH};

/// The ranges that ship with the service, with their sources.
const SHIPPED: &str = include_str!("../card-networks.csv");

/// The networks of a number: one, or two between which the shopper chooses.
type Networks = Vec<Brand>;

/// The ranges: for each prefix the lengths of numbers, and their networks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardNetworks(HashMap<String, HashMap<usize, Networks>>);

/// A line of the file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {mistake}")]
pub struct NetworksError {
    /// From 1.
    pub line: usize,
    /// What is wrong.
    pub mistake: &'static str,
}

impl CardNetworks {
    /// The ranges that ship with the service.
    pub fn shipped() -> Result<Self, NetworksError> {
        Self::parse(SHIPPED)
    }

    /// Reads a file of lines like `4571,16,dankort visa`: the first digits of numbers, their length, and their networks.
    /// Empty lines and lines that begin with `#` are left out.
    pub fn parse(text: &str) -> Result<Self, NetworksError> {
        let mut ranges: HashMap<String, HashMap<usize, Networks>> = HashMap::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |mistake| NetworksError {
                line: at + 1,
                mistake,
            };
            let (prefix, length, networks) = range(line).map_err(wrong)?;
            let of_prefix = ranges.entry(prefix).or_default();
            if of_prefix.insert(length, networks).is_some() {
                return Err(wrong("an earlier line has this prefix and length"));
            }
        }
        Ok(Self(ranges))
    }

    /// The networks of numbers of this length that begin with these digits. The longest prefix counts. Empty if no range has
    /// the number.
    pub fn of(&self, first_eight: &str, length: usize) -> &[Brand] {
        let most = first_eight.len().min(NETWORK_PREFIX_LENGTH);
        (1..=most)
            .rev()
            .find_map(|digits| self.0.get(first_eight.get(..digits)?)?.get(&length))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The networks of numbers that begin with these eight digits, for each length that a range has.
    pub fn of_each_length(&self, first_eight: &str) -> Vec<(usize, &[Brand])> {
        CARD_NUMBER_LENGTHS
            .map(|length| (length, self.of(first_eight, length)))
            .filter(|(_, networks)| !networks.is_empty())
            .collect()
    }
}

fn range(line: &str) -> Result<(String, usize, Networks), &'static str> {
    let mut parts = line.split(',').map(str::trim);
    let (Some(prefix), Some(length), Some(names), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err("must be a prefix, a length and networks, with commas between");
    };
    if !(1..=NETWORK_PREFIX_LENGTH).contains(&prefix.len()) || !prefix.bytes().all(|b| b.is_ascii_digit()) {
        return Err("the prefix must be 1 to 8 digits");
    }
    let length = length
        .parse()
        .ok()
        .filter(|length| CARD_NUMBER_LENGTHS.contains(length))
        .ok_or("the length must be 12 to 19")?;
    let networks: Option<Networks> = names.split_whitespace().map(Brand::from_name).collect();
    match networks.as_deref() {
        None => Err("a network is unknown"),
        Some([_]) => Ok((prefix.to_owned(), length, networks.unwrap_or_default())),
        Some([first, second]) if first != second => {
            Ok((prefix.to_owned(), length, networks.unwrap_or_default()))
        }
        Some(_) => Err("must have one network, or two different ones with a space between"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(text: &str) -> CardNetworks {
        CardNetworks::parse(text).unwrap()
    }

    #[test]
    fn the_longest_prefix_with_the_length_counts() {
        let file = networks("# a comment\n4571,16,dankort visa\n45710000, 16, visa\n\n4,19,visa\n");
        assert_eq!(file.of("45719999", 16), [Brand::Dankort, Brand::Visa]);
        assert_eq!(file.of("45710000", 16), [Brand::Visa]);
        assert_eq!(file.of("45710000", 19), [Brand::Visa]);
        assert_eq!(file.of("45710000", 18), []);
        assert_eq!(file.of("51000000", 16), []);
        let lengths = file.of_each_length("45719999");
        assert_eq!(
            lengths,
            [
                (16, [Brand::Dankort, Brand::Visa].as_slice()),
                (19, [Brand::Visa].as_slice())
            ]
        );
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        for (line, mistake) in [
            ("4571,16", "must be a prefix"),
            ("4571,16,visa,cb", "must be a prefix"),
            ("457100001,16,visa", "1 to 8 digits"),
            (",16,visa", "1 to 8 digits"),
            ("45x1,16,visa", "1 to 8 digits"),
            ("4571,11,visa", "12 to 19"),
            ("4571,x,visa", "12 to 19"),
            ("4571,16,viza", "unknown"),
            ("4571,16,", "one network"),
            ("4571,16,visa visa", "one network"),
            ("4571,16,visa cb mada", "one network"),
            ("4,16,visa", "earlier line"),
        ] {
            let error = CardNetworks::parse(&format!("4,16,visa\n\n{line}\n")).unwrap_err();
            assert_eq!(error.line, 3, "{line}");
            assert!(error.mistake.contains(mistake), "{line}: {error}");
        }
    }

    #[test]
    fn the_shipped_file_has_each_national_network() {
        let shipped = CardNetworks::shipped().unwrap();
        for (first_eight, length, network) in [
            ("40000025", 16, Brand::Cb),
            ("67034444", 17, Brand::Bancontact),
            ("45711234", 16, Brand::Dankort),
            ("50191234", 16, Brand::Dankort),
            ("44064712", 16, Brand::Mada),
            ("58884512", 16, Brand::Mada),
            ("40000503", 16, Brand::Eftpos),
        ] {
            assert_eq!(
                shipped.of(first_eight, length).first(),
                Some(&network),
                "{first_eight}"
            );
        }
        assert_eq!(shipped.of("42424242", 16), []);
    }
}
