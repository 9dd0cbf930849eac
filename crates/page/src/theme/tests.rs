//! Themes: which values are accepted, which are dropped, and how colors are corrected.

use std::collections::BTreeSet;

use protocol::ColorMode;
use serde_json::json;

use super::contrast::{TEXT, ratio};
use super::defaults::{DARK, LIGHT};
use super::keys::{FormPart, keys};
use super::settings_of_tests::{PLAIN, REPAIRED, in_form, sheet};
use super::value::{Color, ValueKind};
use super::{Theme, ThemeContext};

#[test]
fn the_default_theme_adds_no_style_sheet() {
    assert_eq!(Theme::read("", PLAIN, &[]).sheet, "");
    assert_eq!(Theme::read("{}", PLAIN, &[]).sheet, "");
}

#[test]
fn both_modes_have_a_default_for_every_corrected_color() {
    let corrected = [
        "--title",
        "--input-background",
        "--label",
        "--border",
        "--focus-border",
        "--text",
        "--placeholder",
        "--check-active",
        "--check-inactive",
        "--check-mark",
        "--error",
        "--canvas",
        "--panel",
        "--ink",
        "--ink-soft",
        "--action",
        "--success",
        "--waiting",
    ];
    for mode in [&*LIGHT, &*DARK] {
        for variable in corrected {
            assert!(mode.color(variable).is_opaque(), "{variable} in {}", mode.name);
        }
    }
}

#[test]
fn dark_colors_are_the_same_whether_forced_or_of_the_system() {
    let css = include_str!("../../../../form/src/page.css");
    let rule = |start: &str| -> Vec<&str> {
        let (_, rest) = css.split_once(start).expect(start);
        let (rule, _) = rest.split_once('}').expect(start);
        rule.split(';').map(str::trim).collect()
    };
    assert_eq!(
        rule(":root[data-color-mode=\"system\"] {"),
        rule(":root[data-color-mode=\"dark\"] {")
    );
}

#[test]
fn every_key_is_merged_over_the_defaults() {
    for (part, keys) in keys() {
        for key in keys {
            let (value, shown) = match key.kind {
                ValueKind::Color => (json!("#012345"), "#012345"),
                ValueKind::Length => (json!("3px"), "3px"),
                ValueKind::Lengths => (json!("1px 2rem"), "1px 2rem"),
                ValueKind::Weight => (json!(600), "600"),
                ValueKind::FontFamily => (json!("Inter, sans-serif"), "\"Inter\",sans-serif"),
            };
            let style = part
                .path()
                .iter()
                .rev()
                .fold(json!({key.name: value}), |inner, step| json!({*step: inner}));
            let theme = Theme::read(&style.to_string(), PLAIN, &[]);
            assert_eq!(theme.report.dropped, Vec::<String>::new(), "{style}");
            let rule = format!("{}:{shown};", key.variable.name());
            assert!(theme.sheet.contains(&rule), "{style} gave {}", theme.sheet);
            assert!(
                theme.sheet.contains(&part.selector()),
                "{style} gave {}",
                theme.sheet
            );
        }
    }
}

#[test]
fn an_invalid_theme_value_is_dropped_and_reported() {
    let hostile = [
        "red;}body{display:none",
        "url(https://evil.example/x)",
        "</style><script>alert(1)</script>",
        "expression(alert(1))",
        "var(--text)",
        "calc(1px + 1px)",
        "1px/**/",
        "-5px",
        "12",
        "1e3px",
        "fff",
        "",
        "Inter\\22 ;",
        "\"Inter",
        "Inter, url(x)",
        "10000000000000000000px",
    ];
    for value in hostile {
        let style = json!({
            "padding": value,
            "backgroundColor": value,
            "children": {"cardForm": {"fontSize": value, "fontFamily": value, "titleColor": "#123456"}},
        });
        let theme = Theme::read(&style.to_string(), PLAIN, &[]);
        assert!(theme.sheet.contains("--title:#123456;"), "{value}");
        for sign in ["<", ">", "url", "(", "evil", "\\", "/*"] {
            assert!(!theme.sheet.contains(sign), "{value} gave {}", theme.sheet);
        }
        assert!(
            theme.report.dropped.contains(&"backgroundColor".to_owned()),
            "{value}"
        );
        assert!(theme.report.dropped.contains(&"padding".to_owned()), "{value}");
        assert!(
            theme
                .report
                .dropped
                .contains(&"children.cardForm.fontSize".to_owned()),
            "{value}"
        );
    }
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_one() {
    for (style, note) in [
        (
            json!({"borderRadius": "4px"}),
            "customStyle.borderRadius is not known. Is it children.cardForm.borderRadius?",
        ),
        (
            json!({"cardForm": {"borderRadius": "4px"}}),
            "customStyle.cardForm is not known. Is it children.cardForm?",
        ),
        (
            in_form(&json!({"textColor": "#000"})),
            "customStyle.children.cardForm.textColor is not known. \
             Is it children.cardForm.children.cardNumber.textColor?",
        ),
        (
            in_form(&json!({"children": {"cardNumber": {"labelColour": "#000"}}})),
            "customStyle.children.cardForm.children.cardNumber.labelColour is not known. \
             Is it children.cardForm.children.cardNumber.labelColor?",
        ),
        (json!({"zzzz": 1}), "customStyle.zzzz is not known."),
    ] {
        let theme = Theme::read(&style.to_string(), PLAIN, &[]);
        assert_eq!(theme.report.notes, [note]);
    }
}

#[test]
fn a_length_of_the_window_is_refused_in_a_frame_and_named() {
    for length in ["60vh", "10vw", "1dvh", "2vmin"] {
        let style =
            json!({"padding": format!("1px {length}"), "children": {"cardForm": {"inputHeight": length}}});
        let framed = Theme::read(&style.to_string(), PLAIN, &[]);
        assert_eq!(framed.sheet, "");
        let named = &framed.report.notes;
        assert!(
            named[0].starts_with("customStyle.padding is left out"),
            "{named:?}"
        );
        assert!(named[1].contains("cardForm.inputHeight is left out"), "{named:?}");
        assert!(named[1].contains(length), "{named:?}");
        let alone = Theme::read(&style.to_string(), PAYMENT_PAGE, &[]);
        assert!(alone.sheet.contains(length) && alone.report.notes.is_empty());
    }
}

#[test]
fn only_colors_that_the_merchant_set_are_told_by_their_keys() {
    let of = |style: &serde_json::Value| {
        let report = Theme::read(&style.to_string(), REPAIRED, &[]).report;
        report
            .repaired
            .iter()
            .map(|color| color.key.clone())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(of(&json!({})), BTreeSet::new());
    assert_eq!(of(&json!({"backgroundColor": "#777777"})), BTreeSet::new());
    assert_eq!(
        of(&in_form(&json!({"errorColor": "#ffeeee"}))),
        BTreeSet::from(["children.cardForm.errorColor".to_owned()])
    );
    assert_eq!(
        of(&in_form(
            &json!({"children": {"cardSecurityCode": {"labelColor": "#eeeeee"}}})
        )),
        BTreeSet::from(["children.cardForm.children.cardSecurityCode.labelColor".to_owned()])
    );
}

#[test]
fn invalid_json_gives_the_default_theme() {
    let deep = "[".repeat(10_000);
    let long = format!("{{\"padding\":\"{}\"}}", " ".repeat(20_000));
    for style in ["{", "7", "null", "[]", "\"red\"", &deep, &long] {
        let theme = Theme::read(style, PLAIN, &[]);
        assert!(theme.report.unusable, "{style:.20}");
        assert_eq!(theme.sheet, "", "{style:.20}");
    }
    for style in [r#"{"children":7}"#, r#"{"children":{"cardForm":[1]}}"#] {
        let theme = Theme::read(style, PLAIN, &[]);
        assert_eq!(
            (theme.report.unusable, theme.sheet.as_str()),
            (false, ""),
            "{style}"
        );
    }
}

#[test]
fn colors_in_every_notation_are_accepted() {
    for (text, shown) in [
        ("#abc", "#aabbcc"),
        ("#AABBCC80", "#aabbcc80"),
        ("rebeccapurple", "#663399"),
        ("transparent", "#00000000"),
        ("rgb(1 2 3)", "#010203"),
        ("rgba(1, 2, 3, 0.5)", "#01020380"),
        ("hsl(0 100% 50%)", "#ff0000"),
    ] {
        let sheet = sheet(&json!({"backgroundColor": text}));
        assert!(
            sheet.contains(&format!("--page-background:{shown};")),
            "{text}: {sheet}"
        );
    }
}

/// The last value of `variable` in the sheet.
fn last(sheet: &str, variable: &str) -> Color {
    let at = sheet.rfind(&format!("{variable}:")).expect(variable) + variable.len() + 1;
    Color::read(sheet[at..].split(';').next().expect("a value")).expect("a color")
}

#[test]
fn corrected_colors_reach_the_contrast_on_their_background() {
    let theme = Theme::read("{}", REPAIRED, &[]);
    assert!(
        ratio(last(&theme.sheet, "--label"), Color::WHITE) >= TEXT,
        "{}",
        theme.sheet
    );
    assert!(ratio(last(&theme.sheet, "--placeholder"), Color::WHITE) >= TEXT);
    assert!(
        !theme.sheet.contains("--text:"),
        "a color with enough contrast is not changed: {}",
        theme.sheet
    );

    let style = json!({"backgroundColor": "#101018", "children": {"cardForm": {"titleColor": "#333333"}}});
    let theme = Theme::read(&style.to_string(), REPAIRED, &[]);
    let ground = Color::opaque(0x10, 0x10, 0x18);
    assert!(
        ratio(last(&theme.sheet, "--title"), ground) >= TEXT,
        "{}",
        theme.sheet
    );
    let title = &theme.report.repaired[0];
    assert_eq!(
        (title.key.as_str(), title.from.as_str()),
        ("children.cardForm.titleColor", "#333333")
    );
}

#[test]
fn a_parts_own_color_is_corrected_for_that_part() {
    let style =
        in_form(&json!({"children": {"cardExpiry": {"backgroundColor": "#000", "textColor": "#111"}}}));
    let theme = Theme::read(&style.to_string(), REPAIRED, &[]);
    let rule = ":root[data-color-mode=\"light\"] .field-card-expiry{";
    let part = theme.sheet.split(rule).nth(1).expect("a rule for the part");
    assert!(ratio(last(part, "--text"), Color::BLACK) >= TEXT, "{part}");
}

#[test]
fn colors_are_corrected_only_on_request() {
    let classic = ThemeContext {
        redesign: false,
        ..PLAIN
    };
    let theme = Theme::read(r##"{"backgroundColor":"#000"}"##, classic, &[]);
    assert_eq!(theme.report.repaired, []);
    assert!(!theme.sheet.contains("--label"));
}

#[test]
fn in_system_mode_both_color_modes_are_corrected() {
    let setting = ThemeContext {
        standalone: true,
        color_mode: ColorMode::System,
        ..REPAIRED
    };
    let sheet = Theme::read("{}", setting, &[]).sheet;
    for part in [
        ":root[data-color-mode=\"light\"]{",
        "@media (prefers-color-scheme:light){:root[data-color-mode=\"system\"]{",
        ":root[data-color-mode=\"dark\"]{",
    ] {
        assert!(sheet.contains(part), "{part} in {sheet}");
    }
}

const PAYMENT_PAGE: ThemeContext = ThemeContext {
    standalone: true,
    color_mode: ColorMode::System,
    ..REPAIRED
};

#[test]
fn lengths_have_limits_on_the_payment_page() {
    let style = json!({
        "padding": "90vh 0",
        "children": {"cardForm": {"fontSize": "0px", "borderRadius": "9999px", "verticalSpacing": "70rem"}},
    });
    let sheet = Theme::read(&style.to_string(), PAYMENT_PAGE, &[]).sheet;
    for rule in [
        "--page-padding:min(90vh,3rem) min(0px,3rem);",
        "--font-size:clamp(0.75rem,0px,1.375rem);",
        "--radius:min(9999px,1.25rem);",
        "--vertical-spacing:min(70rem,2rem);",
    ] {
        assert!(sheet.contains(rule), "{rule} in {sheet}");
    }
    for (part, keys) in keys() {
        for key in keys
            .iter()
            .filter(|key| matches!(key.kind, ValueKind::Length | ValueKind::Lengths))
        {
            let path = part.path();
            let style = path
                .iter()
                .rev()
                .fold(json!({key.name: "9999px"}), |inner, step| json!({*step: inner}));
            let sheet = Theme::read(&style.to_string(), PAYMENT_PAGE, &[]).sheet;
            assert!(!sheet.contains(":9999px"), "{style} in {sheet}");
        }
    }
    // A merchant's own page has no limits.
    let framed = Theme::read(&style.to_string(), PLAIN, &[]).sheet;
    assert!(framed.contains("--font-size:0px;"), "{framed}");
}

#[test]
fn the_payment_is_readable_on_any_background_of_a_theme() {
    // Every gray and the pure colors: the worst case is one of them.
    let grays = (0..=255_u8).map(|gray| format!("#{gray:02x}{gray:02x}{gray:02x}"));
    let colors = [
        "#ff0000",
        "#00ff00",
        "#0000ff",
        "#ffff00",
        "#00000080",
        "#ffffff01",
    ]
    .map(str::to_owned);
    for ground in grays.chain(colors) {
        let style = json!({
            "backgroundColor": ground,
            "children": {"cardForm": {
                "backgroundColor": ground,
                "children": {"cardCheckbox": {"activeBackgroundColor": ground}},
            }},
        });
        let sheet = Theme::read(&style.to_string(), PAYMENT_PAGE, &[]).sheet;
        for mode in ["light", "dark"] {
            let start = format!(":root[data-color-mode=\"{mode}\"]{{--canvas:");
            let rule = sheet.split(&start).nth(1).expect("a rule for the page");
            let rule = format!("--canvas:{}", rule.split('}').next().unwrap());
            let of = |name: &str| last(&rule, name);
            for (text, on) in [
                ("--ink", "--panel"),
                ("--ink-soft", "--panel"),
                ("--canvas-ink", "--canvas"),
                ("--action-ink", "--action"),
            ] {
                let found = ratio(of(text), of(on));
                assert!(found >= TEXT, "{ground} {mode}: {text} on {on} is {found}");
            }
            assert!(ratio(of("--action"), of("--panel")) >= 3.0, "{ground} {mode}");
        }
    }
}

/// The first cells of the tables below this heading of docs/theming.md.
fn documented(heading: &str) -> BTreeSet<&'static str> {
    let page = include_str!("../../../../docs/theming.md");
    let (_, text) = page.split_once(&format!("\n## {heading}\n")).expect(heading);
    let text = text.split_once("\n## ").map_or(text, |(text, _)| text);
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).collect()
}

#[test]
fn every_key_of_a_theme_is_documented() {
    // They are read by rooms of their own: a web font, and where labels stand.
    let elsewhere = BTreeSet::from(["fonts", "labelStyle"]);
    for (part, keys) in keys() {
        let heading = match part {
            FormPart::Page => "The page",
            FormPart::CardForm => "The form",
            FormPart::PayButton => "The payment page's button",
            FormPart::CardCheckbox => "The checkbox",
            _ => "The fields",
        };
        let documented: BTreeSet<_> = documented(heading).difference(&elsewhere).copied().collect();
        let known: BTreeSet<_> = keys.iter().map(|key| key.name).collect();
        let missing: Vec<_> = known.difference(&documented).collect();
        assert!(missing.is_empty(), "{part:?}: {missing:?}");
        // A security code has no placeholder, and shares its table with fields that have one.
        let unknown = documented
            .difference(&known)
            .filter(|name| **name != "placeholderColor");
        assert_eq!(unknown.count(), 0, "{part:?}: {documented:?}");
    }
}
