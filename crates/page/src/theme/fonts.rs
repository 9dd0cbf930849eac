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
mod tests {
    use serde_json::json;

    use crate::theme::Theme;
    use crate::theme::settings_of_tests::PLAIN;

    const SHOP: &str = "https://shop.example";

    fn face(src: &str) -> serde_json::Value {
        json!({"family": "Larkspur", "src": src, "weight": 500})
    }

    #[test]
    fn a_web_font_comes_only_from_the_merchants_origins() {
        let origins = [SHOP.to_owned()];
        let style = json!({"fonts": [face("https://shop.example/a.woff2?v=1")]}).to_string();
        let theme = Theme::read(&style, PLAIN, &origins);
        assert_eq!(theme.font_origins, [SHOP]);
        assert!(theme.sheet.starts_with(
            "@font-face{font-family:\"Larkspur\";src:url(\"https://shop.example/a.woff2?v=1\");font-weight:500;"
        ));
        assert_eq!(Theme::read(&style, PLAIN, &[]).sheet, "");

        for src in [
            "https://evil.example/a.woff2",
            "https://shop.example.evil.example/a.woff2",
            "https://shop.example:8443/a.woff2",
            "http://shop.example/a.woff2",
            "https://sam:secret@shop.example/a.woff2",
            "//shop.example/a.woff2",
            "/a.woff2",
            "data:font/woff2;base64,d09GMg",
            "javascript:alert(1)",
            "https://shop.example/a'b.woff2",
            "",
        ] {
            let theme = Theme::read(&json!({"fonts": [face(src)]}).to_string(), PLAIN, &origins);
            assert_eq!((theme.sheet.as_str(), theme.font_origins.len()), ("", 0), "{src}");
            assert_eq!(theme.report.dropped, ["fonts.0"], "{src}");
        }
        let hostile = face("https://shop.example/\"){}</style><script>\\a.woff2");
        let sheet = Theme::read(&json!({"fonts": [hostile]}).to_string(), PLAIN, &origins).sheet;
        assert!(!sheet.contains("</") && !sheet.contains("\"){"), "{sheet}");
    }

    #[test]
    fn a_web_font_may_come_from_an_allowed_subdomain() {
        let origins = [
            "https://*.shop.example".to_owned(),
            "http://dev.example".to_owned(),
        ];
        for (src, from) in [
            ("https://fonts.shop.example/a.woff2", "https://fonts.shop.example"),
            ("https://a.b.shop.example/a.woff2", "https://a.b.shop.example"),
            // For a browser http in a policy allows https, too.
            ("https://dev.example/a.woff2", "https://dev.example"),
        ] {
            let theme = Theme::read(&json!({"fonts": [face(src)]}).to_string(), PLAIN, &origins);
            assert_eq!(theme.font_origins, [from]);
            assert!(theme.sheet.contains(src), "{src}: {}", theme.sheet);
        }
        for src in [
            "https://shop.example/a.woff2",
            "https://fonts.shop.example:8443/a.woff2",
            "http://fonts.shop.example/a.woff2",
            "https://evilshop.example/a.woff2",
            "https://fonts.shop.example.evil.example/a.woff2",
            "https://*.shop.example/a.woff2",
        ] {
            let theme = Theme::read(&json!({"fonts": [face(src)]}).to_string(), PLAIN, &origins);
            assert_eq!((theme.sheet.as_str(), theme.font_origins.len()), ("", 0), "{src}");
        }
    }

    #[test]
    fn web_fonts_do_not_show_which_characters_are_typed() {
        let origins = [SHOP.to_owned()];
        let one = face("https://shop.example/a.woff2");
        let alike = face("https://shop.example/b.woff2");
        let ranged = json!({"family": "Larkspur", "src": "https://shop.example/c.woff2", "weight": 700,
            "unicodeRange": "U+30"});
        let another = json!({"family": "Other", "src": "https://shop.example/d.woff2"});
        let style = json!({"fonts": [one, alike, ranged, another, 7]}).to_string();
        let theme = Theme::read(&style, PLAIN, &origins);
        assert_eq!(theme.sheet.matches("@font-face").count(), 2);
        assert!(!theme.sheet.contains("unicode-range"));
        assert_eq!(theme.report.dropped, ["fonts.1", "fonts.3", "fonts.4"]);
    }
}
