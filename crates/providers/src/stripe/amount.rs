//! Amounts as Stripe counts them: whole numbers of a unit that is mostly, not always, the currency's minor unit.

/// Stripe counts these whole, whatever fraction the currency has.
const WHOLE: [&str; 15] = [
    "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF",
];
/// Stripe counts thousandths of these and takes them in tens alone.
const THOUSANDTHS: [&str; 5] = ["BHD", "JOD", "KWD", "OMR", "TND"];
/// Has no fraction any more, and Stripe still counts hundredths of it.
const WAS_HUNDREDTHS: &str = "ISK";

/// `value` ("12.50") in `currency` ("USD") as Stripe counts it (1250). Nothing is rounded: `None` for what Stripe cannot
/// count exactly, and for a currency of which we do not know for certain how it counts. To the latter belongs UGX, which
/// its documentation lists as counted whole and describes as counted in hundredths: a guess would be wrong by a
/// hundred times.
pub(super) fn counted(value: &str, currency: &str) -> Option<u64> {
    let amount = rules::amount::parse(value, currency).ok()?;
    let digits = if WHOLE.contains(&currency) {
        0
    } else if THOUSANDTHS.contains(&currency) {
        3
    } else if amount.exponent == 2 || currency == WAS_HUNDREDTHS {
        2
    } else {
        return None;
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_currency_is_counted_as_stripe_counts_it() {
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
        }
    }

    #[test]
    fn what_would_have_to_be_rounded_or_guessed_is_not_counted() {
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
