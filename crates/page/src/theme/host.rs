//! What is behind the form in a merchant's page, as the SDK tells it, and what follows from it.

use wire::ColorMode;

use super::value::Colour;

/// White is easier to read than black on what is less bright than this.
const DARK_LUMINANCE_MAX: f32 = 0.179;

/// The page behind the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Host {
    /// Nobody says. Its frame has the scheme of the document in it, or is opaque.
    Unknown,
    /// A background that nothing shines through: red, green and blue.
    Background([u8; 3]),
    /// No background, on the browser's canvas of this scheme.
    Canvas(ColorMode),
}

impl Host {
    /// What the option says: a colour as a browser writes it, or a `color-scheme`.
    pub fn read(text: Option<&str>) -> Self {
        let Some(text) = text else { return Self::Unknown };
        if let Some(colour) = Colour::read(text).filter(|colour| colour.is_opaque()) {
            return Self::Background(colour.channels());
        }
        let has = |scheme: &str| text.split_ascii_whitespace().any(|word| word == scheme);
        Self::Canvas(match (has("light"), has("dark")) {
            (true, true) => ColorMode::System,
            (false, true) => ColorMode::Dark,
            _ => ColorMode::Light,
        })
    }

    /// In which colours a form is at home there; a form of which nobody says where it is, is light.
    pub fn color_mode(self) -> ColorMode {
        match (self, self.background()) {
            (_, Some(colour)) if colour.luminance() < DARK_LUMINANCE_MAX => ColorMode::Dark,
            (Self::Canvas(mode), _) => mode,
            _ => ColorMode::Light,
        }
    }

    /// What is behind the form, where that is known.
    pub(super) fn background(self) -> Option<Colour> {
        match self {
            Self::Background([red, green, blue]) => Some(Colour::opaque(red, green, blue)),
            Self::Unknown | Self::Canvas(_) => None,
        }
    }

    /// The SDK pins its frame to light. A document of another scheme would make the frame's box opaque, so there the
    /// document is light and dark begins with its body.
    pub fn scheme_rules(self) -> &'static str {
        if self == Self::Unknown {
            return "";
        }
        ":root[data-color-mode]{color-scheme:light}\
         :root[data-color-mode=\"dark\"] body{color-scheme:dark}\
         @media (prefers-color-scheme:dark){:root[data-color-mode=\"system\"] body{color-scheme:dark}}"
    }
}
