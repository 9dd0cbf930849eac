//! The contrast of two colors, and the nearest color with enough contrast (WCAG 2.2, 1.4.3 and 1.4.11).

use super::value::Color;

/// The smallest contrast of text, by WCAG AA.
pub(super) const TEXT: f32 = 4.5;
/// The smallest contrast of the visible parts of a control: border, focus ring and mark.
pub(super) const CONTROL: f32 = 3.0;

/// A margin above the limit, because screens and checkers round.
const MARGIN: f32 = 0.03;

/// From 1, no contrast, to 21, black on white. Both are opaque.
pub(super) fn ratio(one: Color, other: Color) -> f32 {
    let (one, other) = (one.luminance(), other.luminance());
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The color that `color` must become to reach the contrast `least` on all of `grounds`; `None` if it does already. It
/// is mixed with black or white, whichever changes it less; if neither is enough, the better one is used.
pub(super) fn repaired(color: Color, grounds: &[Color], least: f32) -> Option<Color> {
    let worst = |color: Color| {
        grounds
            .iter()
            .map(|ground| ratio(color.over(*ground), *ground))
            .fold(f32::INFINITY, f32::min)
    };
    if worst(color) >= least {
        return None;
    }
    // A transparent color is checked as it looks on the first background.
    let seen = grounds.first().map_or(color, |ground| color.over(*ground));
    let nearest = |target: Color| {
        (1..=100_u8).find_map(|percent| {
            let moved = seen.mixed(target, f32::from(percent) / 100.0);
            (worst(moved) >= least + MARGIN).then_some((percent, moved))
        })
    };
    let candidates = [nearest(Color::BLACK), nearest(Color::WHITE)];
    let best = candidates
        .into_iter()
        .flatten()
        .min_by_key(|(percent, _)| *percent);
    Some(best.map_or_else(
        || {
            if worst(Color::BLACK) >= worst(Color::WHITE) {
                Color::BLACK
            } else {
                Color::WHITE
            }
        },
        |(_, moved)| moved,
    ))
}
