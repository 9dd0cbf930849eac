use super::*;

#[test]
fn fields_are_encoded_and_the_optional_ones_can_be_left_out() {
    let form = FormFields::new()
        .with("card[exp_year]", "2030")
        .with("billing_details[name]", "Zoë & Co=1")
        .with_optional("return_url", "https://pay.example/?a=b");
    assert_eq!(form.optional_names(), ["return_url"]);
    let needed = "card%5Bexp_year%5D=2030&billing_details%5Bname%5D=Zo%C3%AB+%26+Co%3D1";
    assert_eq!(form.clone().without_optional().into_body(), needed);
    assert_eq!(
        form.into_body(),
        format!("{needed}&return_url=https%3A%2F%2Fpay.example%2F%3Fa%3Db")
    );
}
