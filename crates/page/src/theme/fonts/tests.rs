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
