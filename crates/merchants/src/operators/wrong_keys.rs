//! Limits wrong keys: after ten within a minute an address is refused until the minute is over, even with the right
//! key. An address that stands for many clients, such as a proxy's, is refused only with wrong keys, so that an attacker
//! cannot lock the operator out.
//!
//! `governor` is not used because it cannot check without counting: a right key must not count, but must be refused
//! while its address is.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use quick_cache::unsync::Cache;
use web::client_ip::network;

/// How many wrong keys an address may send in a window.
const WRONG_KEYS_MAX: u32 = 10;
/// How long a window is, in milliseconds. It begins with the first wrong key.
const WINDOW_MS: i64 = 60_000;
/// How many addresses are remembered.
const ADDRESSES_MAX: usize = 10_000;

/// The wrong keys that this process was sent, by address.
#[derive(Debug)]
// A std mutex, because no await happens while it is held.
pub(super) struct WrongKeys(Mutex<Cache<IpAddr, Window>>);

#[derive(Debug, Clone, Copy)]
struct Window {
    /// Unix milliseconds.
    ends_at: i64,
    wrong_keys: u32,
}

impl Window {
    /// A window that ends later than a new one would has the time of a clock that was set back since.
    fn is_open_at(&self, now: i64) -> bool {
        (now + 1..=now + WINDOW_MS).contains(&self.ends_at)
    }
}

impl Default for WrongKeys {
    fn default() -> Self {
        Self(Mutex::new(Cache::new(ADDRESSES_MAX)))
    }
}

impl WrongKeys {
    /// How long the address is refused from `now` on, in milliseconds; `None` if it is not.
    pub(super) fn refused_for_ms(&self, address: IpAddr, now: i64) -> Option<i64> {
        let window = *self.locked().get(&network(address))?;
        (window.wrong_keys >= WRONG_KEYS_MAX && window.is_open_at(now)).then(|| window.ends_at - now)
    }

    /// Counts a wrong key.
    pub(super) fn count(&self, address: IpAddr, now: i64) {
        let address = network(address);
        let mut by_address = self.locked();
        let mut window = match by_address.get(&address) {
            Some(window) if window.is_open_at(now) => *window,
            _ => Window {
                ends_at: now + WINDOW_MS,
                wrong_keys: 0,
            },
        };
        window.wrong_keys += 1;
        by_address.insert(address, window);
    }

    fn locked(&self) -> MutexGuard<'_, Cache<IpAddr, Window>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
