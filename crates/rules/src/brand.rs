//! The brands of cards: their lengths and security codes, and how a number's first four digits show the brand
//! (docs/rules.md#brands).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::{BRAND_PREFIX_LENGTH, CARD_NUMBER_GROUP_LENGTH, DEFAULT_CARD_NUMBER_LENGTH};

/// A card's brand, by its name on the wire (docs/rules.md#brands).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Brand {
    /// Visa.
    Visa,
    /// Mastercard.
    Mastercard,
    /// American Express.
    AmericanExpress,
    /// Diners Club.
    DinersClub,
    /// Discover.
    Discover,
    /// JCB.
    Jcb,
    /// `UnionPay`.
    Unionpay,
    /// Maestro.
    Maestro,
    /// Mir, of Russia.
    Mir,
    /// Elo, of Brazil.
    Elo,
    /// Hiper, of Brazil.
    Hiper,
    /// Hipercard, of Brazil; also written `hipper`.
    #[serde(alias = "hipper")]
    Hipercard,
    /// mada, of Saudi Arabia.
    Mada,
    /// Cartes Bancaires, of France.
    Cb,
    /// Bancontact, of Belgium.
    Bancontact,
    /// Dankort, of Denmark.
    Dankort,
    /// eftpos, of Australia.
    Eftpos,
}

/// One row of the brand table (docs/rules.md#brands).
#[derive(Debug)]
pub struct BrandRow {
    /// The brand.
    pub brand: Brand,
    /// The brand's name on the wire.
    pub name: &'static str,
    /// The brand's name for shoppers, the same in every language.
    pub label: &'static str,
    /// How many digits a number may have, ascending.
    pub lengths: &'static [usize],
    /// How many digits a number usually has. After the last of these digits, the focus moves to the next field
    /// (docs/field-states.md#when-the-focus-moves-on). For a brand with many common lengths this is the longest, so
    /// that the focus does not move in the middle of a number.
    pub usual_length: usize,
    /// The ranges of four-digit prefixes in which another length is usual: first prefix, last prefix, length.
    pub other_usual_lengths: &'static [(u16, u16, usize)],
    /// How many digits a security code has.
    pub security_code_length: usize,
    /// The ranges of four-digit prefixes that identify the brand: first prefix, last prefix. Empty if four digits
    /// cannot identify it.
    pub prefixes: &'static [(u16, u16)],
}

/// The brands that are shown before the number shows its own, unless the configuration names others
/// (docs/rules.md#brand-detection).
pub const DEFAULT_AVAILABLE: &[Brand] = &[Brand::Visa, Brand::Mastercard];

/// A row with the usual values: 16 digits, and a security code of 3.
const fn usual(brand: Brand, name: &'static str, label: &'static str) -> BrandRow {
    BrandRow {
        brand,
        name,
        label,
        lengths: &[DEFAULT_CARD_NUMBER_LENGTH],
        usual_length: DEFAULT_CARD_NUMBER_LENGTH,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[],
    }
}

/// Every brand (docs/rules.md#brands).
///
/// Each prefix stands in at most one row, so the order of the rows does not matter. If two brands issue cards with a
/// prefix, the prefix is in the row whose lengths include those of the other brand, so that no real card is refused:
/// elo's 4011, 4312, 4389, 4514, 4573 and 4576 are visa, its 5041 is maestro, its 6277 is unionpay, and its 6500 to
/// 6550 are discover. Hiper's 637 and hipercard's 6062 are in no row, because acquirers assign some of them to either
/// brand. An unknown brand has the rules of both: 16 digits and a security code of 3
/// (docs/rules.md#brand-detection). mada, cb, bancontact, dankort and eftpos share the prefixes of visa, mastercard and
/// maestro; `card_networks.rs` knows them by more digits.
pub const TABLE: &[BrandRow] = &[
    BrandRow {
        lengths: &[16, 18, 19],
        prefixes: &[(4000, 4999)],
        ..usual(Brand::Visa, "visa", "Visa")
    },
    BrandRow {
        prefixes: &[(2221, 2720), (5100, 5599)],
        ..usual(Brand::Mastercard, "mastercard", "Mastercard")
    },
    BrandRow {
        lengths: &[15],
        usual_length: 15,
        security_code_length: 4,
        prefixes: &[(3400, 3499), (3700, 3799)],
        ..usual(Brand::AmericanExpress, "american-express", "American Express")
    },
    BrandRow {
        lengths: &[14, 16, 19],
        other_usual_lengths: &[(3600, 3699, 14)],
        prefixes: &[(3000, 3059), (3600, 3699), (3800, 3999)],
        ..usual(Brand::DinersClub, "diners-club", "Diners Club")
    },
    BrandRow {
        lengths: &[16, 19],
        prefixes: &[(6011, 6011), (6440, 6599)],
        ..usual(Brand::Discover, "discover", "Discover")
    },
    BrandRow {
        lengths: &[16, 17, 18, 19],
        prefixes: &[(1800, 1800), (2131, 2131), (3528, 3589)],
        ..usual(Brand::Jcb, "jcb", "JCB")
    },
    BrandRow {
        lengths: &[14, 15, 16, 17, 18, 19],
        usual_length: 19,
        prefixes: &[(6200, 6299), (8100, 8199)],
        ..usual(Brand::Unionpay, "unionpay", "UnionPay")
    },
    // The parts of 50, 56 to 58 and 6 that no other brand has. Maestro allows many lengths, so no real card with such a
    // prefix is refused.
    BrandRow {
        lengths: &[12, 13, 14, 15, 16, 17, 18, 19],
        usual_length: 19,
        prefixes: &[
            (5000, 5065),
            (5068, 5089),
            (5600, 5899),
            (6000, 6010),
            (6012, 6061),
            (6063, 6199),
            (6300, 6361),
            (6364, 6369),
            (6380, 6439),
            (6600, 6999),
        ],
        ..usual(Brand::Maestro, "maestro", "Maestro")
    },
    BrandRow {
        lengths: &[16, 17, 18, 19],
        prefixes: &[(2200, 2204)],
        ..usual(Brand::Mir, "mir", "Mir")
    },
    // The prefixes in which only elo issues cards in practice.
    BrandRow {
        prefixes: &[(5066, 5067), (5090, 5099), (6362, 6363)],
        ..usual(Brand::Elo, "elo", "Elo")
    },
    usual(Brand::Hiper, "hiper", "Hiper"),
    usual(Brand::Hipercard, "hipercard", "Hipercard"),
    usual(Brand::Mada, "mada", "mada"),
    usual(Brand::Cb, "cb", "CB"),
    usual(Brand::Bancontact, "bancontact", "Bancontact"),
    usual(Brand::Dankort, "dankort", "Dankort"),
    usual(Brand::Eftpos, "eftpos", "eftpos"),
];

impl Brand {
    /// The brand of the first four digits of `text` (docs/rules.md#brand-detection). Spaces are ignored. `None` if
    /// `text` has fewer than four digits, if it has other characters among them, or if the prefix is in no row.
    pub fn detect(text: &str) -> Option<Self> {
        Self::of_prefix(prefix_of(text)?)
    }

    /// The brand of these four digits.
    pub(crate) fn of_prefix(prefix: u16) -> Option<Self> {
        TABLE
            .iter()
            .find(|row| row.has_prefix(prefix))
            .map(|row| row.brand)
    }

    /// The brand with this name on the wire or in the configuration; `hipper` is hipercard.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "hipper" { "hipercard" } else { name };
        TABLE.iter().find(|row| row.name == name).map(|row| row.brand)
    }

    /// The brand's row of the table.
    pub fn row(self) -> &'static BrandRow {
        &TABLE[self as usize]
    }

    /// The brand's name on the wire.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

impl BrandRow {
    /// The input mask: groups of four up to the longest length (docs/rules.md#masks).
    pub fn mask(&self) -> String {
        number_mask(self.lengths.last().copied().unwrap_or(DEFAULT_CARD_NUMBER_LENGTH))
    }

    /// How many digits a number of this brand with this prefix usually has.
    fn usual_length_under(&self, prefix: u16) -> usize {
        let other = self
            .other_usual_lengths
            .iter()
            .find(|&&(first, last, _)| (first..=last).contains(&prefix));
        other.map_or(self.usual_length, |&(_, _, length)| length)
    }

    fn has_prefix(&self, prefix: u16) -> bool {
        self.prefixes
            .iter()
            .any(|&(first, last)| (first..=last).contains(&prefix))
    }
}

/// How many digits a number of this brand, or of an unknown brand, may have (docs/rules.md#card-number).
pub fn lengths(brand: Option<Brand>) -> &'static [usize] {
    brand.map_or(&[DEFAULT_CARD_NUMBER_LENGTH], |brand| brand.row().lengths)
}

/// How many digits a number that begins with `text` usually has. After the last of these digits, the focus moves to the
/// next field (docs/field-states.md#when-the-focus-moves-on).
pub fn usual_length(text: &str) -> usize {
    let row = Brand::detect(text).map(Brand::row);
    row.zip(prefix_of(text))
        .map_or(DEFAULT_CARD_NUMBER_LENGTH, |(row, prefix)| {
            row.usual_length_under(prefix)
        })
}

/// The first four digits as a number; `None` if `text` has fewer than four digits, or other characters among them.
fn prefix_of(text: &str) -> Option<u16> {
    let mut digits = text.chars().filter(|c| !c.is_whitespace());
    (0..BRAND_PREFIX_LENGTH).try_fold(0, |prefix, _| {
        let digit = digits.next()?.to_digit(10)?;
        Some(prefix * 10 + u16::try_from(digit).ok()?)
    })
}

/// The mask for a number of `length` digits: `#### #### …` (docs/rules.md#masks).
pub fn number_mask(length: usize) -> String {
    let full = "#".repeat(CARD_NUMBER_GROUP_LENGTH);
    let mut groups = vec![full.as_str(); length / CARD_NUMBER_GROUP_LENGTH];
    groups.push(&full[..length % CARD_NUMBER_GROUP_LENGTH]);
    groups.join(" ").trim_end().to_owned()
}

#[cfg(test)]
mod tests;
