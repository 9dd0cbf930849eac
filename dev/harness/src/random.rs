//! Random choices that can be repeated: the same seed gives the same choices in the same order.

/// A pseudorandom number generator (`SplitMix64`).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number from `least` up to and not including `end`.
    pub fn between(&mut self, least: u64, end: u64) -> u64 {
        least + self.bits() % (end - least).max(1)
    }

    /// One of these items.
    ///
    /// # Panics
    /// If there is none.
    pub fn one_of<'a, T>(&mut self, these: &'a [T]) -> &'a T {
        let at = self.between(0, these.len() as u64);
        &these[usize::try_from(at).unwrap_or_default()]
    }
}

#[cfg(test)]
mod tests;
