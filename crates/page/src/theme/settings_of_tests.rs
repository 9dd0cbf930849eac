//! What the tests of themes begin with.

use serde_json::json;
use wire::ColorMode;

use super::{Host, Setting, Theme};

/// The redesign in a merchant's page, in light colours that nothing repairs.
pub(super) const PLAIN: Setting = Setting {
    standalone: false,
    redesign: true,
    repairs_contrast: false,
    color_mode: ColorMode::Light,
    host: Host::Unknown,
};
pub(super) const REPAIRED: Setting = Setting {
    repairs_contrast: true,
    ..PLAIN
};

pub(super) fn sheet(style: &serde_json::Value) -> String {
    Theme::read(&style.to_string(), PLAIN, &[]).sheet
}

pub(super) fn in_form(style: &serde_json::Value) -> serde_json::Value {
    json!({"children": {"cardForm": style}})
}
