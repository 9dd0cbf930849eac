//! The appearance of the form page: the default theme, the changes of `customStyle`, and the correction of colors with
//! too little contrast (docs/form.md#theme, docs/form.md#contrast). The server decides it, so that the page has its
//! theme from the first paint: the browser gets a style sheet of checked values, and a report for the console.

mod value;

mod keys;

mod contrast;
mod defaults;
mod fonts;
mod payment_page;
mod sheet;

mod host;
mod kept;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use protocol::{ColorMode, ThemeReport};
use rules::Field;
use serde_json::Value;

use fonts::FontFaces;
use keys::{FormPart, ThemeKey, Variable, keys};
use value::{Color, StyleValue};

use super::notes::{NOTES_MAX, cut, likeness};
use super::policy::style_source;

/// The longest `customStyle` that is read, in bytes; all keys at their longest need a few thousand.
const CUSTOM_STYLE_BYTES_MAX: usize = 16 * 1024;

/// How the page of the theme is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThemeContext {
    /// The form is on the payment page, not in a merchant's page.
    pub standalone: bool,
    /// The redesigned layout is on (docs/form.md#layout).
    pub redesign: bool,
    /// `contrast: "AA"` of the options.
    pub repairs_contrast: bool,
    /// The forced color mode, or the shopper's preference.
    pub color_mode: ColorMode,
    /// The background behind the form in the merchant's page, if the SDK sends it.
    pub host: HostBackground,
}

/// A style sheet for the page, and its report.
#[derive(Debug, Default)]
pub struct Theme {
    /// Empty if the default theme is unchanged.
    pub sheet: String,
    /// Its source in the page's policy.
    pub source: String,
    /// The origins of its web fonts.
    pub font_origins: Vec<String>,
    /// Whether labels are inside their inputs and move up when these are filled in.
    pub has_floating_labels: bool,
    /// The report about the merchant's theme, for the console.
    pub report: Arc<ThemeReport>,
}

pub use host::HostBackground;
pub(crate) use kept::ThemeCache;

/// The values of a theme, by part of the form and variable.
type Values = BTreeMap<(FormPart, Variable), StyleValue>;

impl Theme {
    /// The theme of `custom_style`, JSON, over the default one. Invalid JSON gives the default theme. An invalid value
    /// is left out and named in the report, and so is a web font that is not at one of `merchant_origins`.
    pub fn read(custom_style: &str, setting: ThemeContext, merchant_origins: &[String]) -> Self {
        let mut report = ThemeReport::default();
        let mut values = Values::new();
        let mut has_floating_labels = false;
        let mut fonts = FontFaces::default();
        if !custom_style.is_empty() {
            match parsed(custom_style) {
                Some(style) => {
                    unknown_keys(&style, "", &mut report.notes);
                    values = checked(&style, setting, &mut report);
                    has_floating_labels = floating_labels(&style, &mut report.dropped);
                    fonts = FontFaces::read(&style, merchant_origins, &mut report.dropped);
                }
                None => report.unusable = true,
            }
        }
        let given = values.clone();
        color_danger_card(&mut values);
        if setting.redesign {
            lighten_labels(&mut values, setting, has_floating_labels);
        }
        let ground = sheet::LabelBackground {
            host: setting.host.background(),
            has_floating_labels,
        };
        let sheet = fonts.faces
            + setting.host.scheme_rules()
            + &sheet::write(&values, setting, ground, &given, &mut report.repaired);
        Self {
            source: style_source(&sheet),
            sheet,
            font_origins: fonts.origins,
            has_floating_labels,
            report: report.into(),
        }
    }
}

fn parsed(custom_style: &str) -> Option<Value> {
    let style: Value = (custom_style.len() <= CUSTOM_STYLE_BYTES_MAX)
        .then(|| serde_json::from_str(custom_style).ok())
        .flatten()?;
    style.is_object().then_some(style)
}

/// Adds a note for each key below `path` that is not known, with the known one that looks most like it.
fn unknown_keys(style: &Value, path: &str, notes: &mut Vec<String>) {
    for (name, value) in style.as_object().into_iter().flatten() {
        if notes.len() >= NOTES_MAX {
            return;
        }
        let own = format!("{path}{name}");
        if KEY_PATHS.contains(&own) {
            unknown_keys(value, &format!("{own}."), notes);
        } else {
            notes.push(unknown_key(&own));
        }
    }
}

/// Every path of a theme, also those of its parts: "children", "children.cardForm".
static KEY_PATHS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut paths = Vec::from(["fonts", "children.cardForm.labelStyle"].map(str::to_owned));
    for (part, keys) in keys() {
        let path = part.path();
        let around = (1..=path.len()).map(|length| path[..length].join("."));
        paths.extend(around);
        paths.extend(keys.iter().map(|key| [&*path, &[key.name]].concat().join(".")));
    }
    paths
});

/// A note on an unknown key. Of equal names, the one in the nearest part is meant.
fn unknown_key(path: &str) -> String {
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let name = last(path);
    let shared = |known: &str| {
        let mut pairs = known.bytes().zip(path.bytes());
        pairs.position(|(one, other)| one != other).unwrap_or(known.len())
    };
    let scored = KEY_PATHS.iter().filter_map(|known| {
        let score = likeness(&name, &last(known))?;
        Some(((score, Reverse(shared(known))), known))
    });
    let meant = scored
        .min_by_key(|(score, _)| *score)
        .map_or_else(String::new, |(_, known)| format!(" Is it {known}?"));
    format!("customStyle.{} is not known.{meant}", cut(path))
}

/// The valid values of `style`. The paths of the others are added to the report.
fn checked(style: &Value, setting: ThemeContext, report: &mut ThemeReport) -> Values {
    let mut values = Values::new();
    for (part, key) in keys().flat_map(|(part, keys)| keys.iter().map(move |key| (part, key))) {
        let ThemeKey { name, kind, variable } = key;
        let mut path = part.path();
        path.push(name);
        let given = path.iter().try_fold(style, |inner, step| inner.get(step));
        match given.filter(|value| !value.is_null()) {
            None => {}
            Some(value) => match StyleValue::read(*kind, value) {
                Some(read) if !setting.standalone && read.is_of_viewport() => report.notes.push(format!(
                    "customStyle.{} is left out: in a frame {read} means the frame's own size. Use px or rem.",
                    path.join(".")
                )),
                Some(value) => drop(values.insert((part, *variable), value)),
                None => report.dropped.push(path.join(".")),
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

/// The share of the error color in the background of the danger card.
const DANGER_SHARE: f32 = 0.1;

/// Uses a theme's error color for the danger card, too.
fn color_danger_card(values: &mut Values) {
    if let Some(StyleValue::Color(error, _)) = values.get(&(FormPart::CardForm, Variable::Error)) {
        let error = *error;
        let ground = StyleValue::Color(error.with_alpha(DANGER_SHARE), None);
        values.insert((FormPart::CardForm, Variable::DangerGround), ground);
        values.insert(
            (FormPart::CardForm, Variable::DangerInk),
            StyleValue::Color(error, None),
        );
    }
}

/// The color of a label on a dark background.
const LIGHT_LABEL: Color = Color::opaque(0xf5, 0xf5, 0xf7);

/// In the redesign a label on a dark background is light, unless the theme sets its color (docs/form.md#contrast). The
/// background is the form's or the page's, or the input's for floating labels.
fn lighten_labels(values: &mut Values, setting: ThemeContext, has_floating_labels: bool) {
    let is_dark = |part, variable| match values.get(&(part, variable)) {
        Some(StyleValue::Color(color, Some(3 | 6))) => Some(color.luminance() < 0.5),
        Some(StyleValue::Color(color, _)) if color.is_opaque() => Some(false),
        _ => None,
    };
    let is_host_dark = setting
        .host
        .background()
        .map(|behind| behind.luminance() < 0.5 && setting.color_mode == ColorMode::Light);
    let around = is_dark(FormPart::CardForm, Variable::FormBackground)
        // The payment page's panel covers the page's background.
        .or_else(|| is_dark(FormPart::Page, Variable::PageBackground).filter(|_| !setting.standalone))
        .or(is_host_dark)
        .unwrap_or(false);
    let dark: Vec<FormPart> = Field::ALL
        .map(FormPart::Field)
        .into_iter()
        .filter(|part| match is_dark(*part, Variable::InputBackground) {
            Some(is_dark) if has_floating_labels => is_dark,
            _ => around && !has_floating_labels,
        })
        .chain(around.then_some(FormPart::CardCheckbox))
        .collect();
    for part in dark {
        values
            .entry((part, Variable::Label))
            .or_insert(StyleValue::Color(LIGHT_LABEL, None));
    }
}

#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod settings_of_tests;
#[cfg(test)]
mod tests;
