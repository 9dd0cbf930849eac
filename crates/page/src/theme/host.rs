//! The background behind the form in a merchant's page, which the SDK sends, and its effects.

use protocol::ColorMode;

use super::value::Color;

/// On a background with less luminance than this, white is easier to read than black.
const DARK_LUMINANCE_MAX: f32 = 0.179;

/// The background behind the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HostBackground {
    /// Not known. The frame has the color scheme of its document, or is opaque.
    Unknown,
    /// An opaque background: red, green and blue.
    Background([u8; 3]),
    /// No single color. A form in this color mode can be read on it.
    Canvas(ColorMode),
}

impl HostBackground {
    /// Reads the option: a color in the browser's notation, `text` with the color of the text on a background that is no
    /// single color, or a `color-scheme`.
    pub fn read(text: Option<&str>) -> Self {
        let Some(text) = text else { return Self::Unknown };
        if let Some(color) = text.strip_prefix("text ") {
            let is_light = Color::read(color).is_some_and(|color| color.luminance() > DARK_LUMINANCE_MAX);
            return Self::Canvas(if is_light {
                ColorMode::Dark
            } else {
                ColorMode::Light
            });
        }
        if let Some(color) = Color::read(text).filter(|color| color.is_opaque()) {
            return Self::Background(color.channels());
        }
        let has = |scheme: &str| text.split_ascii_whitespace().any(|word| word == scheme);
        Self::Canvas(match (has("light"), has("dark")) {
            (true, true) => ColorMode::System,
            (false, true) => ColorMode::Dark,
            _ => ColorMode::Light,
        })
    }

    /// The color mode that matches the background; light if the background is not known.
    pub fn color_mode(self) -> ColorMode {
        match (self, self.background()) {
            (_, Some(color)) if color.luminance() < DARK_LUMINANCE_MAX => ColorMode::Dark,
            (Self::Canvas(mode), _) => mode,
            _ => ColorMode::Light,
        }
    }

    /// The background color, if it is known.
    pub(super) fn background(self) -> Option<Color> {
        match self {
            Self::Background([red, green, blue]) => Some(Color::opaque(red, green, blue)),
            Self::Unknown | Self::Canvas(_) => None,
        }
    }

    /// The SDK sets the color scheme of its frame to light. A document with another scheme would make the frame opaque,
    /// so the document stays light and only its body is dark.
    pub fn scheme_rules(self) -> &'static str {
        if self == Self::Unknown {
            return "";
        }
        ":root[data-color-mode]{color-scheme:light}\
         :root[data-color-mode=\"dark\"] body{color-scheme:dark}\
         @media (prefers-color-scheme:dark){:root[data-color-mode=\"system\"] body{color-scheme:dark}}"
    }
}
