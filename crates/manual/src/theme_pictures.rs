//! A small drawing for each key of a theme, in which the part that the key changes is marked. A build fails when a key of
//! docs/theming.md has none.

/// The page with the keys.
pub(crate) const SOURCE: &str = "docs/theming.md";

/// How a part is drawn.
#[derive(Clone, Copy)]
enum PartLook {
    Ground,
    Outline,
    /// A text, drawn as a bar.
    Text,
    /// Only there when it is marked.
    Extra,
}

/// A part of a drawing.
struct DrawnPart {
    /// The key that changes it, or nothing.
    key: &'static str,
    look: PartLook,
    /// An element of SVG, without its end.
    shape: &'static str,
}

const fn part(key: &'static str, look: PartLook, shape: &'static str) -> DrawnPart {
    DrawnPart { key, look, shape }
}

/// A drawing: the anchor of its heading in the page, its width and height, and its parts from back to front.
struct Drawing {
    heading: &'static str,
    size: &'static str,
    parts: &'static [DrawnPart],
}

const DRAWINGS: [Drawing; 5] = [
    Drawing {
        heading: "the-page",
        size: "120 64",
        parts: &[
            part(
                "backgroundColor",
                PartLook::Ground,
                r#"rect x="1" y="1" width="118" height="62" rx="4""#,
            ),
            part(
                "",
                PartLook::Outline,
                r#"rect x="1" y="1" width="118" height="62" rx="4""#,
            ),
            part(
                "",
                PartLook::Outline,
                r#"rect x="22" y="14" width="76" height="14" rx="3""#,
            ),
            part(
                "",
                PartLook::Outline,
                r#"rect x="22" y="36" width="76" height="14" rx="3""#,
            ),
            part(
                "padding",
                PartLook::Extra,
                r#"path d="M3 32h17M100 32h17M60 2v10M60 52v10""#,
            ),
            part(
                "fonts",
                PartLook::Extra,
                r#"path d="M28 25l4-9 4 9M30 22h4M40 19v6M41 22a2 3 0 1 0 0 .1""#,
            ),
            part(
                "fonts",
                PartLook::Extra,
                r#"path d="M28 47l4-9 4 9M30 44h4M40 41v6M41 44a2 3 0 1 0 0 .1""#,
            ),
        ],
    },
    Drawing {
        heading: "the-form",
        size: "120 88",
        parts: &[
            part(
                "backgroundColor",
                PartLook::Ground,
                r#"rect x="1" y="1" width="118" height="86" rx="5""#,
            ),
            part(
                "titleColor",
                PartLook::Text,
                r#"rect x="8" y="7" width="44" height="6" rx="3""#,
            ),
            part(
                "",
                PartLook::Text,
                r#"rect x="8" y="20" width="24" height="4" rx="2""#,
            ),
            part(
                "",
                PartLook::Outline,
                r#"rect x="8" y="27" width="104" height="16" rx="4""#,
            ),
            part(
                "",
                PartLook::Text,
                r#"rect x="8" y="51" width="20" height="4" rx="2""#,
            ),
            part(
                "",
                PartLook::Text,
                r#"rect x="64" y="51" width="26" height="4" rx="2""#,
            ),
            part(
                "",
                PartLook::Outline,
                r#"rect x="8" y="58" width="48" height="16" rx="4""#,
            ),
            part(
                "errorColor",
                PartLook::Outline,
                r#"rect x="64" y="58" width="48" height="16" rx="4""#,
            ),
            part("errorColor", PartLook::Extra, r#"path d="M64 80h34""#),
            part(
                "verticalSpacing",
                PartLook::Extra,
                r#"path d="M56 43v8M52 43h8M52 51h8""#,
            ),
            part(
                "horizontalSpacing",
                PartLook::Extra,
                r#"path d="M56 66h8M56 62v8M64 62v8""#,
            ),
            part(
                "inputHeight",
                PartLook::Extra,
                r#"path d="M98 27v16M94 27h8M94 43h8""#,
            ),
            part(
                "fontFamily",
                PartLook::Extra,
                r#"path d="M14 40l4-10 4 10M16 37h4M27 34v6M28 37a2 3 0 1 0 0 .1""#,
            ),
            part(
                "fontSize",
                PartLook::Extra,
                r#"path d="M14 40l2-5 2 5M15 38.500h2M24 40l4-11 4 11M25.500 36h5""#,
            ),
            part(
                "fontWeight",
                PartLook::Extra,
                r#"path d="M14 40l4-10 4 10M16 37h4M28 40l4-10 4 10M28.800 40l4-10 4 10M29.600 40l4-10 4 10M30 37h5""#,
            ),
            part(
                "borderRadius",
                PartLook::Extra,
                r#"path d="M8 32v-1a4 4 0 0 1 4-4h1M107 27h1a4 4 0 0 1 4 4v1M112 38v1a4 4 0 0 1-4 4h-1M13 43h-1a4 4 0 0 1-4-4v-1""#,
            ),
            part(
                "labelStyle",
                PartLook::Extra,
                r#"path d="M8 22h24M14 31h24M40 24v5M38 27l2 2 2-2""#,
            ),
        ],
    },
    Drawing {
        heading: "the-fields",
        size: "120 56",
        parts: &[
            part(
                "labelColor",
                PartLook::Text,
                r#"rect x="8" y="6" width="36" height="5" rx="2""#,
            ),
            part(
                "backgroundColor",
                PartLook::Ground,
                r#"rect x="8" y="19" width="104" height="30" rx="5""#,
            ),
            part(
                "borderColor",
                PartLook::Outline,
                r#"rect x="8" y="19" width="104" height="30" rx="5""#,
            ),
            part(
                "focusBorderColor",
                PartLook::Extra,
                r#"rect x="6" y="17" width="108" height="34" rx="7""#,
            ),
            part(
                "textColor",
                PartLook::Text,
                r#"rect x="16" y="31" width="34" height="6" rx="3""#,
            ),
            part(
                "placeholderColor",
                PartLook::Extra,
                r#"path d="M56 34h46" stroke-dasharray="5 3""#,
            ),
        ],
    },
    Drawing {
        heading: "the-checkbox",
        size: "120 40",
        parts: &[
            part(
                "backgroundColor",
                PartLook::Ground,
                r#"rect x="1" y="1" width="118" height="38" rx="4""#,
            ),
            part(
                "activeBackgroundColor",
                PartLook::Ground,
                r#"rect x="10" y="12" width="16" height="16" rx="3""#,
            ),
            part(
                "deActiveBackgroundColor",
                PartLook::Ground,
                r#"rect x="10" y="12" width="16" height="16" rx="3""#,
            ),
            part(
                "borderColor",
                PartLook::Outline,
                r#"rect x="10" y="12" width="16" height="16" rx="3""#,
            ),
            part(
                "focusBorderColor",
                PartLook::Extra,
                r#"rect x="7" y="9" width="22" height="22" rx="5""#,
            ),
            part(
                "checkBoxBorderWidth",
                PartLook::Extra,
                r#"path d="M10 20h4M7 16v8M17 16v8""#,
            ),
            part(
                "activeBackgroundColor",
                PartLook::Extra,
                r#"path d="M13 20l4 4 6-8""#,
            ),
            part("checkMarkColor", PartLook::Extra, r#"path d="M13 20l4 4 6-8""#),
            part(
                "textColor",
                PartLook::Text,
                r#"rect x="36" y="12" width="56" height="6" rx="3""#,
            ),
            part(
                "labelColor",
                PartLook::Text,
                r#"rect x="36" y="24" width="72" height="4" rx="2""#,
            ),
        ],
    },
    Drawing {
        heading: "the-payment-pages-button",
        size: "120 36",
        parts: &[
            part(
                "backgroundColor",
                PartLook::Ground,
                r#"rect x="8" y="4" width="104" height="28" rx="6""#,
            ),
            part(
                "",
                PartLook::Outline,
                r#"rect x="8" y="4" width="104" height="28" rx="6""#,
            ),
            part(
                "textColor",
                PartLook::Text,
                r#"rect x="40" y="15" width="40" height="6" rx="3""#,
            ),
        ],
    },
];

/// The drawing of this key below this heading, as SVG. What it shows stands beside it, so it is not read out.
pub(crate) fn picture(heading: &str, key: &str) -> Option<String> {
    let drawing = DRAWINGS.iter().find(|drawing| drawing.heading == heading)?;
    drawing.parts.iter().find(|part| part.key == key)?;
    let mut svg = format!(
        "<svg class=\"picture\" viewBox=\"0 0 {}\" aria-hidden=\"true\">",
        drawing.size
    );
    for DrawnPart { key: of, look, shape } in drawing.parts {
        let is_marked = *of == key;
        let class = match look {
            PartLook::Ground => "ground",
            PartLook::Outline => "outline",
            PartLook::Text => "text",
            PartLook::Extra if is_marked => "extra",
            PartLook::Extra => continue,
        };
        let mark = if is_marked { " marked" } else { "" };
        svg.push_str(&format!("<{shape} class=\"{class}{mark}\"/>"));
    }
    svg.push_str("</svg>");
    Some(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The other direction fails the build.
    #[test]
    fn every_drawing_belongs_to_a_key_of_the_page() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = std::fs::read_to_string(root.join(SOURCE)).unwrap();
        for drawing in &DRAWINGS {
            let keys = drawing.parts.iter().filter(|part| !part.key.is_empty());
            for part in keys {
                assert!(page.contains(&format!("| `{}`", part.key)), "{}", part.key);
                let svg = picture(drawing.heading, part.key).unwrap();
                assert!(svg.contains("marked"), "{}", part.key);
            }
        }
        assert_eq!(picture("the-form", "nothing"), None);
    }

    #[test]
    fn only_what_the_key_changes_is_marked() {
        let svg = picture("the-fields", "labelColor").unwrap();
        assert_eq!(svg.matches("marked").count(), 1);
        assert!(
            svg.contains("height=\"5\" rx=\"2\" class=\"text marked\""),
            "{svg}"
        );
    }
}
