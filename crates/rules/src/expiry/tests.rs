use super::*;

#[test]
fn an_expiry_in_a_request_has_two_and_four_digits() {
    let today = Month { year: 2026, month: 7 };
    let checked = |month, year| check(month, year, today, true);
    assert_eq!(checked("07", "2026"), Ok(()));
    assert_eq!(checked("12", "2046"), Ok(()));
    assert_eq!(checked("06", "2026"), Err(ErrorId::CardExpiryExpired));
    assert_eq!(checked("01", "2047"), Err(ErrorId::CardExpiryExceedsMaxValue));
    assert_eq!(checked("13", "2030"), Err(ErrorId::CardExpiryMonthOutOfRange));
    assert_eq!(checked("", ""), Err(ErrorId::CardExpiryEmpty));
    for (month, year) in [
        ("7", "2030"),
        ("07", "30"),
        ("07", "1930"),
        ("07", "20300"),
        ("", "2030"),
        ("07", ""),
    ] {
        assert_eq!(
            checked(month, year),
            Err(ErrorId::CardExpiryWrongMmDdFormat),
            "{month}/{year}"
        );
    }
    for (month, year) in [
        ("+7", "2030"),
        (" 7", "2030"),
        ("07", "20 30"),
        ("07", "20３０"),
        ("07/", "2030"),
    ] {
        assert_eq!(
            checked(month, year),
            Err(ErrorId::CardExpiryContainsNonNumber),
            "{month}/{year}"
        );
    }
}
