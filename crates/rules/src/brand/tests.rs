use super::*;

#[test]
fn every_brand_has_its_own_row() {
    for row in TABLE {
        assert_eq!(row.brand.row().name, row.name);
        assert_eq!(Brand::from_name(row.name), Some(row.brand));
        assert_eq!(serde_json::to_value(row.brand).unwrap(), row.name);
        assert!(row.lengths.is_sorted(), "{}", row.name);
        assert!(row.lengths.contains(&row.usual_length), "{}", row.name);
        for (first, last, length) in row.other_usual_lengths {
            assert!(row.lengths.contains(length), "{}: {length}", row.name);
            assert!(
                (*first..=*last).all(|prefix| row.has_prefix(prefix)),
                "{}",
                row.name
            );
        }
    }
    assert_eq!(Brand::from_name("hipper"), Some(Brand::Hipercard));
    assert_eq!(Brand::from_name("Visa"), None);
}

#[test]
fn a_prefix_is_in_at_most_one_row() {
    for prefix in 0..10_000 {
        let names: Vec<_> = TABLE
            .iter()
            .filter(|row| row.has_prefix(prefix))
            .map(|row| row.name)
            .collect();
        assert!(names.len() <= 1, "{prefix:04}: {names:?}");
    }
}

#[test]
fn a_shared_prefix_allows_the_lengths_of_both_brands() {
    // Elo issues cards with these prefixes of other brands, so these brands must allow every length of elo.
    for prefix in [
        "4011", "4312", "4389", "4514", "4573", "4576", "5041", "6277", "6500", "6504", "6550",
    ] {
        let brand = Brand::detect(prefix).unwrap_or_else(|| panic!("{prefix} has no brand"));
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
fn a_mask_has_groups_of_four_up_to_the_longest_length() {
    assert_eq!(Brand::Mastercard.row().mask(), "#### #### #### ####");
    assert_eq!(Brand::Visa.row().mask(), "#### #### #### #### ###");
    assert_eq!(Brand::AmericanExpress.row().mask(), "#### #### #### ###");
}
