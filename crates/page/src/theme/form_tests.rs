//! What a theme does to the form itself: labels on their ground, the checkbox, errors, and the page around it.

use serde_json::json;
use wire::ColorMode;

use super::contrast::{TEXT, ratio};
use super::settings_of_tests::{PLAIN, REPAIRED, in_form, sheet};
use super::value::Colour;
use super::{Host, Setting, Theme};

/// The last value that the sheet gives to `variable`, wherever.
fn last(sheet: &str, variable: &str) -> Colour {
    let at = sheet.rfind(&format!("{variable}:")).expect(variable) + variable.len() + 1;
    Colour::read(sheet[at..].split(';').next().expect("a value")).expect("a colour")
}

#[test]
fn a_dark_ground_has_light_labels_in_the_redesign() {
    for (background, light) in [
        ("#222", true),
        ("#102030", true),
        ("#fff", false),
        ("black", false),
        ("#222222ff", false),
    ] {
        let style = in_form(&json!({"backgroundColor": background}));
        assert_eq!(sheet(&style).contains("--label:#f5f5f7;"), light, "{background}");
        let old = Setting {
            redesign: false,
            ..PLAIN
        };
        assert!(
            !Theme::read(&style.to_string(), old, &[])
                .sheet
                .contains("--label")
        );
        // An input is no ground for a label above it, but for one inside of it.
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
fn labels_float_where_the_theme_says_so() {
    let of = |style: &str| Theme::read(&in_form(&json!({"labelStyle": style})).to_string(), PLAIN, &[]);
    assert!(of("floating").has_floating_labels);
    assert!(!of("above").has_floating_labels);
    let unknown = of("below");
    assert!(!unknown.has_floating_labels);
    assert_eq!(unknown.report.dropped, ["children.cardForm.labelStyle"]);
}

#[test]
fn a_label_is_judged_by_what_it_stands_on() {
    let label = |style: &serde_json::Value, setting: Setting| {
        let sheet = Theme::read(&style.to_string(), setting, &[]).sheet;
        // The first is the form's or the number's; the saved cards have their own.
        let first = sheet.split("--label:").nth(1)?.split(';').next()?;
        Colour::read(first)
    };
    let host = |text| Setting {
        host: Host::read(Some(text)),
        ..REPAIRED
    };
    // A dark host, though the theme's inputs are white.
    let on_dark = label(&json!({}), host("rgb(24, 26, 32)")).expect("a label");
    assert!(ratio(on_dark, Colour::opaque(24, 26, 32)) >= TEXT);
    // Dark inputs on a light host.
    let part = json!({"children": {"cardNumber": {"backgroundColor": "#111111"}}});
    let beside = label(&in_form(&part), host("rgb(255, 255, 255)")).expect("a label");
    assert!(ratio(beside, Colour::WHITE) >= TEXT);
    // The same with labels inside of the inputs.
    let inside =
        json!({"labelStyle": "floating", "children": {"cardNumber": {"backgroundColor": "#111111"}}});
    let inside = label(&in_form(&inside), host("rgb(255, 255, 255)")).expect("a label");
    assert!(ratio(inside, Colour::opaque(0x11, 0x11, 0x11)) >= TEXT);
}

#[test]
fn a_form_is_at_home_on_what_is_behind_it() {
    for (text, mode) in [
        (None, ColorMode::Light),
        (Some("rgb(255, 255, 255)"), ColorMode::Light),
        (Some("rgb(24, 26, 32)"), ColorMode::Dark),
        (Some("oklch(0.2 0.02 260)"), ColorMode::Dark),
        (Some("normal"), ColorMode::Light),
        (Some("dark"), ColorMode::Dark),
        (Some("light dark"), ColorMode::System),
        (Some("url(evil)"), ColorMode::Light),
    ] {
        assert_eq!(Host::read(text).color_mode(), mode, "{text:?}");
    }
}

#[test]
fn a_checkbox_without_a_border_is_seen_by_its_fill() {
    let checkbox = |part: serde_json::Value| {
        let style = in_form(&json!({"children": {"cardCheckbox": part}}));
        Theme::read(&style.to_string(), REPAIRED, &[]).sheet
    };
    let sheet = checkbox(json!({"deActiveBackgroundColor": "#ffffff"}));
    assert!(
        ratio(last(&sheet, "--check-inactive"), Colour::WHITE) >= 3.0,
        "{sheet}"
    );
    let bordered = checkbox(json!({"deActiveBackgroundColor": "#ffffff", "checkBoxBorderWidth": "1px"}));
    assert_eq!(last(&bordered, "--check-inactive"), Colour::WHITE);
    // Its words stand on its own background.
    let sheet = checkbox(json!({"backgroundColor": "#222222", "textColor": "#333333"}));
    let ground = Colour::opaque(0x22, 0x22, 0x22);
    assert!(ratio(last(&sheet, "--check-text"), ground) >= TEXT, "{sheet}");
}

#[test]
fn the_error_colour_is_the_danger_card_s_too() {
    let style = in_form(&json!({"errorColor": "#ffb3b3"})).to_string();
    let theme = Theme::read(&style, REPAIRED, &[]);
    assert!(ratio(last(&theme.sheet, "--error"), Colour::WHITE) >= TEXT);
    let ground = last(&theme.sheet, "--danger-ground").over(Colour::WHITE);
    assert!(ratio(last(&theme.sheet, "--danger-ink"), ground) >= TEXT);
}
