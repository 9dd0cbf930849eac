//! Recognizes UUIDs. Most ids are UUIDs, and one in a few thousand has digits that look like a card number.

use std::ops::Range;

/// The length of a UUID with hyphens.
const LONGEST: usize = 36;

/// Whether the place is within a UUID, written with or without hyphens.
pub(super) fn is_within_uuid(text: &str, place: Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
    // One character more than a UUID has is enough to know that this is none.
    let part_of = |bytes: &mut dyn Iterator<Item = &u8>| {
        bytes.take(LONGEST + 1).take_while(|byte| is_part(byte)).count()
    };
    let before = part_of(&mut bytes[..place.start].iter().rev());
    let after = part_of(&mut bytes[place.end..].iter());
    let (from, to) = (place.start - before, place.end + after);
    let is_bounded = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    is_bounded(from.checked_sub(1).and_then(|at| bytes.get(at)))
        && is_bounded(bytes.get(to))
        && is_uuid(&bytes[from..to])
}

/// RFC 9562: 32 hexadecimal digits, of which one says the version and one the variant.
fn is_uuid(text: &[u8]) -> bool {
    let digits: Vec<u8> = match text.len() {
        32 => text.to_vec(),
        36 if [8, 13, 18, 23].iter().all(|place| text[*place] == b'-') => {
            text.iter().copied().filter(|byte| *byte != b'-').collect()
        }
        _ => return false,
    };
    digits.len() == 32
        && !digits.contains(&b'-')
        && matches!(digits[12], b'1'..=b'8')
        && matches!(digits[16], b'8' | b'9' | b'a' | b'b' | b'A' | b'B')
}
