use super::*;

#[test]
fn debug_does_not_show_the_secret() {
    let secret: Sensitive = serde_json::from_str("\"4242424242424242\"").unwrap();
    assert_eq!(secret.expose(), "4242424242424242");
    assert!(!format!("{secret:?}").contains('4'));
}
