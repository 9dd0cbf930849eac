use super::*;

fn ancestors(origins: &[&str]) -> String {
    let origins: Vec<_> = origins.iter().map(|origin| (*origin).to_owned()).collect();
    frame_ancestors(&origins)
}

#[test]
fn named_origins_may_embed_and_without_names_any_may() {
    assert_eq!(ancestors(&[]), "*");
    assert_eq!(
        ancestors(&["https://shop.example", "https://*.shop.example"]),
        "https://shop.example https://*.shop.example"
    );
    assert_eq!(
        ancestors(&["https://*", "https://shop.example"]),
        "https://shop.example"
    );
    assert_eq!(
        ancestors(&["https://*", "*", "https://a.example;script-src"]),
        "'none'"
    );
}
