//! Reads whole numbers of JSON, where `24`, `24.0` and `2.4e1` are the same number.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::{Error, Visitor};

/// For `#[serde(deserialize_with)]`: a whole number that fits `T`, however it is written.
pub(crate) fn whole_number<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: TryFrom<i64>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(WholeNumber(PhantomData))
}

struct WholeNumber<T>(PhantomData<T>);

impl<T: TryFrom<i64>> Visitor<'_> for WholeNumber<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::custom("out of range"))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let number = i64::try_from(number).map_err(|_| E::custom("out of range"))?;
        self.visit_i64(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        // Above this a float cannot represent every whole number.
        const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
        if number.fract() != 0.0 || number.abs() > EXACT_MAX {
            return Err(E::custom("not a whole number"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is whole and within the exact range"
        )]
        self.visit_i64(number as i64)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Depth {
        #[serde(deserialize_with = "super::whole_number")]
        depth: u32,
    }

    fn read(number: &str) -> Option<u32> {
        let depth: Result<Depth, _> = serde_json::from_str(&format!(r#"{{"depth":{number}}}"#));
        depth.ok().map(|depth| depth.depth)
    }

    #[test]
    fn a_whole_number_is_the_same_however_it_is_written() {
        for same in ["24", "24.0", "2.4e1", "240e-1"] {
            assert_eq!(read(same), Some(24), "{same}");
        }
        assert_eq!(read("4294967295"), Some(u32::MAX));
    }

    #[test]
    fn fractions_and_numbers_out_of_range_are_refused() {
        for wrong in [
            "24.5",
            "-1",
            "4294967296",
            "1e300",
            "18446744073709551615",
            "\"24\"",
            "null",
            "true",
            "[24]",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
