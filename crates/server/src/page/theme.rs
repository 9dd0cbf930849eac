//! The look of the form page: the default theme, what `customStyle` puts over it, and the repair of colours that
//! contrast too little (specification, point 3; DESIGN.md §5). Decided here alone, so that the page arrives in its
//! theme: the browser gets a style sheet made of checked values, and a report for the console.

mod value;

mod keys;

mod contrast;
mod payment_page;
mod sheet;

mod kept;

use std::collections::BTreeMap;

use serde_json::Value;
use wire::{ColorMode, ThemeReport};

use keys::{KEYS, Key, Part, Variable};
use value::{Colour, StyleValue};

use super::policy::style_source;

/// The longest `customStyle` that is read, in bytes; every key at its longest takes some thousand.
const CUSTOM_STYLE_BYTES_MAX: usize = 16 * 1024;

/// How the page that the theme is for is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Setting {
    /// The form stands on the payment page's panel, and not in a merchant's page.
    pub(crate) standalone: bool,
    /// The redesigned layout is on ("§9").
    pub(crate) redesign: bool,
    /// `contrast: "AA"` of the options.
    pub(crate) repairs_contrast: bool,
    pub(crate) color_mode: ColorMode,
}

/// A style sheet for the page, and what there is to say about it.
#[derive(Debug, Default)]
pub(crate) struct Theme {
    /// Empty where the default theme is right as it is.
    pub(crate) sheet: String,
    /// What the page's policy allows for it.
    pub(crate) source: String,
    pub(crate) report: ThemeReport,
}

pub(crate) use kept::Themes;

/// The values of a theme, each for a part of the form.
type Values = BTreeMap<(Part, Variable), StyleValue>;

impl Theme {
    /// The theme of `custom_style`, JSON, over the default one. Unusable JSON is the default theme; a value that is
    /// not of its kind is left out and named in the report.
    pub(crate) fn read(custom_style: &str, setting: Setting) -> Self {
        let mut report = ThemeReport::default();
        let mut values = Values::new();
        if !custom_style.is_empty() {
            match parsed(custom_style) {
                Some(style) => values = checked(&style, &mut report.dropped),
                None => report.unusable = true,
            }
        }
        if setting.redesign {
            lighten_labels(&mut values);
        }
        let sheet = sheet::write(&values, setting, &mut report.repaired);
        Self {
            source: style_source(&sheet),
            sheet,
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

/// What a label on a dark input's theme is drawn in.
const LIGHT_LABEL: Colour = Colour::opaque(0xf5, 0xf5, 0xf7);

/// "§5": where the redesign's input background is dark the label is light, unless the theme says which.
fn lighten_labels(values: &mut Values) {
    for part in Part::FIELDS {
        let is_dark = matches!(
            values.get(&(part, Variable::InputBackground)),
            Some(StyleValue::Colour(colour, Some(hex_digits))) if matches!(hex_digits, 3 | 6) && colour.luminance() < 0.5
        );
        if is_dark {
            values
                .entry((part, Variable::Label))
                .or_insert(StyleValue::Colour(LIGHT_LABEL, None));
        }
    }
}

#[cfg(test)]
mod tests;
