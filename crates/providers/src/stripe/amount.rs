//! Amounts in Stripe's format: whole numbers of a unit, which is usually the currency's minor unit.

/// Stripe counts these currencies in whole units, even if the currency has a fraction.
const WHOLE_UNITS: [&str; 15] = [
    "BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF",
];
/// Stripe counts these currencies in thousandths, and accepts only multiples of ten.
const THOUSANDTHS: [&str; 5] = ["BHD", "JOD", "KWD", "OMR", "TND"];
/// The currency has no fraction any more, but Stripe still counts it in hundredths.
const STILL_HUNDREDTHS: &str = "ISK";

/// Stripe's largest amount for cards, in its own unit: twelve digits. Single networks take less, which is known only when
/// the shopper pays: American Express takes nine digits.
const COUNTED_MAX: u64 = 999_999_999_999;

/// Why Stripe can never take this amount.
pub(super) fn refusal(value: &str, currency: &str) -> Option<&'static str> {
    match counted(value, currency) {
        None => Some(
            "Stripe cannot charge this amount: it does not take this currency, or takes no amount as fine as this one.",
        ),
        Some(counted) if counted > COUNTED_MAX => Some(
            "Stripe cannot charge this amount: it takes at most twelve digits, those after the point included.",
        ),
        Some(_) => None,
    }
}

/// `value` ("12.50") in `currency` ("USD") in Stripe's format (1250). No amount is rounded: `None` if Stripe cannot
/// express the amount exactly, or if it is not certain how Stripe counts the currency. An example is UGX: one page of
/// Stripe's documentation counts it in whole units and another in hundredths, so a guess could be wrong by a factor of
/// a hundred.
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

/// How many digits after the point Stripe counts; `None` if this is not certain.
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
mod tests;
