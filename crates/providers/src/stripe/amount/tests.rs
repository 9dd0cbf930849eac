use super::*;

#[test]
fn an_amount_is_converted_to_stripes_unit() {
    let cases = [
        ("12.50", "USD", Some(1_250)),
        ("0.5", "EUR", Some(50)),
        ("12.50", "HUF", Some(1_250)),
        ("800", "TWD", Some(80_000)),
        ("500", "JPY", Some(500)),
        ("500", "MGA", Some(500)),
        ("500.00", "MGA", Some(500)),
        ("5", "ISK", Some(500)),
        ("5.120", "KWD", Some(5_120)),
        ("5.12", "KWD", Some(5_120)),
    ];
    for (value, currency, expected) in cases {
        assert_eq!(counted(value, currency), expected, "{value} {currency}");
        // Stripe's format is read back as the same amount.
        let back = decimal(expected.unwrap(), currency).unwrap();
        assert_eq!(counted(&back, currency), expected, "{back} {currency}");
    }
    assert_eq!(decimal(1_250, "USD").as_deref(), Some("12.50"));
    assert_eq!(decimal(500, "JPY").as_deref(), Some("500"));
    assert_eq!(decimal(500, "ISK").as_deref(), Some("5"));
    assert_eq!(decimal(5_120, "KWD").as_deref(), Some("5.120"));
    assert_eq!(decimal(500, "UGX"), None);
}

#[test]
fn an_amount_for_stripe_is_never_rounded_or_guessed() {
    let cases = [
        ("5.124", "KWD"),
        ("500.20", "MGA"),
        ("5", "UGX"),
        ("5.000", "LYD"),
        ("1.5", "JPY"),
        ("0", "USD"),
        ("12.50", "usd"),
        ("12.50", ""),
    ];
    for (value, currency) in cases {
        assert_eq!(counted(value, currency), None, "{value} {currency}");
    }
}

#[test]
fn an_amount_with_more_than_twelve_digits_is_refused_with_the_reason() {
    for (largest, more, currency) in [
        ("9999999999.99", "10000000000.00", "USD"),
        ("9999999999", "10000000000", "ISK"),
        ("999999999999", "1000000000000", "JPY"),
        ("999999999.990", "1000000000.000", "KWD"),
    ] {
        assert_eq!(refusal(largest, currency), None, "{largest} {currency}");
        let reason = refusal(more, currency).unwrap();
        assert!(reason.contains("twelve digits"), "{more} {currency}: {reason}");
    }
    assert!(refusal("5", "UGX").unwrap().contains("this currency"));
}

#[test]
fn the_documented_currencies_are_those_that_stripe_refuses() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/currencies.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (all, stripe) = page.split_once("## With Stripe").unwrap();
    let row = |end: &str| {
        let row = stripe.lines().find(|line| line.ends_with(end)).unwrap();
        row.split('|').nth(1).unwrap().trim().to_owned()
    };
    let refused = |value: &str| {
        let codes = all.split([' ', '\n']).filter(|word| {
            let is_known = rules::amount::parse(value, word).is_ok();
            is_known && refusal(value, word).is_some()
        });
        let mut codes: Vec<_> = codes.collect();
        codes.sort_unstable();
        codes.dedup();
        codes.join(" ")
    };
    let every = row("| every amount |");
    assert_eq!(refused("1"), every);
    let without = |more: String| {
        let more = more.split(' ').filter(|code| !every.contains(code));
        more.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(without(refused("1.001")), row("third decimal place is not 0 |"));
    assert_eq!(without(refused("1.2")), row("not whole |"));
}
