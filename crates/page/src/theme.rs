//! The look of the form page: the default theme, what `customStyle` puts over it, and the repair of colours that
//! contrast too little (docs/form.md#theme, docs/form.md#contrast). Decided here alone, so that the page arrives in its
//! theme: the browser gets a style sheet made of checked values, and a report for the console.

mod value;

mod keys;

mod contrast;
mod defaults;
mod fonts;
mod payment_page;
mod sheet;

mod host;
mod kept;

use std::collections::BTreeMap;

use serde_json::Value;
use wire::{ColorMode, ThemeReport};

use fonts::Fonts;
use keys::{KEYS, Key, Part, Variable};
use value::{Colour, StyleValue};

use super::policy::style_source;

/// The longest `customStyle` that is read, in bytes; every key at its longest takes some thousand.
const CUSTOM_STYLE_BYTES_MAX: usize = 16 * 1024;

/// How the page that the theme is for is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Setting {
    /// The form stands on the payment page's panel, and not in a merchant's page.
    pub standalone: bool,
    /// The redesigned layout is on (docs/form.md#layout).
    pub redesign: bool,
    /// `contrast: "AA"` of the options.
    pub repairs_contrast: bool,
    /// What is forced, or the shopper's preference.
    pub color_mode: ColorMode,
    /// What the merchant's page has behind the form, where the SDK says so.
    pub host: Host,
}

/// A style sheet for the page, and what there is to say about it.
#[derive(Debug, Default)]
pub struct Theme {
    /// Empty where the default theme is right as it is.
    pub sheet: String,
    /// What the page's policy allows for it.
    pub source: String,
    /// The origins of its web fonts.
    pub font_origins: Vec<String>,
    /// The labels stand inside of their inputs and move up when these are filled in.
    pub has_floating_labels: bool,
    /// What became of the merchant's theme, for the console.
    pub report: ThemeReport,
}

pub use host::Host;
pub(crate) use kept::Themes;

/// The values of a theme, each for a part of the form.
type Values = BTreeMap<(Part, Variable), StyleValue>;

impl Theme {
    /// The theme of `custom_style`, JSON, over the default one. Unusable JSON is the default theme; a value that is
    /// not of its kind is left out and named in the report, as is a web font that is not at one of `merchant_origins`.
    pub fn read(custom_style: &str, setting: Setting, merchant_origins: &[String]) -> Self {
        let mut report = ThemeReport::default();
        let mut values = Values::new();
        let mut has_floating_labels = false;
        let mut fonts = Fonts::default();
        if !custom_style.is_empty() {
            match parsed(custom_style) {
                Some(style) => {
                    values = checked(&style, &mut report.dropped);
                    has_floating_labels = floating_labels(&style, &mut report.dropped);
                    fonts = Fonts::read(&style, merchant_origins, &mut report.dropped);
                }
                None => report.unusable = true,
            }
        }
        color_danger_card(&mut values);
        if setting.redesign {
            lighten_labels(&mut values, setting, has_floating_labels);
        }
        let ground = sheet::Ground {
            host: setting.host.background(),
            has_floating_labels,
        };
        let sheet = fonts.faces
            + setting.host.scheme_rules()
            + &sheet::write(&values, setting, ground, &mut report.repaired);
        Self {
            source: style_source(&sheet),
            sheet,
            font_origins: fonts.origins,
            has_floating_labels,
            report,
        }
    }
}

fn parsed(custom_style: &str) -> Option<Value> {
    let style: Value = (custom_style.len() <= CUSTOM_STYLE_BYTES_MAX)
        .then(|| serde_json::from_str(custom_style).ok())
        .flatten()?;
    style.is_object().then_some(style)
}

/// The values of `style` that are of their kind; the paths of the others go to `dropped`.
fn checked(style: &Value, dropped: &mut Vec<String>) -> Values {
    let mut values = Values::new();
    for (part, key) in KEYS
        .iter()
        .flat_map(|(part, keys)| keys.iter().map(move |key| (part, key)))
    {
        let Key { name, kind, variable } = key;
        let given = part
            .path()
            .iter()
            .chain([name])
            .try_fold(style, |inner, step| inner.get(step));
        match given.filter(|value| !value.is_null()) {
            None => {}
            Some(value) => match StyleValue::read(*kind, value) {
                Some(value) => drop(values.insert((*part, *variable), value)),
                None => dropped.push(
                    part.path()
                        .iter()
                        .chain([name])
                        .copied()
                        .collect::<Vec<_>>()
                        .join("."),
                ),
            },
        }
    }
    values
}

/// Whether `labelStyle` says "floating"; anything else but "above" is named in `dropped`.
fn floating_labels(style: &Value, dropped: &mut Vec<String>) -> bool {
    match style.pointer("/children/cardForm/labelStyle") {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) if text == "above" => false,
        Some(Value::String(text)) if text == "floating" => true,
        Some(_) => {
            dropped.push("children.cardForm.labelStyle".to_owned());
            false
        }
    }
}

/// How much of the error colour the danger card's ground takes.
const DANGER_SHARE: f32 = 0.1;

/// A theme's error colour is the danger card's, too.
fn color_danger_card(values: &mut Values) {
    if let Some(StyleValue::Colour(error, _)) = values.get(&(Part::CardForm, Variable::Error)) {
        let error = *error;
        let ground = StyleValue::Colour(error.with_alpha(DANGER_SHARE), None);
        values.insert((Part::CardForm, Variable::DangerGround), ground);
        values.insert(
            (Part::CardForm, Variable::DangerInk),
            StyleValue::Colour(error, None),
        );
    }
}

/// What a label on a dark ground is drawn in.
const LIGHT_LABEL: Colour = Colour::opaque(0xf5, 0xf5, 0xf7);

/// In the redesign a label on a dark ground is light, unless the theme says which (docs/form.md#contrast). The ground
/// is what the label stands on: the form or the page, and the input's background where the labels float.
fn lighten_labels(values: &mut Values, setting: Setting, has_floating_labels: bool) {
    let is_dark = |part, variable| match values.get(&(part, variable)) {
        Some(StyleValue::Colour(colour, Some(3 | 6))) => Some(colour.luminance() < 0.5),
        Some(StyleValue::Colour(colour, _)) if colour.is_opaque() => Some(false),
        _ => None,
    };
    let is_host_dark = setting
        .host
        .background()
        .map(|behind| behind.luminance() < 0.5 && setting.color_mode == ColorMode::Light);
    let around = is_dark(Part::CardForm, Variable::FormBackground)
        // The payment page's panel covers the page's background.
        .or_else(|| is_dark(Part::Page, Variable::PageBackground).filter(|_| !setting.standalone))
        .or(is_host_dark)
        .unwrap_or(false);
    let dark: Vec<Part> = Part::FIELDS
        .into_iter()
        .filter(|part| match is_dark(*part, Variable::InputBackground) {
            Some(is_dark) if has_floating_labels => is_dark,
            _ => around && !has_floating_labels,
        })
        .chain(around.then_some(Part::CardCheckbox))
        .collect();
    for part in dark {
        values
            .entry((part, Variable::Label))
            .or_insert(StyleValue::Colour(LIGHT_LABEL, None));
    }
}

#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod settings_of_tests;
#[cfg(test)]
mod tests;
