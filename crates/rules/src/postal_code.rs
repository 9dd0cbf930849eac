//! The postal code of the card's billing address, with a pattern per country (docs/rules.md#postal-code).

use crate::limits::POSTAL_CODE_LENGTH_MAX;
use crate::{ErrorId, Verdict};

/// A country whose postal codes have patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PostalCountry {
    /// ZIP codes of the United States.
    Us,
    /// Postal codes of Canada.
    Ca,
    /// Postcodes of the United Kingdom.
    Gb,
}

/// A country and the patterns of its postal codes: `#` is a digit and `@` a letter (docs/rules.md#masks). The other
/// characters are separators, which a shopper may leave out.
#[derive(Debug, PartialEq, Eq)]
pub struct PostalPatterns {
    /// The country.
    pub country: PostalCountry,
    /// ISO 3166-1 alpha-2.
    pub code: &'static str,
    /// The patterns.
    pub patterns: &'static [&'static str],
}

/// Every country that has patterns.
pub static TABLE: [PostalPatterns; 3] = [
    PostalPatterns {
        country: PostalCountry::Us,
        code: "US",
        patterns: &["#####", "#####-####"],
    },
    PostalPatterns {
        country: PostalCountry::Ca,
        code: "CA",
        patterns: &["@#@ #@#"],
    },
    PostalPatterns {
        country: PostalCountry::Gb,
        code: "GB",
        patterns: &["@# #@@", "@## #@@", "@#@ #@@", "@@# #@@", "@@## #@@", "@@#@ #@@"],
    },
];

impl PostalCountry {
    /// The country of this code; `None` for a country without patterns.
    pub fn from_code(code: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.code == code).map(|row| row.country)
    }

    fn row(self) -> &'static PostalPatterns {
        &TABLE[self as usize]
    }

    /// ISO 3166-1 alpha-2.
    pub fn code(self) -> &'static str {
        self.row().code
    }
}

/// Checks a postal code of `country`. Spaces, hyphens and the case of letters make no difference.
pub fn verdict(text: &str, country: Option<PostalCountry>) -> Verdict {
    let text = text.trim_matches(' ');
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || is_separator(c);
    if text.is_empty() {
        Verdict::Empty(ErrorId::CardPostalCodeEmpty)
    } else if text.chars().count() > POSTAL_CODE_LENGTH_MAX || !text.chars().all(is_allowed) {
        Verdict::Wrong(ErrorId::CardPostalCodeInvalid)
    } else {
        let typed: Vec<char> = without_separators(text).collect();
        match country {
            None if typed.is_empty() => Verdict::Incomplete(ErrorId::CardPostalCodeInvalid),
            None => Verdict::Valid,
            Some(country) => with_patterns(&typed, country.row().patterns),
        }
    }
}

fn with_patterns(typed: &[char], patterns: &[&str]) -> Verdict {
    let begun = || patterns.iter().filter(|pattern| begins(pattern, typed));
    if begun().any(|pattern| is_whole(pattern, typed)) {
        Verdict::Valid
    } else if begun().next().is_some() {
        Verdict::Incomplete(ErrorId::CardPostalCodeInvalid)
    } else {
        Verdict::Wrong(ErrorId::CardPostalCodeInvalid)
    }
}

/// Whether `typed` is the beginning of a code with this pattern.
fn begins(pattern: &str, typed: &[char]) -> bool {
    let fits = |(place, c): (char, &char)| match place {
        '#' => c.is_ascii_digit(),
        _ => c.is_ascii_alphabetic(),
    };
    without_separators(pattern).count() >= typed.len() && without_separators(pattern).zip(typed).all(fits)
}

fn is_whole(pattern: &str, typed: &[char]) -> bool {
    without_separators(pattern).count() == typed.len()
}

/// A valid postal code as the country writes it: `k1a0b1` is `K1A 0B1`. The provider gets it so.
pub fn formatted(text: &str, country: Option<PostalCountry>) -> String {
    let text = text.trim_matches(' ').to_ascii_uppercase();
    let typed: Vec<char> = without_separators(&text).collect();
    let patterns = country.map_or(&[][..], |country| country.row().patterns);
    let pattern = patterns
        .iter()
        .find(|pattern| is_whole(pattern, &typed) && begins(pattern, &typed));
    let Some(pattern) = pattern else {
        return text;
    };
    let mut rest = typed.into_iter();
    let place = |c: char| if is_separator(c) { Some(c) } else { rest.next() };
    pattern.chars().filter_map(place).collect()
}

fn without_separators(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !is_separator(*c))
}

fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '-')
}

#[cfg(test)]
mod tests;
