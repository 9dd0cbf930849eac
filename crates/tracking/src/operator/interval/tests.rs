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
