use super::*;

#[test]
fn fields_are_encoded_and_the_optional_ones_can_be_left_out() {
    let form = FormFields::new()
        .with("card[exp_year]", "2030")
        .with("billing_details[name]", "Zoë & Co=1")
        .with_optional("return_url", "https://pay.example/?a=b");
    let needed = "card%5Bexp_year%5D=2030&billing_details%5Bname%5D=Zo%C3%AB+%26+Co%3D1";
    let with_url = format!("{needed}&return_url=https%3A%2F%2Fpay.example%2F%3Fa%3Db");
    let body = |form: FormFields| String::from_utf8(form.into_body().to_vec()).unwrap();
    assert_eq!(body(form.clone()), with_url);
    // Only the refused field is left out.
    let two = form.with_optional("usage", "on_session");
    let one = two.without_optional(Some("usage")).unwrap();
    assert_eq!(body(one.clone()), with_url);
    for not_named in [None, Some("card[exp_year]")] {
        assert_eq!(body(two.without_optional(not_named).unwrap()), needed);
    }
    let none = one.without_optional(Some("return_url")).unwrap();
    assert!(none.without_optional(None).is_none());
    assert_eq!(body(none), needed);
}
