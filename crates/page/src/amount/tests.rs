use super::amount_text;

#[test]
fn an_amount_is_written_in_the_locales_format() {
    for (value, currency, locale, text) in [
        ("12.50", "USD", "en-US", "$12.50"),
        ("12.5", "USD", "en-US", "$12.50"),
        ("1234567.00", "USD", "en-US", "$1,234,567.00"),
        ("1234.50", "EUR", "de-DE", "1.234,50\u{a0}€"),
        ("500", "JPY", "ja-JP", "￥500"),
        ("1234.50", "PHP", "tl-PH", "₱1,234.50"),
        ("12.50", "USD", "ar-SA", "\u{200f}12.50\u{a0}US$\u{200e}"),
        ("12.50", "SAR", "ar-SA", "\u{200f}12.50\u{a0}ر.س.\u{200f}"),
        ("12.50", "USD", "my-MM", "12.50\u{a0}US$"),
        ("1.234", "KWD", "en-US", "KWD\u{a0}1.234"),
    ] {
        assert_eq!(
            amount_text(value, currency, locale),
            text,
            "{value} {currency} {locale}"
        );
    }
}

/// Each digit that is charged is shown, and no other, in every currency and language (docs/currencies.md).
#[test]
fn the_digits_that_are_charged_are_shown() {
    let letters = || 'A'..='Z';
    let codes =
        letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| format!("{a}{b}{c}"))));
    let (mut shown, mut wrong) = (0, Vec::new());
    for currency in codes.filter(|code| rules::amount::parse("1", code).is_ok()) {
        let currency = currency.as_str();
        let exponent = usize::from(rules::amount::parse("1", currency).unwrap().exponent);
        let cents = &"4927"[..exponent];
        for (value, digits) in [
            (format!("1234.{cents}"), format!("1234{cents}")),
            (format!("0.{cents}"), format!("0{cents}")),
            ("2500000".to_owned(), format!("2500000{}", &"0000"[..exponent])),
        ] {
            let value = value.trim_end_matches('.');
            if value == "0" {
                continue;
            }
            for locale in rules::locale::TABLE {
                let text = amount_text(value, currency, locale.iso);
                let found: String = text.chars().filter(char::is_ascii_digit).collect();
                if found != digits || text == format!("{currency} {value}") {
                    wrong.push(format!("{value} {currency} in {}: {text}", locale.iso));
                }
                shown += 1;
            }
        }
    }
    assert!(shown > 150 * 31 * 2, "only {shown} amounts were tried");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn an_amount_that_cannot_be_formatted_is_shown_unchanged() {
    assert_eq!(amount_text("1.2.3", "USD", "en-US"), "USD 1.2.3");
    assert_eq!(amount_text("1", "???", "en-US"), "??? 1");
}
