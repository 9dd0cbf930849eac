//! The page's appearance: the color mode, and the result of reading the merchant's theme (docs/form.md#theme). The
//! theme itself arrives as a style sheet.

use serde::{Deserialize, Serialize};

/// Which of the page's two sets of colors is shown.
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ColorMode {
    /// The operating system's choice. It is a preference and cannot be forced.
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
    /// The keys that were left out, because their values are not valid: "children.cardForm.fontSize".
    pub dropped: Vec<String>,
    /// Colors that had too little contrast, and their corrected values; with `contrast: "AA"`.
    pub repaired: Vec<RepairedColor>,
}

/// A color that contrasted too little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RepairedColor {
    /// The part of the form and the color: "children.cardForm.labelColor".
    pub key: String,
    /// As the theme has it: "#8b8b8b".
    pub from: String,
    /// As it is shown.
    pub to: String,
}
