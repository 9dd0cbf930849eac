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
mod tests;
