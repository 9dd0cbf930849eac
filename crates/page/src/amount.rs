//! Formats amounts for shoppers. The render engine has no `Intl`, so the server formats them.

use std::cell::RefCell;
use std::collections::HashMap;

use fixed_decimal::Decimal;
use icu_decimal::provider::{DecimalDigitsV1, DecimalSymbolsV1};
use icu_experimental::dimension::currency::CurrencyType;
use icu_experimental::dimension::currency::formatter::CurrencyFormatter;
use icu_experimental::dimension::currency::options::CurrencyFormatterOptions;
use icu_experimental::dimension::provider::currency::essentials::CurrencyEssentialsV1;
use icu_experimental::dimension::provider::currency::fractions::{
    CurrencyFractions, CurrencyFractionsV1, FractionInfo,
};
use icu_experimental::dimension::provider::currency::no_currency::CurrencyPatternsNoCurrencyV1;
use icu_experimental::dimension::provider::currency::symbols::{CurrencyDecimalSymbolsV1, CurrencySymbolsV1};
use icu_locale_core::Locale;
use icu_provider::{DataError, DataPayload, DataProvider, DataRequest, DataResponse};

/// How many formatters a thread keeps. A language uses few currencies; making a formatter takes longer than the rest of
/// most pages.
const KEPT_MAX: usize = 256;

/// Writes amounts of one currency in one locale.
type AmountFormatter = Box<dyn Fn(&Decimal) -> String>;

thread_local! {
    /// By locale and currency; `None` where there can be none.
    static FORMATTERS: RefCell<HashMap<(String, String), Option<AmountFormatter>>> = RefCell::default();
}

/// `value` ("12.50") of `currency` ("USD") in the format of `locale` ("en-US"): "$12.50". A value that cannot be
/// formatted is shown unchanged, with the currency's code before it.
pub fn amount_text(value: &str, currency: &str, locale: &str) -> String {
    format(value, currency, locale).unwrap_or_else(|| format!("{currency} {value}"))
}

fn format(value: &str, currency: &str, locale: &str) -> Option<String> {
    let exponent = rules::amount::parse_of_charge(value, currency).ok()?.exponent;
    let mut decimal: Decimal = value.parse().ok()?;
    decimal.absolute.pad_end(-i16::try_from(exponent).ok()?);
    FORMATTERS.with_borrow_mut(|kept| {
        if kept.len() > KEPT_MAX {
            kept.clear();
        }
        let place = kept.entry((locale.to_owned(), currency.to_owned()));
        let write = place.or_insert_with(|| formatter(currency, exponent, locale));
        Some(with_its_sign(write.as_ref()?(&decimal)))
    })
}

fn formatter(currency: &str, exponent: u16, locale: &str) -> Option<AmountFormatter> {
    // The data has Tagalog under the name of its standard form. Arabic and Burmese amounts have Latin digits, too, as
    // on cards and in messages of banks.
    let locale = format!("{}-u-nu-latn", locale.replace("tl-", "fil-"));
    let locale: Locale = locale.parse().ok()?;
    let currency = CurrencyType::try_from_str(&currency.to_ascii_lowercase()).ok()?;
    let formatter = CurrencyFormatter::try_new_symbol_unstable(
        &WithDigits(u8::try_from(exponent).ok()?),
        (&locale).into(),
        currency,
        CurrencyFormatterOptions::default(),
    )
    .ok()?;
    Some(Box::new(move |amount| {
        formatter.format_fixed_decimal(amount).to_string()
    }))
}

/// The data of ICU4X, but amounts have this many digits after the point. ICU4X's own numbers of digits are for cash: they
/// round 0.40 Lebanese pounds to 0, although a card is charged 0.40 (docs/currencies.md).
struct WithDigits(u8);

impl DataProvider<CurrencyFractionsV1> for WithDigits {
    #[expect(
        clippy::default_trait_access,
        reason = "the types are of crates that ICU4X uses"
    )]
    fn load(&self, _: DataRequest) -> Result<DataResponse<CurrencyFractionsV1>, DataError> {
        let default = FractionInfo {
            digits: self.0,
            ..FractionInfo::default()
        };
        Ok(DataResponse {
            metadata: Default::default(),
            payload: DataPayload::from_owned(CurrencyFractions {
                fractions: Default::default(),
                default,
            }),
        })
    }
}

macro_rules! unchanged {
    ($($data:ident from $provider:path),* $(,)?) => {$(
        impl DataProvider<$data> for WithDigits {
            fn load(&self, request: DataRequest) -> Result<DataResponse<$data>, DataError> {
                $provider.load(request)
            }
        }
    )*};
}
unchanged! {
    CurrencyEssentialsV1 from icu_experimental::provider::Baked,
    CurrencySymbolsV1 from icu_experimental::provider::Baked,
    CurrencyPatternsNoCurrencyV1 from icu_experimental::provider::Baked,
    CurrencyDecimalSymbolsV1 from icu_experimental::provider::Baked,
    DecimalSymbolsV1 from icu_decimal::provider::Baked,
    DecimalDigitsV1 from icu_decimal::provider::Baked,
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
mod tests;
