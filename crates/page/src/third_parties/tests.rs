use super::*;

#[test]
fn an_invalid_site_id_gets_no_script() {
    let scripts = FraudScripts::new("https://cdn.example/{site_id}.js", Vec::new(), "t", 400).unwrap();
    for wrong in [
        "",
        "../x",
        "a/b",
        "a b",
        "a;b",
        "a?b",
        "ä",
        "%2e%2e",
        &"a".repeat(65),
    ] {
        assert_eq!(scripts.script(wrong, true), None, "{wrong}");
    }
    let script = scripts.script("Site_1-a", true).unwrap();
    assert_eq!(script.url, "https://cdn.example/Site_1-a.js");
    assert_eq!(
        script.cookie_attributes,
        "Path=/; Max-Age=34560000; SameSite=None; Secure; Partitioned"
    );
}

#[test]
fn the_fraud_tokens_cookie_lasts_as_configured() {
    let template = "https://cdn.example/{site_id}.js";
    let scripts = FraudScripts::new(template, Vec::new(), "t", 30).unwrap();
    let script = scripts.script("a", false).unwrap();
    assert_eq!(script.cookie_attributes, "Path=/; Max-Age=2592000; SameSite=Lax");
}
