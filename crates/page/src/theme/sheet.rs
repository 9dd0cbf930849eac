//! Writes a theme's style sheet: the merchant's values, and for each colour mode the repairs of what contrasts too
//! little against what it really stands on.

use std::collections::BTreeMap;
use std::fmt::Write;

use wire::{ColorMode, RepairedColor};

use super::contrast::{CONTROL, TEXT, ratio, repaired};
use super::defaults::{DARK, LIGHT, Mode};
use super::keys::{Part, Variable};
use super::payment_page;
use super::value::{Colour, StyleValue};
use super::{Setting, Values};

/// What labels stand on, beyond what the theme says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground {
    /// What is behind the form in the merchant's page, where it is known.
    pub(super) host: Option<Colour>,
    /// They stand on their inputs.
    pub(super) has_floating_labels: bool,
}

/// The style sheet; what it repairs goes to `report`.
pub(super) fn write(
    values: &Values,
    setting: Setting,
    ground: Ground,
    report: &mut Vec<RepairedColor>,
) -> String {
    let mut sheet = rules(":root[data-color-mode]", values, setting.standalone);
    if !setting.repairs_contrast {
        return sheet;
    }
    for (mode, scheme) in [(&LIGHT, ColorMode::Light), (&DARK, ColorMode::Dark)] {
        if setting.color_mode != scheme && setting.color_mode != ColorMode::System {
            continue;
        }
        let repairs = Repair::of(values, mode, setting.standalone, ground);
        for ((part, variable), (from, to)) in &repairs {
            let path = part.path().join(".");
            let key = format!("{path}.{}", variable.key());
            let (from, to) = (from.to_string(), to.to_string());
            let entry = RepairedColor { key, from, to };
            if !report.contains(&entry) {
                report.push(entry);
            }
        }
        let repairs: Values = repairs
            .into_iter()
            .map(|(place, (_, to))| (place, StyleValue::Colour(to, None)))
            .collect();
        let name = mode.name;
        if setting.standalone {
            sheet += &payment_page::rules(values, mode, setting.color_mode);
        }
        sheet += &rules(&format!(":root[data-color-mode=\"{name}\"]"), &repairs, false);
        if setting.color_mode == ColorMode::System && !repairs.is_empty() {
            let of_system = rules(":root[data-color-mode=\"system\"]", &repairs, false);
            let _ = write!(sheet, "@media (prefers-color-scheme:{name}){{{of_system}}}");
        }
    }
    sheet
}

/// One rule for each part, below `root`; with `is_bounded` its lengths keep within the payment page's bounds.
fn rules(root: &str, values: &Values, is_bounded: bool) -> String {
    let mut by_selector: BTreeMap<&str, String> = BTreeMap::new();
    for ((part, variable), value) in values {
        let rule = by_selector.entry(part.selector()).or_default();
        let value = if is_bounded {
            payment_page::bounded(*variable, value)
        } else {
            value.to_string()
        };
        let _ = write!(rule, "{}:{value};", variable.name());
    }
    by_selector
        .iter()
        .fold(String::new(), |mut sheet, (selector, rule)| {
            let space = if selector.is_empty() { "" } else { " " };
            let _ = write!(sheet, "{root}{space}{selector}{{{rule}}}");
            sheet
        })
}

type Repairs = BTreeMap<(Part, Variable), (Colour, Colour)>;

/// The repair of one mode's colours.
struct Repair<'a> {
    values: &'a Values,
    mode: &'a Mode,
    has_floating_labels: bool,
    repairs: Repairs,
}

impl<'a> Repair<'a> {
    fn of(values: &'a Values, mode: &'a Mode, standalone: bool, ground: Ground) -> Repairs {
        let mut repair = Self {
            values,
            mode,
            has_floating_labels: ground.has_floating_labels,
            repairs: Repairs::new(),
        };
        let background = |part, variable| match values.get(&(part, variable)) {
            Some(StyleValue::Colour(colour, _)) => *colour,
            _ => Colour::TRANSPARENT,
        };
        // The payment page's panel covers the page's background.
        let page = if standalone {
            mode.panel
        } else {
            background(Part::Page, Variable::PageBackground).over(ground.host.unwrap_or(mode.panel))
        };
        let form = background(Part::CardForm, Variable::FormBackground).over(page);
        // First what every part takes over, so that a part is repaired on its own only where it differs.
        repair.mend(Part::CardForm, Variable::Title, &[form], TEXT);
        repair.field(Part::CardForm, form);
        for part in Part::FIELDS {
            repair.field(part, form);
        }
        let saved = repair
            .colour(Part::SavedCards, Variable::InputBackground)
            .over(form);
        repair.saved_cards(form, saved);
        repair.field(Part::SavedCardCode, saved);
        repair.checkbox(form);
        let danger = background(Part::CardForm, Variable::DangerGround).over(form);
        if values.contains_key(&(Part::CardForm, Variable::DangerInk)) {
            repair.mend(Part::CardForm, Variable::DangerInk, &[danger], TEXT);
        }
        repair.repairs
    }

    /// A label above an input on `ground`, the input, and the error below it.
    fn field(&mut self, part: Part, ground: Colour) {
        let input = self.colour(part, Variable::InputBackground).over(ground);
        let behind_label = if self.has_floating_labels { input } else { ground };
        self.mend(part, Variable::Label, &[behind_label], TEXT);
        self.mend(part, Variable::Error, &[ground], TEXT);
        self.mend(part, Variable::Text, &[input], TEXT);
        self.mend(part, Variable::Placeholder, &[input], TEXT);
        self.borders(part, ground, input);
    }

    /// Labels stand on the cards here.
    fn saved_cards(&mut self, ground: Colour, card: Colour) {
        self.mend(Part::SavedCards, Variable::Label, &[card], TEXT);
        self.mend(Part::SavedCards, Variable::Text, &[card], TEXT);
        self.mend(Part::SavedCards, Variable::Error, &[card], TEXT);
        self.borders(Part::SavedCards, ground, card);
    }

    /// Its words stand on its own background. Without a border its fill alone shows where an empty box is.
    fn checkbox(&mut self, form: Colour) {
        let part = Part::CardCheckbox;
        let ground = self.colour(part, Variable::CheckBackground).over(form);
        let words = if self.values.contains_key(&(part, Variable::CheckText)) {
            Variable::CheckText
        } else {
            Variable::Label
        };
        self.mend(part, words, &[ground], TEXT);
        self.mend(part, Variable::CheckActive, &[ground], CONTROL);
        let active = self.colour(part, Variable::CheckActive).over(ground);
        self.mend(part, Variable::CheckMark, &[active], CONTROL);
        let width = self.values.get(&(part, Variable::CheckBorderWidth));
        if width.is_none_or(|width| width.to_string().starts_with("0px")) {
            self.mend(part, Variable::CheckInactive, &[ground], CONTROL);
            self.mend(part, Variable::FocusBorder, &[ground], CONTROL);
        } else {
            let inactive = self.colour(part, Variable::CheckInactive).over(ground);
            self.borders(part, ground, inactive);
        }
    }

    /// A border must be seen where it parts what looks alike; the ring of the focus always.
    fn borders(&mut self, part: Part, outside: Colour, inside: Colour) {
        if ratio(outside, inside) < CONTROL {
            self.mend(part, Variable::Border, &[outside, inside], CONTROL);
        }
        self.mend(part, Variable::FocusBorder, &[outside], CONTROL);
    }

    fn mend(&mut self, part: Part, variable: Variable, grounds: &[Colour], least: f32) {
        let from = self.colour(part, variable);
        if let Some(to) = repaired(from, grounds, least) {
            self.repairs.insert((part, variable), (from, to));
        }
    }

    /// What the part shows: its own colour, or what it takes over from those around it.
    fn colour(&self, part: Part, variable: Variable) -> Colour {
        let around: &[Part] = match part {
            // The rule for a security code reaches it more closely than what the list hands down.
            Part::SavedCardCode => &[
                Part::SavedCardCode,
                Part::CardSecurityCode,
                Part::SavedCards,
                Part::CardForm,
            ],
            part => &[part, Part::CardForm],
        };
        for part in around {
            if let Some((_, to)) = self.repairs.get(&(*part, variable)) {
                return *to;
            }
            if let Some(StyleValue::Colour(colour, _)) = self.values.get(&(*part, variable)) {
                return *colour;
            }
        }
        let default = self.mode.defaults.iter().find(|(name, _)| *name == variable);
        default.map_or(Colour::TRANSPARENT, |(_, colour)| *colour)
    }
}
