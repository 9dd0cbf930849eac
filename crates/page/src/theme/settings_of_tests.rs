//! The settings that tests of themes start with.

use protocol::ColorMode;
use serde_json::json;

use super::{HostBackground, Theme, ThemeContext};

/// The redesign in a merchant's page, in light colors, without correction.
pub(super) const PLAIN: ThemeContext = ThemeContext {
    standalone: false,
    redesign: true,
    repairs_contrast: false,
    color_mode: ColorMode::Light,
    host: HostBackground::Unknown,
};
pub(super) const REPAIRED: ThemeContext = ThemeContext {
    repairs_contrast: true,
    ..PLAIN
};

pub(super) fn sheet(style: &serde_json::Value) -> String {
    Theme::read(&style.to_string(), PLAIN, &[]).sheet
}

pub(super) fn in_form(style: &serde_json::Value) -> serde_json::Value {
    json!({"children": {"cardForm": style}})
}
