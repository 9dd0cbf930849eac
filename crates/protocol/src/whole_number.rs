//! Reads whole numbers of JSON, where `24`, `24.0` and `2.4e1` are the same number.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// For `#[serde(deserialize_with)]`: a whole number that fits `T`, however it is written.
pub(crate) fn whole_number<'de, T: TryFrom<i64>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    // Above this a float cannot represent every whole number.
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    let number = f64::deserialize(deserializer)?;
    if number.fract() != 0.0 || number.abs() > EXACT_MAX {
        return Err(D::Error::custom("not a whole number"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is whole and within the exact range"
    )]
    let number = number as i64;
    T::try_from(number).map_err(|_| D::Error::custom("out of range"))
}

#[cfg(test)]
mod tests;
