use super::*;

#[test]
fn each_country_has_its_own_row() {
    for row in &TABLE {
        assert_eq!(row.country.row(), row);
        assert_eq!(PostalCountry::from_code(row.code), Some(row.country));
    }
    assert_eq!(PostalCountry::from_code("DE"), None);
}

#[test]
fn a_valid_code_is_written_as_in_its_country() {
    for (country, typed, written) in [
        ("US", " 94107 ", "94107"),
        ("US", "941071234", "94107-1234"),
        ("CA", "k1a0b1", "K1A 0B1"),
        ("GB", "sw1a-1aa", "SW1A 1AA"),
        ("GB", "m11ae", "M1 1AE"),
        ("NL", "1012 ab", "1012 AB"),
    ] {
        assert_eq!(formatted(typed, PostalCountry::from_code(country)), written);
    }
}
