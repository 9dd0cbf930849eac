use super::*;

#[test]
fn ids_sort_by_the_clock() {
    let clock = Clock::fixed("2026-01-02T03:04:05Z".parse().unwrap());
    let first = new_id(IdKind::Charge, &clock);
    clock.advance_ms(1);
    let second = new_id(IdKind::Charge, &clock);
    assert!(first.starts_with("ch_") && first < second, "{first} {second}");
}

#[test]
fn secret_keys_are_long_and_differ() {
    let (a, b) = (new_secret_key().unwrap(), new_secret_key().unwrap());
    assert_ne!(a, b);
    assert_eq!(a.len(), 35);
    assert!(a.starts_with("sk_") && a.bytes().skip(3).all(|c| BASE62.contains(&c)));
}

#[test]
fn a_digest_is_written_in_hexadecimal() {
    assert_eq!(
        sha256_hex(b"abc"),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}
