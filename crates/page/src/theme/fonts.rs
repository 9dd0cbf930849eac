//! The web fonts of a theme, as our own `@font-face` rules, only from the merchant's origins.
//!
//! A font that is loaded only for some characters would tell its server which characters were typed. So there is one
//! family without duplicate faces and without character ranges: it is loaded as a whole, whatever is typed.

use std::fmt::Write;

use rules::AllowedOrigin;
use serde_json::Value;
use url::Url;

use super::value::{is_font_name, weight};

/// How many faces one family may have: two weights, each upright and italic.
const FACES_MAX: usize = 4;
/// The longest address of a font.
const ADDRESS_BYTES_MAX: usize = 512;

/// The faces of a theme's family.
#[derive(Debug, Default)]
pub(super) struct FontFaces {
    /// The rules.
    pub(super) faces: String,
    /// The origins of the fonts.
    pub(super) origins: Vec<String>,
}

/// A checked face of the theme.
struct FontFace {
    family: String,
    address: Url,
    weight: String,
    style: &'static str,
}

impl FontFaces {
    /// The faces of `fonts` that are at one of `merchant_origins`, with the same wildcards as for embedding; the others
    /// are added to `dropped`.
    pub(super) fn read(style: &Value, merchant_origins: &[String], dropped: &mut Vec<String>) -> Self {
        let mut fonts = Self::default();
        let listed = match style.get("fonts") {
            None | Some(Value::Null) => return fonts,
            Some(Value::Array(listed)) => listed,
            Some(_) => {
                dropped.push("fonts".to_owned());
                return fonts;
            }
        };
        let mut kept: Vec<FontFace> = Vec::new();
        for (place, value) in listed.iter().enumerate() {
            let face = FontFace::read(value, merchant_origins).filter(|face| {
                let is_another = |other: &FontFace| {
                    other.family == face.family && (&other.weight, other.style) != (&face.weight, face.style)
                };
                kept.len() < FACES_MAX && kept.iter().all(is_another)
            });
            match face {
                Some(face) => kept.push(face),
                // A long list is reported once.
                None if place <= FACES_MAX => dropped.push(format!("fonts.{place}")),
                None => {}
            }
        }
        for face in kept {
            let origin = face.address.origin().ascii_serialization();
            if !fonts.origins.contains(&origin) {
                fonts.origins.push(origin);
            }
            let FontFace {
                family,
                address,
                weight,
                style,
            } = face;
            let _ = write!(
                fonts.faces,
                "@font-face{{font-family:\"{family}\";src:url(\"{address}\");font-weight:{weight};\
                 font-style:{style};font-display:swap}}"
            );
        }
        fonts
    }
}

impl FontFace {
    fn read(value: &Value, merchant_origins: &[String]) -> Option<Self> {
        let text = |key| value.get(key).and_then(Value::as_str);
        let family = text("family").map(str::trim).filter(|name| is_font_name(name))?;
        let address = text("src").filter(|address| address.len() <= ADDRESS_BYTES_MAX)?;
        let address = Url::parse(address).ok().filter(is_writable)?;
        if !AllowedOrigin::any_covers(merchant_origins, &address.origin().ascii_serialization()) {
            return None;
        }
        let style = match text("style") {
            None | Some("normal") => "normal",
            Some("italic") => "italic",
            Some(_) => return None,
        };
        let weight = match value.get("weight") {
            None | Some(Value::Null) => "400".to_owned(),
            Some(Value::Number(number)) => weight(&number.to_string())?,
            // A variable font has a range.
            Some(Value::String(text)) => {
                let weights: Option<Vec<_>> = text.split_ascii_whitespace().map(weight).collect();
                weights
                    .filter(|weights| matches!(weights.len(), 1 | 2))?
                    .join(" ")
            }
            Some(_) => return None,
        };
        Some(Self {
            family: family.to_owned(),
            address,
            weight,
            style,
        })
    }
}

/// Whether it is a web address without a password and without characters that end a quoted text.
fn is_writable(address: &Url) -> bool {
    let is_web = matches!(address.scheme(), "https" | "http");
    let is_bare = address.username().is_empty() && address.password().is_none();
    is_web && is_bare && !address.as_str().contains(['"', '\\', '<', '>', '\'', '\n'])
}

#[cfg(test)]
mod tests;
