//! Limits wrong keys: after ten within a minute an address is refused until the minute is over, even with the right
//! key. An address that stands for many clients, such as a proxy's, is refused only with wrong keys, so that nobody can
//! lock the operator out.
//!
//! `governor` is not used because it cannot check without counting: a right key must not count, but must be refused
//! while its address is.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use web::client_ip::network;

/// How many wrong keys an address may send in a window.
const WRONG_KEYS_MAX: u32 = 10;
/// How long a window is, in milliseconds. It begins with the first wrong key.
const WINDOW_MS: i64 = 60_000;
/// How many addresses are remembered. When there are more, those whose window is over are forgotten, or else all.
const ADDRESSES_MAX: usize = 10_000;

/// The wrong keys that this process was sent.
#[derive(Debug, Default)]
pub(super) struct WrongKeys {
    // A std mutex, because no await happens while it is held.
    by_address: Mutex<HashMap<IpAddr, Window>>,
}

#[derive(Debug)]
struct Window {
    /// Unix milliseconds.
    ends_at: i64,
    wrong_keys: u32,
}

impl WrongKeys {
    /// How long the address is refused from `now` on, in milliseconds; `None` if it is not.
    pub(super) fn refused_for_ms(&self, address: IpAddr, now: i64) -> Option<i64> {
        let by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        let window = by_address.get(&network(address))?;
        (window.wrong_keys >= WRONG_KEYS_MAX && window.ends_at > now).then(|| window.ends_at - now)
    }

    /// Counts a wrong key.
    pub(super) fn count(&self, address: IpAddr, now: i64) {
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if by_address.len() >= ADDRESSES_MAX {
            by_address.retain(|_, window| window.ends_at > now);
        }
        if by_address.len() >= ADDRESSES_MAX {
            by_address.clear();
        }
        let fresh = Window {
            ends_at: now + WINDOW_MS,
            wrong_keys: 0,
        };
        let window = by_address.entry(network(address)).or_insert(fresh);
        if window.ends_at <= now {
            *window = Window {
                ends_at: now + WINDOW_MS,
                wrong_keys: 0,
            };
        }
        window.wrong_keys += 1;
    }
}

#[cfg(test)]
mod tests {
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
        let remembered = wrong.by_address.lock().unwrap().len();
        assert!((1..=ADDRESSES_MAX).contains(&remembered), "{remembered}");
    }
}
