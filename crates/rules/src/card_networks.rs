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
mod tests;
