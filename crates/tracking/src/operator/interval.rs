//! The confidence interval of a share: Wilson's, which also holds for few visits and for shares near 0 and 1.

use protocol::Conversion;

/// The quantile of the normal distribution for a confidence of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// The share `part` of `whole`, with its 95 % confidence interval. If `whole` is 0, the interval is 0 to 1.
#[allow(clippy::cast_precision_loss, reason = "fewer than 2^53 visits")]
pub(super) fn wilson(part: i64, whole: i64) -> Conversion {
    if whole <= 0 {
        return Conversion {
            rate: 0.0,
            low: 0.0,
            high: 1.0,
        };
    }
    let n = whole as f64;
    let rate = part as f64 / n;
    let spread = Z * Z / n;
    let middle = rate + spread / 2.0;
    let half = Z * (rate * (1.0 - rate) / n + spread / (4.0 * n)).sqrt();
    Conversion {
        rate,
        low: ((middle - half) / (1.0 + spread)).clamp(0.0, rate),
        high: ((middle + half) / (1.0 + spread)).clamp(rate, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ends solve the equation of the score test: (rate - p)² = z² p (1 - p) / n.
    #[test]
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    fn both_ends_solve_the_score_test() {
        for (part, whole) in [(0, 10), (1, 10), (5, 10), (10, 10), (250, 1_000), (3, 1_000_000)] {
            let found = wilson(part, whole);
            assert!(found.low <= found.rate && found.rate <= found.high, "{found:?}");
            for p in [found.low, found.high] {
                let distance = (found.rate - p).powi(2);
                let allowed = Z * Z * p * (1.0 - p) / whole as f64;
                assert!((distance - allowed).abs() < 1e-12, "{part} of {whole}: {found:?}");
            }
        }
        let none_of_ten = wilson(0, 10).high;
        assert!((none_of_ten - 0.277_533).abs() < 1e-6, "{none_of_ten}");
    }

    #[test]
    fn without_visits_the_interval_is_0_to_1() {
        let found = wilson(0, 0);
        assert!(found.low.abs() < f64::EPSILON && (found.high - 1.0).abs() < f64::EPSILON);
    }
}
