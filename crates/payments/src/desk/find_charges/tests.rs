use super::*;

#[test]
fn an_amount_is_found_however_many_zeros_it_ends_with() {
    let shortened = [
        ("12.50", "12.5"),
        ("12.00", "12"),
        ("500", "500"),
        ("0.10", "0.1"),
    ];
    for (given, short) in shortened {
        assert_eq!(short_amount(given).as_deref(), Some(short), "{given}");
    }
    for wrong in ["", ".5", "-1", "1e3", "12,50", "12.x"] {
        assert_eq!(short_amount(wrong), None, "{wrong}");
    }
}

#[test]
fn four_digits_can_be_a_reference_a_shopper_or_a_card() {
    let found = filters(ChargeFilter::default(), Some("4242")).unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(found[2].last_four.as_deref(), Some("4242"));
    let found = filters(ChargeFilter::default(), Some("order-17")).unwrap();
    assert_eq!(found[2].provider_reference.as_deref(), Some("order-17"));
    assert_eq!(filters(ChargeFilter::default(), Some("")).unwrap().len(), 1);
}
