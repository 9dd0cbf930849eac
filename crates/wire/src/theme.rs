//! What the page is told of its look: the colour mode, and what became of the merchant's theme (docs/form.md#theme).
//! The theme itself arrives as a style sheet.

use serde::{Deserialize, Serialize};

/// Which of the page's two sets of colours is shown.
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ColorMode {
    /// What the operating system says. A preference; it cannot be forced.
    System,
    /// The light one.
    Light,
    /// The dark one.
    Dark,
}

impl ColorMode {
    /// As it stands in the page's `data-color-mode`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What the browser's console says about the merchant's theme.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ThemeReport {
    /// `customStyle` was no JSON object; the default theme is shown.
    pub unusable: bool,
    /// The keys whose values are not of their kind, and were left out: "children.cardForm.fontSize".
    pub dropped: Vec<String>,
    /// Colours that contrasted too little, and what they became; under `contrast: "AA"`.
    pub repaired: Vec<RepairedColor>,
}

/// A colour that contrasted too little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RepairedColor {
    /// The part and the colour: "children.cardForm.labelColor".
    pub key: String,
    /// As the theme has it: "#8b8b8b".
    pub from: String,
    /// As it is shown.
    pub to: String,
}
