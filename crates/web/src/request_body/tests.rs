use super::*;

#[test]
fn a_body_in_parts_of_any_size_is_searched_about_once() {
    let body = "4242 ".repeat(12 * 1_024);
    for bytes in [1, 7, 100, 4_096, 16_384] {
        let (mut arrived, mut searched, mut is_found) = (Arrived::default(), 0, false);
        let parts: Vec<_> = body.as_bytes().chunks(bytes).collect();
        for (number, part) in parts.iter().enumerate() {
            if let Some(now) = arrived.add(part, number + 1 == parts.len()) {
                searched += now.len();
                is_found |= has_card_number(now);
            }
        }
        assert!(is_found, "parts of {bytes} bytes");
        assert!(
            searched <= body.len() + body.len() / 8,
            "{searched} with parts of {bytes} bytes"
        );
    }
}
