use super::*;

#[test]
fn networks_are_translated_in_both_directions() {
    assert_eq!(stripe_name(Brand::Cb), Some("cartes_bancaires"));
    assert_eq!(stripe_name(Brand::Dankort), None);
    assert_eq!(our_name("cartes_bancaires"), Some("cb"));
    assert_eq!(our_name("amex"), Some("american-express"));
    assert_eq!(our_name("girocard"), Some("girocard"));
    assert_eq!(our_name("unknown"), None);
}
