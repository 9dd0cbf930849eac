use super::*;
use crate::config::Settings;

fn expected(change: impl FnOnce(&mut Settings)) -> Expected {
    let mut settings = Settings {
        provider_url: Some("https://provider.example".into()),
        ..Settings::default()
    };
    change(&mut settings);
    Expected::of(&settings.resolve().unwrap(), true)
}

#[test]
fn policy_and_headers_without_settings_must_match_exactly() {
    let expected = expected(|_| ());
    let allows = |name: &str, served: &str| expected.policy[name].allows(served, "");
    assert!(allows("default-src", "'none'") && !allows("default-src", "'self'"));
    assert!(allows("script-src", "'self'"));
    assert!(!allows("script-src", "'self' 'unsafe-inline'"));
    assert!(!allows("script-src", "'self' https://evil.example"));
    assert!(allows("frame-src", "'self' https://provider.example"));
    assert!(!allows("frame-src", "https://provider.example.evil.example"));
    assert_eq!(expected.headers["x-content-type-options"], "nosniff");
    assert!(expected.headers["strict-transport-security"].starts_with("max-age="));
    assert_eq!(directives("Script-Src  *;script-src 'self'")["script-src"], "*");
}

#[test]
fn a_fraud_script_is_allowed_only_from_its_configured_origin() {
    let expected = expected(|settings| {
        settings.fraud_script_url = Some("https://fraud.example/{site_id}/script.js".into());
    });
    let allows = |served: &str| expected.policy["script-src"].allows(served, "");
    assert!(allows("'self' https://fraud.example/abc/script.js"));
    assert!(!allows("'self' https://fraud.example.evil.example/abc/script.js"));
}

#[test]
fn a_theme_is_allowed_only_by_its_own_hash() {
    let own = Directive::OwnStyles;
    assert!(own.allows("'self'", ""));
    assert!(own.allows(&style_source("p{color:red}"), "p{color:red}"));
    assert!(!own.allows(&style_source("p{color:red}"), "p{color:blue}"));
    assert!(!own.allows("'self' 'unsafe-inline'", ""));
}
