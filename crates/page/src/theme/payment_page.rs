//! The effects of a theme on the payment page around the form. The page is ours, but anybody can put a theme into the
//! link. The shopper must always be able to read what is paid and to whom, so lengths have limits, and text and
//! controls contrast with their background.

use std::fmt::Write;

use protocol::ColorMode;
use rules::Field;

use super::Values;
use super::contrast::{CONTROL, TEXT, ratio, repaired};
use super::defaults::{ModeColors, PAGE_DARK, PAGE_LIGHT, PageColors};
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
    let Some(rule) = colors(values, &mode.page) else {
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

fn colors(values: &Values, page: &PageColors) -> Option<String> {
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
    let canvas = canvas.map_or(page.canvas, |color| color.over(page.canvas));
    let panel = panel.map_or(page.panel, |color| color.over(page.panel));
    let action = action.map_or(page.action, |color| color.over(panel));
    let action = readable(action, panel, CONTROL);
    let action_ink = action_ink.unwrap_or_else(|| better(Color::WHITE, PAGE_LIGHT.ink, action));
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
    let colors = [
        ("canvas", canvas),
        ("canvas-ink", canvas_ink),
        ("panel", panel),
        // The panel has the form's background already.
        ("form-background", Color::TRANSPARENT),
        ("ink", ink),
        ("ink-soft", ink_soft),
        ("line", panel.mixed(ink, LINE_SHARE)),
        ("action", action),
        ("action-ink", readable(action_ink, action, TEXT)),
        ("success", readable(page.success, panel, CONTROL)),
        ("waiting", readable(page.waiting, panel, CONTROL)),
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
