//! The metrics of the process itself, under the names that Prometheus' own libraries use.

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use protocol::clock::Clock;
use rustix::process::{Resource, getrlimit};

use super::metrics::MetricMaker;

/// The metrics.
#[derive(Debug)]
pub(super) struct ProcessMetrics {
    descriptors: Gauge,
    descriptors_max: Gauge,
    memory: Gauge,
}

impl ProcessMetrics {
    /// Registers them.
    pub(super) fn new(registry: &mut Registry) -> Self {
        let mut metrics = MetricMaker(registry);
        let started: Gauge = metrics.plain(
            "process_start_time_seconds",
            "When the process started, in seconds since 1970",
        );
        started.set(Clock::system().now_seconds());
        Self {
            descriptors: metrics.plain("process_open_fds", "Open file descriptors"),
            descriptors_max: metrics.plain("process_max_fds", "How many file descriptors there may be"),
            memory: metrics.plain(
                "process_resident_memory_bytes",
                "Memory of the process that is in use",
            ),
        }
    }

    /// Reads them from the operating system, which keeps them in memory. A metric that cannot be read stays 0.
    pub(super) fn refresh(&self) {
        if let Ok(open) = std::fs::read_dir("/proc/self/fd") {
            // Reading the folder opens one more.
            let open = open.count().saturating_sub(1);
            self.descriptors.set(i64::try_from(open).unwrap_or(i64::MAX));
        }
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        self.descriptors_max.set(i64::try_from(limit).unwrap_or(i64::MAX));
        if let Some(bytes) = resident_bytes() {
            self.memory.set(bytes);
        }
    }
}

fn resident_bytes() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: i64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1_024)
}
