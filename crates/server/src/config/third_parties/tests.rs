use super::*;

fn read(change: impl FnOnce(&mut Settings)) -> Result<super::super::Config, String> {
    let mut settings = Settings::default();
    change(&mut settings);
    settings.resolve().map_err(|error| error.to_string())
}

#[test]
fn a_fraud_script_needs_https_and_the_site_in_its_path() {
    let template = "https://cdn.example/a/{site_id}/s.js";
    let config = read(|settings| settings.fraud_script_url = Some(template.into())).unwrap();
    let url = config.pages.fraud_scripts.unwrap().url("site-1");
    assert_eq!(url.as_deref(), Some("https://cdn.example/a/site-1/s.js"));
    for wrong in [
        "https://cdn.example/s.js",
        "http://cdn.example/{site_id}.js",
        "https://{site_id}.example/s.js",
        "https://cdn.example/s.js?site={site_id}",
        "https://cdn.example/{site_id}.js?v=1",
        "https://cdn.example/{site_id}.js#x",
        "https://cdn.example/{site_id};script-src *",
        "https://cdn.example/{site_id},https://x.example/",
        "cdn.example/{site_id}.js",
        "javascript:alert({site_id})",
    ] {
        let message = read(|settings| settings.fraud_script_url = Some(wrong.into())).unwrap_err();
        assert!(
            message.starts_with("the setting fraud_script_url"),
            "{wrong}: {message}"
        );
    }
}

#[test]
fn only_origins_are_accepted_for_the_script() {
    let origins = |origins: &str| read(|settings| settings.fraud_script_origins = Some(origins.into()));
    assert!(origins("https://api.example https://*.example:8443 http://127.0.0.1:9").is_ok());
    for wrong in [
        "*",
        "https:",
        "https://*",
        "https://a.*.example",
        "http://api.example",
        "https://a.example/x",
        "'unsafe-inline'",
    ] {
        let message = origins(wrong).err().unwrap_or_default();
        assert!(
            message.starts_with("the setting fraud_script_origins"),
            "{wrong}: {message}"
        );
    }
    let message = read(|settings| settings.fraud_token_cookie = Some("a=b; c".into())).unwrap_err();
    assert!(message.starts_with("the setting fraud_token_cookie"), "{message}");
}

#[test]
fn the_fraud_tokens_cookie_lasts_1_to_400_days() {
    let days = |days: u16| read(|settings| settings.fraud_token_cookie_days = Some(days));
    assert!(days(1).is_ok() && days(400).is_ok());
    for wrong in [0, 401] {
        let message = days(wrong).err().unwrap_or_default();
        assert!(
            message.starts_with("the setting fraud_token_cookie_days"),
            "{wrong}: {message}"
        );
    }
}

#[test]
fn another_ip_lookup_needs_https() {
    assert_eq!(read(|_| ()).unwrap().pages.ip_lookup, IpLookup::default());
    let url = "https://ip.example/?format=text";
    let lookup = read(|settings| settings.ip_lookup_url = Some(url.into()))
        .unwrap()
        .pages
        .ip_lookup;
    assert_eq!(
        (lookup.url.as_str(), lookup.origin.as_deref()),
        (url, Some("https://ip.example"))
    );
    for wrong in ["http://ip.example/", "/ip", "https://", "ftp://ip.example/"] {
        let message = read(|settings| settings.ip_lookup_url = Some(wrong.into())).unwrap_err();
        assert!(
            message.starts_with("the setting ip_lookup_url"),
            "{wrong}: {message}"
        );
    }
}
