//! How many connections are allowed: as many as the settings say, and never more than there are file descriptors for.

use ipnet::IpNet;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// File descriptors for everything else: database, files, log, webhooks.
const RESERVE: u64 = 64;
/// Each connection may need a second descriptor, for its call to the provider.
const DESCRIPTORS_PER_CONNECTION: u64 = 2;
/// More than a node with a few cores can serve.
const DEFAULT_MAX: usize = 10_000;
/// With fewer descriptors the service warns: they are too few for real traffic.
pub const DESCRIPTORS_WANTED: u64 = 4_096;
/// One address may have a quarter of all connections, because an office or a mobile network shares one address.
const ADDRESS_PART: usize = 4;

/// How many connections are allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// In all.
    pub total: usize,
    /// From one public address.
    pub per_address: usize,
    /// Networks of reverse proxies, whose addresses are not counted.
    pub proxies: Vec<IpNet>,
    /// Whether a connection ends after a request that may have carried a card, so that its buffers do not keep the number.
    pub end_after_card: bool,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self::within(DESCRIPTORS_WANTED, None, None)
    }
}

impl ConnectionLimits {
    /// The given numbers, or defaults, within what `descriptors` allows.
    pub fn within(descriptors: u64, total: Option<usize>, per_address: Option<usize>) -> Self {
        let possible = descriptors.saturating_sub(RESERVE) / DESCRIPTORS_PER_CONNECTION;
        let possible = usize::try_from(possible).unwrap_or(usize::MAX).max(1);
        let total = total.unwrap_or(DEFAULT_MAX).clamp(1, possible);
        let per_address = per_address.unwrap_or(total / ADDRESS_PART).clamp(1, total);
        Self {
            total,
            per_address,
            proxies: Vec::new(),
            end_after_card: true,
        }
    }
}

/// Raises this process's limit of open files as far as the operating system allows. Returns the limit.
pub fn raise_descriptor_limit() -> u64 {
    let now = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: now.maximum,
        maximum: now.maximum,
    };
    let limit = if setrlimit(Resource::Nofile, raised).is_ok() {
        now.maximum
    } else {
        now.current
    };
    limit.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
