//! Random numbers that can be repeated: `SplitMix64`, whose numbers depend only on the seed.

/// A generator of random numbers.
#[derive(Debug, Clone)]
pub(super) struct TrafficRandom(u64);

impl TrafficRandom {
    /// The random numbers of the shopper with this number; they do not depend on other shoppers.
    pub(super) fn of(seed: u64, number: u64) -> Self {
        let mut random = Self(seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
        random.bits();
        random
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.bits() % end.max(1)
    }

    /// Whether something happens whose chance is `in_hundred` percent.
    pub(super) fn happens(&mut self, in_hundred: u64) -> bool {
        self.below(100) < in_hundred
    }

    /// One of these, with a chance in proportion to its weight. There must be at least one.
    pub(super) fn pick_weighted<T: Copy>(&mut self, these: &[(u64, T)]) -> T {
        let all: u64 = these.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(all);
        for (weight, this) in these {
            if left < *weight {
                return *this;
            }
            left -= weight;
        }
        these[0].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_depend_only_on_seed_and_shopper() {
        let draw = |seed, number| {
            let mut random = TrafficRandom::of(seed, number);
            [(); 4].map(|()| random.below(1_000))
        };
        assert_eq!(draw(1, 7), draw(1, 7));
        assert_ne!(draw(1, 7), draw(1, 8));
        assert_ne!(draw(1, 7), draw(2, 7));
    }

    #[test]
    fn choices_follow_their_weights() {
        let mut random = TrafficRandom::of(1, 1);
        let mut often = 0;
        for _ in 0..10_000 {
            often += u32::from(random.pick_weighted(&[(3, true), (1, false)]));
        }
        assert!((7_200..7_800).contains(&often), "{often}");
    }
}
