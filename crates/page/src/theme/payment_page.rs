//! What a theme may do to the payment page around the form. There the page is ours and the link says the theme, so
//! whatever the theme says, the shopper can read what is paid and to whom: lengths stay within bounds, and text and
//! controls contrast with what they stand on.

use std::fmt::Write;

use wire::ColorMode;

use super::Values;
use super::contrast::{CONTROL, TEXT, ratio, repaired};
use super::defaults::{Mode, PAGE_DARK, PAGE_LIGHT, PageColours};
use super::keys::{Part, Variable};
use super::value::{Colour, StyleValue};

/// How much of its text colour a line between two parts takes.
const LINE_SHARE: f32 = 0.14;

/// The value that `variable` has on the payment page, where a length has bounds.
pub(super) fn bounded(variable: Variable, value: &StyleValue) -> String {
    let most = |most: &str| format!("min({value},{most})");
    match variable {
        Variable::FontSize => format!("clamp(0.75rem,{value},1.375rem)"),
        Variable::Radius => most("1.25rem"),
        Variable::VerticalSpacing | Variable::HorizontalSpacing => most("2rem"),
        Variable::CheckBorderWidth => most("4px"),
        Variable::PagePadding => {
            let lengths = value.to_string();
            let each: Vec<_> = lengths
                .split(' ')
                .map(|length| format!("min({length},3rem)"))
                .collect();
            each.join(" ")
        }
        _ => value.to_string(),
    }
}

/// The rules for what stands around the form in one mode; empty where the theme says nothing about it.
pub(super) fn rules(values: &Values, mode: &Mode, color_mode: ColorMode) -> String {
    let Some(rule) = colours(values, &mode.page) else {
        return String::new();
    };
    let name = mode.name;
    let mut rules = format!(":root[data-color-mode=\"{name}\"]{{{rule}}}");
    if color_mode == ColorMode::System {
        let _ = write!(
            rules,
            "@media (prefers-color-scheme:{name}){{:root[data-color-mode=\"system\"]{{{rule}}}}}"
        );
    }
    rules
}

fn colours(values: &Values, page: &PageColours) -> Option<String> {
    let given = |part, variable| match values.get(&(part, variable)) {
        Some(StyleValue::Colour(colour, _)) => Some(*colour),
        _ => None,
    };
    let canvas = given(Part::Page, Variable::PageBackground);
    let panel = given(Part::CardForm, Variable::FormBackground);
    let action = ACTIONS
        .iter()
        .find_map(|(part, variable)| given(*part, *variable));
    let action_ink = given(Part::PayButton, Variable::ActionInk);
    if canvas.is_none() && panel.is_none() && action.is_none() && action_ink.is_none() {
        return None;
    }
    let canvas = canvas.map_or(page.canvas, |colour| colour.over(page.canvas));
    let panel = panel.map_or(page.panel, |colour| colour.over(page.panel));
    let action = action.map_or(page.action, |colour| colour.over(panel));
    let action = readable(action, panel, CONTROL);
    let action_ink = action_ink.unwrap_or_else(|| better(Colour::WHITE, PAGE_LIGHT.ink, action));
    let ink = readable(better(PAGE_LIGHT.ink, PAGE_DARK.ink, panel), panel, TEXT);
    let ink_soft = readable(
        better(PAGE_LIGHT.ink_soft, PAGE_DARK.ink_soft, panel),
        panel,
        TEXT,
    );
    let canvas_ink = readable(
        better(PAGE_LIGHT.ink_soft, PAGE_DARK.ink_soft, canvas),
        canvas,
        TEXT,
    );
    let colours = [
        ("canvas", canvas),
        ("canvas-ink", canvas_ink),
        ("panel", panel),
        // The panel has the form's background already.
        ("form-background", Colour::TRANSPARENT),
        ("ink", ink),
        ("ink-soft", ink_soft),
        ("line", panel.mixed(ink, LINE_SHARE)),
        ("action", action),
        ("action-ink", readable(action_ink, action, TEXT)),
        ("success", readable(page.success, panel, CONTROL)),
        ("waiting", readable(page.waiting, panel, CONTROL)),
    ];
    Some(colours.iter().fold(String::new(), |mut rule, (name, colour)| {
        let _ = write!(rule, "--{name}:{colour};");
        rule
    }))
}

/// What the pay button's colour is taken from, the first that the theme gives.
const ACTIONS: [(Part, Variable); 4] = [
    (Part::PayButton, Variable::Action),
    (Part::CardCheckbox, Variable::CheckActive),
    (Part::CardNumber, Variable::FocusBorder),
    (Part::CardExpiry, Variable::FocusBorder),
];

fn readable(colour: Colour, ground: Colour, least: f32) -> Colour {
    repaired(colour, &[ground], least).unwrap_or(colour)
}

/// The one of the two that is easier to see on `ground`.
fn better(one: Colour, other: Colour, ground: Colour) -> Colour {
    if ratio(one, ground) >= ratio(other, ground) {
        one
    } else {
        other
    }
}
