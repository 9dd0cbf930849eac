//! The values of a theme. Each is parsed and written again, so that no input text is copied to the output: a theme
//! cannot inject code.

use std::fmt;

use serde_json::Value;

/// The kind of a key's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Color,
    Length,
    /// One to four lengths, as in `padding`.
    Lengths,
    Weight,
    FontFamily,
}

/// A valid value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StyleValue {
    /// A color, and the number of its hexadecimal digits if it was written so.
    Color(Color, Option<usize>),
    /// CSS text made of checked parts.
    Text(String),
}

impl StyleValue {
    /// Reads `value`; `None` if it is not of this kind.
    pub(super) fn read(kind: ValueKind, value: &Value) -> Option<Self> {
        let text = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        match kind {
            ValueKind::Color => {
                let hex_digits = text.strip_prefix('#').map(str::len);
                Color::read(&text).map(|color| Self::Color(color, hex_digits))
            }
            ValueKind::Length => length(&text).map(Self::Text),
            ValueKind::Lengths => lengths(&text).map(Self::Text),
            ValueKind::Weight => weight(&text).map(Self::Text),
            ValueKind::FontFamily => font_family(&text).map(Self::Text),
        }
    }
}

impl StyleValue {
    /// Whether it is a length, or lengths, of which one is measured by the window.
    pub(super) fn is_of_viewport(&self) -> bool {
        let Self::Text(text) = self else { return false };
        text.split(' ').any(|length| {
            length.starts_with(|c: char| c.is_ascii_digit() || c == '.')
                && ["vw", "vh", "vmin", "vmax"]
                    .iter()
                    .any(|unit| length.ends_with(unit))
        })
    }
}

impl fmt::Display for StyleValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Color(color, _) => color.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A color in sRGB with transparency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Color {
    red: u8,
    green: u8,
    blue: u8,
    alpha: f32,
}

impl Color {
    pub(super) const BLACK: Self = Self::opaque(0, 0, 0);
    pub(super) const WHITE: Self = Self::opaque(255, 255, 255);
    pub(super) const TRANSPARENT: Self = Self {
        alpha: 0.0,
        ..Self::BLACK
    };

    pub(super) const fn opaque(red: u8, green: u8, blue: u8) -> Self {
        Self {
            red,
            green,
            blue,
            alpha: 1.0,
        }
    }

    /// This color with the opacity `alpha` (0 to 1).
    pub(super) fn with_alpha(self, alpha: f32) -> Self {
        Self { alpha, ..self }
    }

    /// Red, green and blue.
    pub(super) fn channels(self) -> [u8; 3] {
        [self.red, self.green, self.blue]
    }

    /// Whether it is opaque.
    pub(super) fn is_opaque(self) -> bool {
        self.alpha >= 1.0
    }

    /// A CSS color: a name, hexadecimal with its `#`, or a function such as `rgb()`.
    pub(super) fn read(text: &str) -> Option<Self> {
        const COLOR_BYTES_MAX: usize = 64;
        // The parser reads hexadecimal digits without their `#`, too. In CSS they are no color.
        let is_bare_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if text.len() > COLOR_BYTES_MAX || is_bare_hex {
            return None;
        }
        let [red, green, blue, alpha] = text.parse::<csscolorparser::Color>().ok()?.to_rgba8();
        Some(Self {
            red,
            green,
            blue,
            alpha: f32::from(alpha) / 255.0,
        })
    }

    /// This color as it looks in front of `behind`.
    pub(super) fn over(self, behind: Self) -> Self {
        Self {
            alpha: 1.0,
            ..behind.mixed(self, self.alpha)
        }
    }

    /// This color mixed with `share` (0 to 1) of `other`.
    pub(super) fn mixed(self, other: Self, share: f32) -> Self {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a mix of two bytes, rounded, is a byte"
        )]
        let mix = |from: u8, to: u8| {
            (f32::from(from) + (f32::from(to) - f32::from(from)) * share)
                .round()
                .clamp(0.0, 255.0) as u8
        };
        Self {
            red: mix(self.red, other.red),
            green: mix(self.green, other.green),
            blue: mix(self.blue, other.blue),
            alpha: self.alpha,
        }
    }

    /// Relative luminance as WCAG 2 defines it, 0 (black) to 1 (white).
    pub(super) fn luminance(self) -> f32 {
        let linear = |byte: u8| {
            let share = f32::from(byte) / 255.0;
            if share <= 0.040_45 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)?;
        if self.alpha < 1.0 {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "alpha came from a byte"
            )]
            let alpha = (self.alpha * 255.0).round() as u8;
            write!(f, "{alpha:02x}")?;
        }
        Ok(())
    }
}

/// A number that is not negative, and a unit; zero needs none.
fn length(text: &str) -> Option<String> {
    const LENGTH_BYTES_MAX: usize = 16;
    const UNITS: [&str; 14] = [
        "px", "rem", "em", "%", "vw", "vh", "dvh", "svh", "vmin", "vmax", "pt", "ch", "ex", "cm",
    ];
    if text.len() > LENGTH_BYTES_MAX {
        return None;
    }
    let digits = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let value: f32 = number.parse().ok().filter(|_| number != ".")?;
    let unit = unit.to_ascii_lowercase();
    let is_length = UNITS.contains(&unit.as_str()) || (unit.is_empty() && value == 0.0);
    is_length.then(|| format!("{value}{}", if unit.is_empty() { "px" } else { &unit }))
}

fn lengths(text: &str) -> Option<String> {
    let lengths: Option<Vec<_>> = text.split_ascii_whitespace().map(length).collect();
    lengths
        .filter(|lengths| matches!(lengths.len(), 1..=4))
        .map(|lengths| lengths.join(" "))
}

pub(super) fn weight(text: &str) -> Option<String> {
    let is_word = ["normal", "bold", "lighter", "bolder"].contains(&text);
    let is_number = text
        .parse::<u16>()
        .is_ok_and(|weight| (1..=1000).contains(&weight));
    (is_word || is_number).then(|| text.to_owned())
}

/// The longest name of a font.
const FONT_NAME_CHARS_MAX: usize = 48;

/// Whether `name` can be the name of a font, without characters that end a quoted text.
pub(super) fn is_font_name(name: &str) -> bool {
    !name.trim().is_empty()
        && name.chars().count() <= FONT_NAME_CHARS_MAX
        && name.chars().all(|c| c.is_alphanumeric() || " -_.+".contains(c))
}

/// Font names, each in quotes, except generic ones, which have no meaning in quotes.
fn font_family(text: &str) -> Option<String> {
    const FAMILIES_MAX: usize = 12;
    const GENERIC: [&str; 13] = [
        "serif",
        "sans-serif",
        "monospace",
        "cursive",
        "fantasy",
        "system-ui",
        "ui-serif",
        "ui-sans-serif",
        "ui-monospace",
        "ui-rounded",
        "math",
        "inherit",
        "-apple-system",
    ];
    let family = |name: &str| {
        let name = name.trim();
        let bare = name
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .or_else(|| name.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')))
            .unwrap_or(name);
        is_font_name(bare).then(|| {
            if GENERIC.contains(&bare) {
                bare.to_owned()
            } else {
                format!("\"{bare}\"")
            }
        })
    };
    let families: Option<Vec<_>> = text.split(',').map(family).collect();
    families
        .filter(|families| families.len() <= FAMILIES_MAX)
        .map(|families| families.join(","))
}
