//! The page's appearance: the color mode, and the result of reading the merchant's theme (docs/form.md#theme). The
//! theme itself arrives as a style sheet.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which of the page's two sets of colors is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[derive(Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ColorMode {
    /// The operating system's choice. It is a preference and cannot be forced.
    System,
    /// The light one.
    Light,
    /// The dark one.
    Dark,
}

/// The report about the merchant's theme.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
pub struct ThemeReport {
    /// `customStyle` was not a JSON object, so the default theme is shown.
    pub unusable: bool,
    /// The keys that were left out because their values are not valid: "children.cardForm.fontSize".
    pub dropped: Vec<String>,
    /// Sentences about unknown keys, and about lengths that a frame cannot have.
    pub notes: Vec<String>,
    /// The colors that `contrast: "AA"` corrected, because they had too little contrast, as far as the merchant set them.
    pub repaired: Vec<RepairedColor>,
}

/// A color that had too little contrast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct RepairedColor {
    /// The part of the form and the color: "children.cardForm.labelColor".
    pub key: String,
    /// The theme's color: "#8b8b8b".
    pub from: String,
    /// The color that is shown.
    pub to: String,
}
