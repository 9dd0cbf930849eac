use super::*;
use crate::generate_key;

fn ring(id: &str) -> KeyRing {
    KeyRing::parse(&generate_key(id).unwrap()).unwrap()
}

#[test]
fn a_secret_unwraps_only_for_its_own_purpose_and_id() {
    let ring = ring("a");
    for secret in [&b""[..], b"private", &[7; SECRET_BYTES_MAX]] {
        let wrapped = ring.wrap_secret("signing", "sig_1", secret).unwrap();
        assert_eq!(*ring.unwrap_secret("signing", "sig_1", &wrapped).unwrap(), secret);
        for (purpose, id) in [("webhook", "sig_1"), ("signing", "sig_2"), ("signings", "ig_1")] {
            let refused = ring.unwrap_secret(purpose, id, &wrapped).map(|_| ());
            assert_eq!(refused, Err(SealError::Unusable));
        }
    }
    let too_long = ring.wrap_secret("signing", "sig_1", &[7; SECRET_BYTES_MAX + 1]);
    assert_eq!(too_long, Err(SealError::Unusable));
}

#[test]
fn another_ring_does_not_unwrap_a_secret() {
    let wrapped = ring("a").wrap_secret("signing", "sig_1", b"private").unwrap();
    let by = |ring: &KeyRing| ring.unwrap_secret("signing", "sig_1", &wrapped).map(|_| ());
    assert_eq!(by(&ring("b")), Err(SealError::UnknownKey));
    assert_eq!(by(&ring("a")), Err(SealError::Unusable));
}

#[test]
fn wrapping_a_secret_twice_gives_different_texts() {
    let ring = ring("a");
    let wrap = || ring.wrap_secret("signing", "sig_1", b"private").unwrap().text;
    assert_ne!(wrap(), wrap());
}
