//! How much two colours contrast, and the nearest colour that contrasts enough (WCAG 2.2, 1.4.3 and 1.4.11).

use super::value::Colour;

/// Text, in WCAG's AA.
pub(super) const TEXT: f32 = 4.5;
/// What one must see to use a control: its border, its focus ring, its mark.
pub(super) const CONTROL: f32 = 3.0;

/// Screens and checkers round; this much over the line is on the safe side of it.
const MARGIN: f32 = 0.03;

/// From 1, no contrast, to 21, black on white. Both are opaque.
pub(super) fn ratio(one: Colour, other: Colour) -> f32 {
    let (one, other) = (one.luminance(), other.luminance());
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// What `colour` must become to reach `least` on every one of `grounds`; `None` when it does. It is moved towards
/// black or white, whichever takes less of it; where neither reaches, the better of the two is taken.
pub(super) fn repaired(colour: Colour, grounds: &[Colour], least: f32) -> Option<Colour> {
    let worst = |colour: Colour| {
        grounds
            .iter()
            .map(|ground| ratio(colour.over(*ground), *ground))
            .fold(f32::INFINITY, f32::min)
    };
    if worst(colour) >= least {
        return None;
    }
    // A colour one sees through is judged as it is seen on the first ground.
    let seen = grounds.first().map_or(colour, |ground| colour.over(*ground));
    let nearest = |target: Colour| {
        (1..=100_u8).find_map(|percent| {
            let moved = seen.mixed(target, f32::from(percent) / 100.0);
            (worst(moved) >= least + MARGIN).then_some((percent, moved))
        })
    };
    let candidates = [nearest(Colour::BLACK), nearest(Colour::WHITE)];
    let best = candidates
        .into_iter()
        .flatten()
        .min_by_key(|(percent, _)| *percent);
    Some(best.map_or_else(
        || {
            if worst(Colour::BLACK) >= worst(Colour::WHITE) {
                Colour::BLACK
            } else {
                Colour::WHITE
            }
        },
        |(_, moved)| moved,
    ))
}
