//! Amounts in Stripe's format: whole numbers of a unit that is usually, but not always, the currency's minor unit.

/// Stripe counts these in whole units, even if the currency has a fraction.
const WHOLE_UNITS: [&str; 15] = [
    "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF",
];
/// Stripe counts these in thousandths, and accepts only multiples of ten.
const THOUSANDTHS: [&str; 5] = ["BHD", "JOD", "KWD", "OMR", "TND"];
/// The currency has no fraction any more, but Stripe still counts it in hundredths.
const STILL_HUNDREDTHS: &str = "ISK";

/// `value` ("12.50") in `currency` ("USD") in Stripe's format (1250). Nothing is rounded: `None` if Stripe cannot
/// express the amount exactly, or if we are not certain how Stripe counts the currency. One such currency is UGX:
/// Stripe's documentation lists it as counted in whole units and describes it as counted in hundredths, so a guess
/// could be wrong by a factor of a hundred.
pub(super) fn counted(value: &str, currency: &str) -> Option<u64> {
    let amount = rules::amount::parse(value, currency).ok()?;
    let digits = digits(currency, amount.exponent)?;
    let counted = if digits >= amount.exponent {
        let finer = 10_u64.checked_pow((digits - amount.exponent).into())?;
        amount.minor_units.checked_mul(finer)?
    } else {
        let coarser = 10_u64.checked_pow((amount.exponent - digits).into())?;
        amount
            .minor_units
            .is_multiple_of(coarser)
            .then_some(amount.minor_units / coarser)?
    };
    (digits < 3 || counted.is_multiple_of(10)).then_some(counted)
}

/// The inverse of [`counted`]: 1250 in "USD" is "12.50".
pub(super) fn decimal(counted: u64, currency: &str) -> Option<String> {
    let exponent = rules::amount::parse("1", currency).ok()?.exponent;
    let digits = digits(currency, exponent)?;
    let minor_units = if digits >= exponent {
        let finer = 10_u64.checked_pow((digits - exponent).into())?;
        counted.is_multiple_of(finer).then_some(counted / finer)?
    } else {
        counted.checked_mul(10_u64.checked_pow((exponent - digits).into())?)?
    };
    let unit = 10_u64.checked_pow(exponent.into())?;
    let whole = minor_units / unit;
    Some(match usize::from(exponent) {
        0 => whole.to_string(),
        places => format!("{whole}.{:0places$}", minor_units % unit),
    })
}

/// How many digits after the point Stripe counts, if we are certain.
fn digits(currency: &str, exponent: u16) -> Option<u16> {
    if WHOLE_UNITS.contains(&currency) {
        Some(0)
    } else if THOUSANDTHS.contains(&currency) {
        Some(3)
    } else if exponent == 2 || currency == STILL_HUNDREDTHS {
        Some(2)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_currency_is_in_stripes_unit() {
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
            // It is read back as the same amount.
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
    fn amounts_are_never_rounded_or_guessed_for_stripe() {
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
}
