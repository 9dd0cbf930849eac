//! The effects of a theme on the payment page around the form. The page is ours, but any page can put a theme into the
//! link. The shopper must always be able to read item, amount and merchant, so lengths have limits, and text and
//! controls contrast with their background.

use std::fmt::Write;

use protocol::ColorMode;
use rules::Field;

use super::Values;
use super::contrast::{CONTROL, TEXT, ratio, repaired};
use super::defaults::{DARK, LIGHT, ModeColors};
use super::keys::{FormPart, Variable};
use super::value::{Color, StyleValue};

/// The share of the text color in a line between two parts.
const LINE_SHARE: f32 = 0.14;

/// The value of `variable` on the payment page, where lengths have limits.
pub(super) fn bounded(variable: Variable, value: &StyleValue) -> String {
    let most = |most: &str| format!("min({value},{most})");
    match variable {
        Variable::FontSize => format!("clamp(0.75rem,{value},1.375rem)"),
        Variable::Radius => most("1.25rem"),
        Variable::VerticalSpacing | Variable::HorizontalSpacing => most("2rem"),
        Variable::CheckBorderWidth => most("4px"),
        Variable::InputHeight => most("6rem"),
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

/// The rules for the page around the form in one color mode; empty if the theme does not change it.
pub(super) fn rules(values: &Values, mode: &ModeColors, color_mode: ColorMode) -> String {
    let Some(rule) = colors(values, mode) else {
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

fn colors(values: &Values, mode: &ModeColors) -> Option<String> {
    let given = |part, variable| match values.get(&(part, variable)) {
        Some(StyleValue::Color(color, _)) => Some(*color),
        _ => None,
    };
    let canvas = given(FormPart::Page, Variable::PageBackground);
    let panel = given(FormPart::CardForm, Variable::FormBackground);
    let action = ACTIONS
        .iter()
        .find_map(|(part, variable)| given(*part, *variable));
    let action_ink = given(FormPart::PayButton, Variable::ActionInk);
    if canvas.is_none() && panel.is_none() && action.is_none() && action_ink.is_none() {
        return None;
    }
    let given_or_default = |given: Option<Color>, variable, ground| {
        given.map_or(mode.color(variable), |color| color.over(ground))
    };
    let canvas = given_or_default(canvas, "--canvas", mode.color("--canvas"));
    let panel = given_or_default(panel, "--panel", mode.color("--panel"));
    let action = readable(given_or_default(action, "--action", panel), panel, CONTROL);
    let action_ink = action_ink.unwrap_or_else(|| better(Color::WHITE, LIGHT.color("--ink"), action));
    let text_on = |ground, ink| readable(better(LIGHT.color(ink), DARK.color(ink), ground), ground, TEXT);
    let ink = text_on(panel, "--ink");
    let colors = [
        ("canvas", canvas),
        ("canvas-ink", text_on(canvas, "--ink-soft")),
        ("panel", panel),
        // The panel has the form's background already.
        ("form-background", Color::TRANSPARENT),
        ("ink", ink),
        ("ink-soft", text_on(panel, "--ink-soft")),
        ("line", panel.mixed(ink, LINE_SHARE)),
        ("action", action),
        ("action-ink", readable(action_ink, action, TEXT)),
        ("success", readable(mode.color("--success"), panel, CONTROL)),
        ("waiting", readable(mode.color("--waiting"), panel, CONTROL)),
    ];
    Some(colors.iter().fold(String::new(), |mut rule, (name, color)| {
        let _ = write!(rule, "--{name}:{color};");
        rule
    }))
}

/// The sources of the pay button's color; the first one that the theme sets is used.
const ACTIONS: [(FormPart, Variable); 4] = [
    (FormPart::PayButton, Variable::Action),
    (FormPart::CardCheckbox, Variable::CheckActive),
    (FormPart::Field(Field::CardNumber), Variable::FocusBorder),
    (FormPart::Field(Field::Expiry), Variable::FocusBorder),
];

fn readable(color: Color, ground: Color, least: f32) -> Color {
    repaired(color, &[ground], least).unwrap_or(color)
}

/// The color of the two with more contrast on `ground`.
fn better(one: Color, other: Color, ground: Color) -> Color {
    if ratio(one, ground) >= ratio(other, ground) {
        one
    } else {
        other
    }
}
