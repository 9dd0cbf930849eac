use super::*;

#[test]
fn a_sum_has_all_fraction_digits_of_its_currency() {
    for (sum, currency, text) in [
        ("12.5", "USD", "12.50"),
        ("12.50", "USD", "12.50"),
        ("1200", "USD", "1200.00"),
        ("500", "JPY", "500"),
        ("1.234", "KWD", "1.234"),
        ("12345678901234567.89", "EUR", "12345678901234567.89"),
    ] {
        assert_eq!(sum_text(sum, currency), text, "{sum} {currency}");
    }
}

#[test]
fn an_amount_is_read_in_the_currencys_minor_unit() {
    let minor = |value, currency| parse(value, currency).map(|a| a.minor_units);
    assert_eq!(minor("12.50", "USD"), Ok(1250));
    assert_eq!(minor("12.5", "USD"), Ok(1250));
    assert_eq!(minor("12", "USD"), Ok(1200));
    assert_eq!(minor("0.01", "USD"), Ok(1));
    assert_eq!(minor("500", "JPY"), Ok(500));
    assert_eq!(minor("1.234", "KWD"), Ok(1234));
}

#[test]
fn an_amount_that_the_currency_cannot_express_is_refused() {
    for value in [
        "",
        "0",
        "0.00",
        "-1",
        "+1",
        "1e3",
        " 1",
        "1.",
        ".5",
        "01",
        "1,5",
        "1.005",
        "1.2.3",
        "١٢",
        "12345678901234",
    ] {
        assert_eq!(parse(value, "USD"), Err(AmountError::Value), "{value}");
    }
    assert_eq!(parse("1.5", "JPY"), Err(AmountError::Value));
    for currency in ["", "usd", "USX", "US", "XXX"] {
        assert_eq!(parse("1", currency), Err(AmountError::Currency), "{currency}");
    }
}
