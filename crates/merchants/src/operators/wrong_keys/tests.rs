use super::*;

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn after_ten_wrong_keys_an_address_waits_until_the_minute_is_over() {
    let (wrong, one, other) = (WrongKeys::default(), address("192.0.2.1"), address("192.0.2.2"));
    for key in 0..WRONG_KEYS_MAX {
        assert_eq!(wrong.refused_for_ms(one, 1_000), None, "key {key}");
        wrong.count(one, 1_000);
    }
    assert_eq!(wrong.refused_for_ms(one, 31_000), Some(30_000));
    assert_eq!(wrong.refused_for_ms(other, 31_000), None);
    assert_eq!(wrong.refused_for_ms(one, 61_000), None);
    wrong.count(one, 61_000);
    assert_eq!(wrong.refused_for_ms(one, 61_001), None);
}

#[test]
fn a_clock_that_is_set_back_does_not_lock_an_address_out() {
    let (wrong, one) = (WrongKeys::default(), address("192.0.2.1"));
    for _ in 0..WRONG_KEYS_MAX {
        wrong.count(one, 3_600_000);
    }
    assert_eq!(wrong.refused_for_ms(one, 0), None);
    wrong.count(one, 0);
    assert_eq!(wrong.refused_for_ms(one, 1), None);
}

#[test]
fn an_ipv6_client_is_counted_by_its_network() {
    let wrong = WrongKeys::default();
    for key in 0..WRONG_KEYS_MAX {
        wrong.count(address(&format!("2001:db8:1:2::{key}")), 0);
    }
    assert!(wrong.refused_for_ms(address("2001:db8:1:2:ffff::1"), 1).is_some());
    assert!(wrong.refused_for_ms(address("2001:db8:1:3::1"), 1).is_none());
}

#[test]
fn the_number_of_remembered_addresses_is_limited() {
    let wrong = WrongKeys::default();
    for number in 0..30_000_u32 {
        wrong.count(IpAddr::from(number.to_be_bytes()), 0);
    }
    let remembered = wrong.locked().len();
    assert!((1..=ADDRESSES_MAX).contains(&remembered), "{remembered}");
}
