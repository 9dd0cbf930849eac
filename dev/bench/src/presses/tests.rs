use super::*;

#[test]
fn only_an_approved_charge_is_paid() {
    let answer = |status: u16, word: &str| {
        format!("HTTP/1.1 {status} \r\ncontent-length: 9\r\n\r\n{{\"status_code\":\"{word}\"}}").into_bytes()
    };
    assert!(is_paid(&answer(201, "succeeded")));
    assert!(!is_paid(&answer(201, "processing")));
    assert!(!is_paid(&answer(402, "succeeded")));
    assert!(!is_paid(b""));
}
