//! The brands of cards: their lengths, security codes and images, and how a number's first four digits show the brand
//! (docs/rules.md#brands).

use serde::{Deserialize, Serialize};

use crate::limits::{BRAND_PREFIX_LENGTH, CARD_NUMBER_GROUP_LENGTH, DEFAULT_CARD_NUMBER_LENGTH};

/// A card's brand, by its name on the wire (docs/rules.md#brands).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Hipercard, of Brazil; some write `hipper`.
    #[serde(alias = "hipper")]
    Hipercard,
    /// mada, of Saudi Arabia.
    Mada,
    /// Cartes Bancaires, of France.
    Cb,
}

/// One row of the brand table (docs/rules.md#brands).
#[derive(Debug)]
pub struct BrandRow {
    /// Which brand.
    pub brand: Brand,
    /// Its name on the wire.
    pub name: &'static str,
    /// Its name as shoppers read it, the same in every language.
    pub label: &'static str,
    /// How many digits its numbers may have, ascending.
    pub lengths: &'static [usize],
    /// How many digits its numbers usually have; after so many the focus moves on
    /// (docs/field-states.md#when-the-focus-moves-on). A brand with many common lengths has its longest here, so that
    /// the focus does not move in the middle of a number.
    pub usual_length: usize,
    /// The four-digit prefixes in which another length is usual: first and last of each range, and the length.
    pub other_usual_lengths: &'static [(u16, u16, usize)],
    /// How many digits its security code has.
    pub security_code_length: usize,
    /// The ranges of four-digit prefixes that identify it, first and last of each. Empty when four digits cannot
    /// identify it.
    pub prefixes: &'static [(u16, u16)],
    /// The file with its image.
    pub image: &'static str,
}

/// The image of a card whose brand has none of its own (docs/rules.md#brands).
pub const DEFAULT_IMAGE: &str = "default.svg";

/// The brands that are shown before the number shows its own, unless the configuration names others
/// (docs/rules.md#brand-detection).
pub const DEFAULT_AVAILABLE: &[Brand] = &[Brand::Visa, Brand::Mastercard];

/// Every brand (docs/rules.md#brands).
///
/// No prefix stands twice in the table, so the order of the rows does not matter. A prefix in which two brands issue
/// cards goes to the one whose lengths contain the other's, so that no real card is refused: elo's 4011, 4312, 4389,
/// 4514, 4573 and 4576 are visa, its 5041 maestro, its 6277 unionpay, its 6500 to 6550 discover. Hiper's 637 and
/// hipercard's 6062 are in no row: acquirers assign some of them to either brand. An unknown brand gets the same
/// treatment as both, 16 digits, a security code of 3 and the default image (docs/rules.md#brand-detection). mada and
/// cb share the prefixes of visa, mastercard and maestro.
pub const TABLE: &[BrandRow] = &[
    BrandRow {
        brand: Brand::Visa,
        name: "visa",
        label: "Visa",
        lengths: &[16, 18, 19],
        usual_length: 16,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[(4000, 4999)],
        image: "visa.svg",
    },
    BrandRow {
        brand: Brand::Mastercard,
        name: "mastercard",
        label: "Mastercard",
        lengths: &[16],
        usual_length: 16,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[(2221, 2720), (5100, 5599)],
        image: "mastercard.svg",
    },
    BrandRow {
        brand: Brand::AmericanExpress,
        name: "american-express",
        label: "American Express",
        lengths: &[15],
        usual_length: 15,
        other_usual_lengths: &[],
        security_code_length: 4,
        prefixes: &[(3400, 3499), (3700, 3799)],
        image: "american-express.svg",
    },
    BrandRow {
        brand: Brand::DinersClub,
        name: "diners-club",
        label: "Diners Club",
        lengths: &[14, 16, 19],
        usual_length: 16,
        other_usual_lengths: &[(3600, 3699, 14)],
        security_code_length: 3,
        prefixes: &[(3000, 3059), (3600, 3699), (3800, 3999)],
        image: "diners-club.svg",
    },
    BrandRow {
        brand: Brand::Discover,
        name: "discover",
        label: "Discover",
        lengths: &[16, 19],
        usual_length: 16,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[(6011, 6011), (6440, 6599)],
        image: "discover.svg",
    },
    BrandRow {
        brand: Brand::Jcb,
        name: "jcb",
        label: "JCB",
        lengths: &[16, 17, 18, 19],
        usual_length: 16,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[(1800, 1800), (2131, 2131), (3528, 3589)],
        image: "jcb.svg",
    },
    BrandRow {
        brand: Brand::Unionpay,
        name: "unionpay",
        label: "UnionPay",
        lengths: &[14, 15, 16, 17, 18, 19],
        usual_length: 19,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[(6200, 6299), (8100, 8199)],
        image: "unionpay.svg",
    },
    // The parts of 50, 56 to 58 and 6 that no other brand has: maestro allows many lengths, so no real card is refused
    // there.
    BrandRow {
        brand: Brand::Maestro,
        name: "maestro",
        label: "Maestro",
        lengths: &[12, 13, 14, 15, 16, 17, 18, 19],
        usual_length: 19,
        other_usual_lengths: &[],
        security_code_length: 3,
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
        image: "maestro.svg",
    },
    BrandRow {
        brand: Brand::Mir,
        name: "mir",
        label: "Mir",
        lengths: &[16, 17, 18, 19],
        usual_length: 16,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[(2200, 2204)],
        image: DEFAULT_IMAGE,
    },
    // The prefixes in which only elo issues cards in practice.
    BrandRow {
        brand: Brand::Elo,
        name: "elo",
        label: "Elo",
        lengths: &[16],
        usual_length: 16,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[(5066, 5067), (5090, 5099), (6362, 6363)],
        image: "elo.svg",
    },
    BrandRow {
        brand: Brand::Hiper,
        name: "hiper",
        label: "Hiper",
        lengths: &[16],
        usual_length: 16,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[],
        image: DEFAULT_IMAGE,
    },
    BrandRow {
        brand: Brand::Hipercard,
        name: "hipercard",
        label: "Hipercard",
        lengths: &[16],
        usual_length: 16,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[],
        image: DEFAULT_IMAGE,
    },
    BrandRow {
        brand: Brand::Mada,
        name: "mada",
        label: "mada",
        lengths: &[DEFAULT_CARD_NUMBER_LENGTH],
        usual_length: DEFAULT_CARD_NUMBER_LENGTH,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[],
        image: "mada.svg",
    },
    BrandRow {
        brand: Brand::Cb,
        name: "cb",
        label: "CB",
        lengths: &[DEFAULT_CARD_NUMBER_LENGTH],
        usual_length: DEFAULT_CARD_NUMBER_LENGTH,
        other_usual_lengths: &[],
        security_code_length: 3,
        prefixes: &[],
        image: "cb.svg",
    },
];

impl Brand {
    /// The brand of the first four digits of `text` (docs/rules.md#brand-detection). Spaces are ignored. `None` for
    /// fewer than four digits, for other characters among them, and for prefixes of no brand.
    pub fn detect(text: &str) -> Option<Self> {
        Self::of_prefix(prefix_of(text)?)
    }

    /// The brand of these four digits.
    pub(crate) fn of_prefix(prefix: u16) -> Option<Self> {
        TABLE.iter().find(|row| row.claims(prefix)).map(|row| row.brand)
    }

    /// The brand of this name, as the wire or a configuration writes it; `hipper` is hipercard.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "hipper" { "hipercard" } else { name };
        TABLE.iter().find(|row| row.name == name).map(|row| row.brand)
    }

    /// Its row of the table.
    pub fn row(self) -> &'static BrandRow {
        &TABLE[self as usize]
    }

    /// Its name on the wire.
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

    fn claims(&self, prefix: u16) -> bool {
        self.prefixes
            .iter()
            .any(|&(first, last)| (first..=last).contains(&prefix))
    }
}

/// How many digits a number of this brand, or of an unknown brand, may have (docs/rules.md#card-number).
pub fn lengths(brand: Option<Brand>) -> &'static [usize] {
    brand.map_or(&[DEFAULT_CARD_NUMBER_LENGTH], |brand| brand.row().lengths)
}

/// How many digits a number that begins like `text` usually has; after so many the focus moves on
/// (docs/field-states.md#when-the-focus-moves-on).
pub fn usual_length(text: &str) -> usize {
    let row = Brand::detect(text).map(Brand::row);
    row.zip(prefix_of(text))
        .map_or(DEFAULT_CARD_NUMBER_LENGTH, |(row, prefix)| {
            row.usual_length_under(prefix)
        })
}

/// The first four digits as a number; `None` for fewer than four digits and for other characters among them.
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
mod tests {
    use super::*;

    #[test]
    fn every_brand_finds_its_own_row() {
        for row in TABLE {
            assert_eq!(row.brand.row().name, row.name);
            assert_eq!(Brand::from_name(row.name), Some(row.brand));
            assert_eq!(serde_json::to_value(row.brand).unwrap(), row.name);
            assert!(row.lengths.is_sorted(), "{}", row.name);
            assert!(row.lengths.contains(&row.usual_length), "{}", row.name);
            for (first, last, length) in row.other_usual_lengths {
                assert!(row.lengths.contains(length), "{}: {length}", row.name);
                assert!((*first..=*last).all(|prefix| row.claims(prefix)), "{}", row.name);
            }
        }
        assert_eq!(Brand::from_name("hipper"), Some(Brand::Hipercard));
        assert_eq!(Brand::from_name("Visa"), None);
    }

    #[test]
    fn no_prefix_stands_in_two_rows() {
        for prefix in 0..10_000 {
            let claims: Vec<_> = TABLE
                .iter()
                .filter(|row| row.claims(prefix))
                .map(|row| row.name)
                .collect();
            assert!(claims.len() <= 1, "{prefix:04}: {claims:?}");
        }
    }

    #[test]
    fn a_shared_prefix_allows_the_lengths_of_both_brands() {
        // Elo issues cards under these prefixes of other brands, so those brands must allow every length of elo.
        for prefix in [
            "4011", "4312", "4389", "4514", "4573", "4576", "5041", "6277", "6500", "6504", "6550",
        ] {
            let brand = Brand::detect(prefix).unwrap_or_else(|| panic!("{prefix} tells a brand"));
            assert_ne!(brand, Brand::Elo, "{prefix}");
            assert!(
                lengths(Some(Brand::Elo))
                    .iter()
                    .all(|l| brand.row().lengths.contains(l)),
                "{prefix}"
            );
        }
    }

    #[test]
    fn masks_are_groups_of_four_to_the_longest_length() {
        assert_eq!(Brand::Mastercard.row().mask(), "#### #### #### ####");
        assert_eq!(Brand::Visa.row().mask(), "#### #### #### #### ###");
        assert_eq!(Brand::AmericanExpress.row().mask(), "#### #### #### ###");
    }
}
