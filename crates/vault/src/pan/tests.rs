use super::*;

#[test]
fn a_card_number_is_twelve_to_nineteen_digits() {
    assert!(Pan::parse("424242424242").is_ok());
    assert!(Pan::parse("4242424242424242424").is_ok());
    let error = |text| Pan::parse(text).map(|_| ()).unwrap_err();
    assert_eq!(error("42424242424"), PanError::Length);
    assert_eq!(error("42424242424242424242"), PanError::Length);
    assert_eq!(error(""), PanError::Length);
    assert_eq!(error("4242 4242 4242 4242"), PanError::NotDigits);
    assert_eq!(error("٤٢٤٢٤٢٤٢٤٢٤٢"), PanError::NotDigits);
}

#[test]
fn the_first_six_and_last_four_digits_may_be_shown() {
    let pan = Pan::parse("378282246310005").unwrap();
    assert_eq!((pan.first_six(), pan.last_four()), ("378282", "0005"));
    assert_eq!((pan.first_eight(), pan.length()), ("37828224", 15));
}

#[test]
fn debug_output_shows_only_the_last_four_digits() {
    let pan = Pan::parse("4242424242421234").unwrap();
    assert_eq!(format!("{pan:?}"), "Pan(…1234)");
}
