use super::*;

#[test]
fn a_signature_is_checked_once_and_a_wrong_one_each_time() {
    let tokens = CheckedTokens::default();
    assert!(!tokens.check("a.b.c", || false));
    assert!(!tokens.check("a.b.c", || false), "a wrong one is not kept");
    assert!(tokens.check("a.b.c", || true));
    assert!(tokens.check("a.b.c", || panic!("checked again")));
    assert!(!tokens.check("a.b.C", || false));
    tokens.note("d.e.f");
    assert!(tokens.check("d.e.f", || panic!("checked again")));
}
