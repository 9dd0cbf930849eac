use super::*;

#[test]
fn no_two_records_have_the_same_bytes() {
    let bytes = |partner_id, shopper_id| {
        CardRecord {
            partner_id,
            shopper_id,
            id: "pm_1",
        }
        .bytes("number", "k1")
    };
    assert_ne!(bytes("ab", "c"), bytes("a", "bc"));
    assert_ne!(bytes("", "abc"), bytes("abc", ""));
    assert_eq!(bytes("ab", "c"), bytes("ab", "c"));
}
