//! Formats amounts for shoppers. The render engine has no `Intl`, so the server formats them.

use std::cell::RefCell;
use std::collections::HashMap;

use fixed_decimal::Decimal;
use icu_experimental::dimension::currency::CurrencyType;
use icu_experimental::dimension::currency::formatter::CurrencyFormatter;
use icu_experimental::dimension::currency::options::CurrencyFormatterOptions;
use icu_locale_core::Locale;

/// How many formatters a thread keeps. A language uses few currencies; making a formatter takes longer than the rest of
/// most pages.
const KEPT_MAX: usize = 256;

/// Writes amounts of one currency in one locale.
type AmountFormatter = Box<dyn Fn(&Decimal) -> String>;

thread_local! {
    /// By locale and then by currency; `None` where there can be none.
    static FORMATTERS: RefCell<HashMap<String, HashMap<String, Option<AmountFormatter>>>> = RefCell::default();
}

/// `value` ("12.50") of `currency` ("USD") in the format of `locale` ("en-US"): "$12.50". A value that cannot be
/// formatted is shown unchanged, with the currency's code before it.
pub fn amount_text(value: &str, currency: &str, locale: &str) -> String {
    format(value, currency, locale).unwrap_or_else(|| format!("{currency} {value}"))
}

fn format(value: &str, currency: &str, locale: &str) -> Option<String> {
    let exponent = rules::amount::parse(value, currency).ok()?.exponent;
    let mut decimal: Decimal = value.parse().ok()?;
    decimal.absolute.pad_end(-i16::try_from(exponent).ok()?);
    FORMATTERS.with_borrow_mut(|kept| {
        if let Some(write) = kept.get(locale).and_then(|kept| kept.get(currency)) {
            return Some(with_its_sign(write.as_ref()?(&decimal)));
        }
        if kept.values().map(HashMap::len).sum::<usize>() >= KEPT_MAX {
            kept.clear();
        }
        let of_locale = kept.entry(locale.to_owned()).or_default();
        let write = of_locale.entry(currency.to_owned());
        let write = write.or_insert_with(|| formatter(currency, locale));
        Some(with_its_sign(write.as_ref()?(&decimal)))
    })
}

fn formatter(currency: &str, locale: &str) -> Option<AmountFormatter> {
    // The data has Tagalog under the name of its standard form. Arabic and Burmese amounts have Latin digits, too, as
    // on cards and in messages of banks.
    let locale = format!("{}-u-nu-latn", locale.replace("tl-", "fil-"));
    let locale: Locale = locale.parse().ok()?;
    let currency = CurrencyType::try_from_str(&currency.to_ascii_lowercase()).ok()?;
    let formatter =
        CurrencyFormatter::try_new_symbol((&locale).into(), currency, CurrencyFormatterOptions::default())
            .ok()?;
    Some(Box::new(move |amount| {
        formatter.format_fixed_decimal(amount).to_string()
    }))
}

/// In right-to-left text the sign of "US$" would move to the other side of its letters. A left-to-right mark after it
/// prevents that.
fn with_its_sign(mut amount: String) -> String {
    const RIGHT_TO_LEFT_MARK: char = '\u{200f}';
    const LEFT_TO_RIGHT_MARK: char = '\u{200e}';
    if amount.starts_with(RIGHT_TO_LEFT_MARK) && amount.ends_with('$') {
        amount.push(LEFT_TO_RIGHT_MARK);
    }
    amount
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn an_amount_that_cannot_be_formatted_is_shown_unchanged() {
        assert_eq!(amount_text("1.2.3", "USD", "en-US"), "USD 1.2.3");
        assert_eq!(amount_text("1", "???", "en-US"), "??? 1");
    }
}
