use super::*;

#[test]
fn a_security_code_is_a_few_digits() {
    assert_eq!(SecurityCode::parse("0123").unwrap().expose(), "0123");
    let error = |text| SecurityCode::parse(text).map(|_| ()).unwrap_err();
    assert_eq!(error(""), SecurityCodeError::Length);
    assert_eq!(error("12345678901"), SecurityCodeError::Length);
    assert_eq!(error("12a"), SecurityCodeError::NotDigits);
}

#[test]
fn debug_output_hides_the_security_code() {
    let code = SecurityCode::parse("987").unwrap();
    assert!(!format!("{code:?}").contains(|c: char| c.is_ascii_digit()));
}
