//! The metrics of the process itself, under the names that Prometheus' own libraries use.

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use protocol::clock::Clock;
use rustix::process::{Resource, getrlimit};

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
        let gauge = |name: &str, help: &str, registry: &mut Registry| {
            let gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let started = gauge(
            "process_start_time_seconds",
            "When the process started, in seconds since 1970",
            registry,
        );
        started.set(Clock::system().now_seconds());
        Self {
            descriptors: gauge("process_open_fds", "Open file descriptors", registry),
            descriptors_max: gauge(
                "process_max_fds",
                "How many file descriptors there may be",
                registry,
            ),
            memory: gauge(
                "process_resident_memory_bytes",
                "Memory of the process that is in use",
                registry,
            ),
        }
    }

    /// Reads them from the operating system, which keeps them in memory. Where it does not tell, they stay 0.
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
