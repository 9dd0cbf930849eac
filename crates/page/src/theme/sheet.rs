//! Writes a theme's style sheet: the merchant's values, and for each color mode the corrections of colors with too
//! little contrast on their real background.

use std::collections::BTreeMap;
use std::fmt::Write;

use protocol::{ColorMode, RepairedColor};
use rules::Field;

use super::contrast::{CONTROL, TEXT, ratio, repaired};
use super::defaults::{DARK, LIGHT, ModeColors};
use super::keys::{FormPart, Variable};
use super::value::{Color, StyleValue};
use super::{ThemeContext, Values, payment_page};

/// The background of labels, as far as the theme does not set it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelBackground {
    /// The background behind the form in the merchant's page, if it is known.
    pub(super) host: Option<Color>,
    /// Whether labels are inside their inputs.
    pub(super) has_floating_labels: bool,
}

/// The style sheet. Its corrections of colors that the merchant has `given` are added to `report`.
pub(super) fn write(
    values: &Values,
    setting: ThemeContext,
    ground: LabelBackground,
    given: &Values,
    report: &mut Vec<RepairedColor>,
) -> String {
    let mut sheet = rules(":root[data-color-mode]", values, setting.standalone);
    if !setting.repairs_contrast {
        return sheet;
    }
    for (mode, scheme) in [(&*LIGHT, ColorMode::Light), (&*DARK, ColorMode::Dark)] {
        if setting.color_mode != scheme && setting.color_mode != ColorMode::System {
            continue;
        }
        let repairs = ColorCorrection::of(values, mode, setting.standalone, ground);
        for ((part, variable), (from, to)) in &repairs {
            let Some(key) = given_key(*part, *variable, given) else {
                continue;
            };
            let (from, to) = (from.to_string(), to.to_string());
            let entry = RepairedColor { key, from, to };
            if !report.contains(&entry) {
                report.push(entry);
            }
        }
        let repairs: Values = repairs
            .into_iter()
            .map(|(place, (_, to))| (place, StyleValue::Color(to, None)))
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

/// The key with which the merchant has set this color, for this part or for a part around it.
fn given_key(part: FormPart, variable: Variable, given: &Values) -> Option<String> {
    // The danger card has the error color.
    let variable = match variable {
        Variable::DangerInk => Variable::Error,
        other => other,
    };
    let part = around(part)
        .into_iter()
        .find(|part| given.contains_key(&(*part, variable)))?;
    let mut path = part.path();
    path.push(variable.key());
    Some(path.join("."))
}

/// The parts that a part's colors come from, itself first.
fn around(part: FormPart) -> Vec<FormPart> {
    match part {
        // The rule for the security code is more specific than the value inherited from the list.
        FormPart::SavedCardCode => vec![
            FormPart::SavedCardCode,
            FormPart::Field(Field::SecurityCode),
            FormPart::SavedCards,
            FormPart::CardForm,
        ],
        part => vec![part, FormPart::CardForm],
    }
}

/// One rule for each part, below `root`; with `is_bounded` lengths have the payment page's limits.
fn rules(root: &str, values: &Values, is_bounded: bool) -> String {
    let mut by_selector: BTreeMap<String, String> = BTreeMap::new();
    for ((part, variable), value) in values {
        let rule = by_selector.entry(part.selector()).or_default();
        let value = if is_bounded {
            payment_page::bounded(*variable, value)
        } else {
            value.to_string()
        };
        let _ = write!(rule, "{}:{value};", variable.name());
        if *variable == Variable::CheckInactive {
            // An empty box has this color, and is no outline.
            rule.push_str("--check-fill:initial;");
        }
    }
    by_selector
        .iter()
        .fold(String::new(), |mut sheet, (selector, rule)| {
            let space = if selector.is_empty() { "" } else { " " };
            let _ = write!(sheet, "{root}{space}{selector}{{{rule}}}");
            sheet
        })
}

type Corrections = BTreeMap<(FormPart, Variable), (Color, Color)>;

/// Corrects the colors of one color mode.
struct ColorCorrection<'a> {
    values: &'a Values,
    mode: &'a ModeColors,
    has_floating_labels: bool,
    repairs: Corrections,
}

impl<'a> ColorCorrection<'a> {
    fn of(
        values: &'a Values,
        mode: &'a ModeColors,
        standalone: bool,
        ground: LabelBackground,
    ) -> Corrections {
        let mut repair = Self {
            values,
            mode,
            has_floating_labels: ground.has_floating_labels,
            repairs: Corrections::new(),
        };
        let background = |part, variable| match values.get(&(part, variable)) {
            Some(StyleValue::Color(color, _)) => *color,
            _ => Color::TRANSPARENT,
        };
        let panel = mode.color("--panel");
        // The payment page's panel covers the page's background.
        let page = if standalone {
            panel
        } else {
            background(FormPart::Page, Variable::PageBackground).over(ground.host.unwrap_or(panel))
        };
        let form = background(FormPart::CardForm, Variable::FormBackground).over(page);
        // First the values that all parts inherit, so that a part is corrected on its own only if it differs.
        repair.correct(FormPart::CardForm, Variable::Title, &[form], TEXT);
        repair.field(FormPart::CardForm, form);
        for part in Field::ALL.map(FormPart::Field) {
            repair.field(part, form);
        }
        let saved = repair
            .color(FormPart::SavedCards, Variable::InputBackground)
            .over(form);
        repair.saved_cards(form, saved);
        repair.field(FormPart::SavedCardCode, saved);
        repair.checkbox(form);
        let danger = background(FormPart::CardForm, Variable::DangerGround).over(form);
        if values.contains_key(&(FormPart::CardForm, Variable::DangerInk)) {
            repair.correct(FormPart::CardForm, Variable::DangerInk, &[danger], TEXT);
        }
        repair.repairs
    }

    /// A label above an input on `ground`, the input, and the error below it.
    fn field(&mut self, part: FormPart, ground: Color) {
        let input = self.color(part, Variable::InputBackground).over(ground);
        let behind_label = if self.has_floating_labels { input } else { ground };
        self.correct(part, Variable::Label, &[behind_label], TEXT);
        self.correct(part, Variable::Error, &[ground], TEXT);
        self.correct(part, Variable::Text, &[input], TEXT);
        self.correct(part, Variable::Placeholder, &[input], TEXT);
        self.borders(part, ground, input);
    }

    /// Here labels are on the cards.
    fn saved_cards(&mut self, ground: Color, card: Color) {
        self.correct(FormPart::SavedCards, Variable::Label, &[card], TEXT);
        self.correct(FormPart::SavedCards, Variable::Text, &[card], TEXT);
        self.correct(FormPart::SavedCards, Variable::Error, &[card], TEXT);
        self.borders(FormPart::SavedCards, ground, card);
    }

    /// Its text is on its own background. Without a border its fill alone shows where an empty box is.
    fn checkbox(&mut self, form: Color) {
        let part = FormPart::CardCheckbox;
        let ground = self.color(part, Variable::CheckBackground).over(form);
        let words = if self.values.contains_key(&(part, Variable::CheckText)) {
            Variable::CheckText
        } else {
            Variable::Label
        };
        self.correct(part, words, &[ground], TEXT);
        self.correct(part, Variable::CheckActive, &[ground], CONTROL);
        let active = self.color(part, Variable::CheckActive).over(ground);
        self.correct(part, Variable::CheckMark, &[active], CONTROL);
        let width = self.values.get(&(part, Variable::CheckBorderWidth));
        if width.is_none_or(|width| width.to_string().starts_with("0px")) {
            self.correct(part, Variable::CheckInactive, &[ground], CONTROL);
            self.correct(part, Variable::FocusBorder, &[ground], CONTROL);
        } else {
            let inactive = self.color(part, Variable::CheckInactive).over(ground);
            self.borders(part, ground, inactive);
        }
    }

    /// A border must be visible if it separates similar colors; the focus ring always.
    fn borders(&mut self, part: FormPart, outside: Color, inside: Color) {
        if ratio(outside, inside) < CONTROL {
            self.correct(part, Variable::Border, &[outside, inside], CONTROL);
        }
        self.correct(part, Variable::FocusBorder, &[outside], CONTROL);
    }

    fn correct(&mut self, part: FormPart, variable: Variable, grounds: &[Color], least: f32) {
        let from = self.color(part, variable);
        if let Some(to) = repaired(from, grounds, least) {
            self.repairs.insert((part, variable), (from, to));
        }
    }

    /// The part's color: its own, or the inherited one.
    fn color(&self, part: FormPart, variable: Variable) -> Color {
        for part in around(part) {
            if let Some((_, to)) = self.repairs.get(&(part, variable)) {
                return *to;
            }
            if let Some(StyleValue::Color(color, _)) = self.values.get(&(part, variable)) {
                return *color;
            }
        }
        self.mode.color(variable.name())
    }
}
