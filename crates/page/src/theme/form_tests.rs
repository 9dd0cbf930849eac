//! The effects of a theme on the form: labels on their background, the checkbox, errors, and the page around it.

use protocol::ColorMode;
use serde_json::json;

use super::contrast::{TEXT, ratio};
use super::settings_of_tests::{PLAIN, REPAIRED, in_form, sheet};
use super::value::Color;
use super::{HostBackground, Theme, ThemeContext};

/// The last value of `variable` in the sheet.
fn last(sheet: &str, variable: &str) -> Color {
    let at = sheet.rfind(&format!("{variable}:")).expect(variable) + variable.len() + 1;
    Color::read(sheet[at..].split(';').next().expect("a value")).expect("a color")
}

#[test]
fn labels_are_light_on_a_dark_background_in_the_redesign() {
    for (background, light) in [
        ("#222", true),
        ("#102030", true),
        ("#fff", false),
        ("black", false),
        ("#222222ff", false),
    ] {
        let style = in_form(&json!({"backgroundColor": background}));
        assert_eq!(sheet(&style).contains("--label:#f5f5f7;"), light, "{background}");
        let old = ThemeContext {
            redesign: false,
            ..PLAIN
        };
        assert!(
            !Theme::read(&style.to_string(), old, &[])
                .sheet
                .contains("--label")
        );
        // An input is the background of a label inside it, not of one above it.
        let part = json!({"cardNumber": {"backgroundColor": background}});
        let beside = in_form(&json!({"children": part}));
        assert!(!sheet(&beside).contains("--label"), "{background}");
        let inside = in_form(&json!({"labelStyle": "floating", "children": part}));
        assert_eq!(sheet(&inside).contains("--label:#f5f5f7;"), light, "{background}");
    }
    let own = json!({"labelColor": "#010101"});
    let style = in_form(&json!({"backgroundColor": "#222", "children": {"cardNumber": own}}));
    assert!(sheet(&style).contains("--label:#010101;"));
}

#[test]
fn labels_float_if_the_theme_says_so() {
    let of = |style: &str| Theme::read(&in_form(&json!({"labelStyle": style})).to_string(), PLAIN, &[]);
    assert!(of("floating").has_floating_labels);
    assert!(!of("above").has_floating_labels);
    let unknown = of("below");
    assert!(!unknown.has_floating_labels);
    assert_eq!(unknown.report.dropped, ["children.cardForm.labelStyle"]);
}

#[test]
fn a_labels_contrast_is_checked_on_its_real_background() {
    let label = |style: &serde_json::Value, setting: ThemeContext| {
        let sheet = Theme::read(&style.to_string(), setting, &[]).sheet;
        // The first one is for the form or the number; the saved cards have their own.
        let first = sheet.split("--label:").nth(1)?.split(';').next()?;
        Color::read(first)
    };
    let host = |text| ThemeContext {
        host: HostBackground::read(Some(text)),
        ..REPAIRED
    };
    // A dark page behind the form, but white inputs.
    let on_dark = label(&json!({}), host("rgb(24, 26, 32)")).expect("a label");
    assert!(ratio(on_dark, Color::opaque(24, 26, 32)) >= TEXT);
    // Dark inputs on a light page.
    let part = json!({"children": {"cardNumber": {"backgroundColor": "#111111"}}});
    let beside = label(&in_form(&part), host("rgb(255, 255, 255)")).expect("a label");
    assert!(ratio(beside, Color::WHITE) >= TEXT);
    // Dark inputs with labels inside.
    let inside =
        json!({"labelStyle": "floating", "children": {"cardNumber": {"backgroundColor": "#111111"}}});
    let inside = label(&in_form(&inside), host("rgb(255, 255, 255)")).expect("a label");
    assert!(ratio(inside, Color::opaque(0x11, 0x11, 0x11)) >= TEXT);
}

#[test]
fn a_form_is_light_or_dark_like_the_page_behind_it() {
    for (text, mode) in [
        (None, ColorMode::Light),
        (Some("rgb(255, 255, 255)"), ColorMode::Light),
        (Some("rgb(24, 26, 32)"), ColorMode::Dark),
        (Some("oklch(0.2 0.02 260)"), ColorMode::Dark),
        (Some("normal"), ColorMode::Light),
        (Some("dark"), ColorMode::Dark),
        (Some("light dark"), ColorMode::System),
        (Some("text rgb(250, 250, 250)"), ColorMode::Dark),
        (Some("text rgb(20, 20, 20)"), ColorMode::Light),
        (Some("text of nothing"), ColorMode::Light),
        (Some("url(evil)"), ColorMode::Light),
    ] {
        assert_eq!(HostBackground::read(text).color_mode(), mode, "{text:?}");
    }
}

#[test]
fn a_checkbox_without_a_border_has_a_visible_fill() {
    let checkbox = |part: serde_json::Value| {
        let style = in_form(&json!({"children": {"cardCheckbox": part}}));
        Theme::read(&style.to_string(), REPAIRED, &[]).sheet
    };
    let sheet = checkbox(json!({"deActiveBackgroundColor": "#ffffff"}));
    assert!(
        ratio(last(&sheet, "--check-inactive"), Color::WHITE) >= 3.0,
        "{sheet}"
    );
    let bordered = checkbox(json!({"deActiveBackgroundColor": "#ffffff", "checkBoxBorderWidth": "1px"}));
    assert_eq!(last(&bordered, "--check-inactive"), Color::WHITE);
    // Its text is on its own background.
    let sheet = checkbox(json!({"backgroundColor": "#222222", "textColor": "#333333"}));
    let ground = Color::opaque(0x22, 0x22, 0x22);
    assert!(ratio(last(&sheet, "--check-text"), ground) >= TEXT, "{sheet}");
}

#[test]
fn the_danger_card_uses_the_error_color() {
    let style = in_form(&json!({"errorColor": "#ffb3b3"})).to_string();
    let theme = Theme::read(&style, REPAIRED, &[]);
    assert!(ratio(last(&theme.sheet, "--error"), Color::WHITE) >= TEXT);
    let ground = last(&theme.sheet, "--danger-ground").over(Color::WHITE);
    assert!(ratio(last(&theme.sheet, "--danger-ink"), ground) >= TEXT);
}
