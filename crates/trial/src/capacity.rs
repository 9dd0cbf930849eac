//! What gives out first when charges come faster: a simulation of nodes, a database and its disk with the measured costs of
//! a charge (docs/capacity.md). It is a queue at each of them, and no guess about any other part.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write as _;

use crate::random::Random;

/// What a charge takes of each part, in microseconds, on PostgreSQL.
#[derive(Debug, Clone, Copy)]
pub struct ChargeCost {
    /// Processor time of the node.
    pub node_us: u64,
    /// Processor time of the database's server.
    pub database_us: u64,
    /// How often it waits for the disk; those who wait at the same time share one sync.
    pub commits: u64,
}

/// The machines.
#[derive(Debug, Clone, Copy)]
pub struct Machines {
    /// Processors of all nodes together.
    pub node_cores: usize,
    /// Processors of the database's server.
    pub database_cores: usize,
    /// How long the disk takes to sync, in microseconds.
    pub sync_us: u64,
}

/// What became of the charges.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// How much of the nodes' processors was used, of 1.
    pub nodes: f64,
    /// The same of the database's.
    pub database: f64,
    /// How much of the time the disk synced.
    pub disk: f64,
    /// The time of a charge without the provider's, in milliseconds: half of them were faster.
    pub median_ms: f64,
    /// 99 of 100 were faster.
    pub p99_ms: f64,
}

/// What a charge took on the machine of docs/benchmarks.md and docs/capacity.md.
pub const MEASURED: ChargeCost = ChargeCost {
    node_us: 276,
    database_us: 600,
    commits: 3,
};

/// How long is simulated, in microseconds.
const LENGTH_US: u64 = 4_000_000;
/// How long the provider takes, in microseconds. Nothing of ours is busy meanwhile.
const PROVIDER_US: u64 = 300_000;
const SEED: u64 = 1;

/// Several servers with one queue.
struct Servers {
    free_at: BinaryHeap<Reverse<u64>>,
    busy_us: u64,
}

impl Servers {
    fn new(count: usize) -> Self {
        Self {
            free_at: (0..count.max(1)).map(|_| Reverse(0)).collect(),
            busy_us: 0,
        }
    }

    /// When work that comes now is done. Work must come in the order of time.
    fn serve(&mut self, now: u64, work_us: u64) -> u64 {
        let Reverse(free) = self.free_at.pop().unwrap_or(Reverse(0));
        let done = free.max(now) + work_us;
        self.free_at.push(Reverse(done));
        self.busy_us += work_us;
        done
    }
}

/// A disk: who comes while it syncs waits for the next sync, together with all others.
struct Disk {
    sync_us: u64,
    ends: u64,
    next_ends: u64,
    busy_us: u64,
}

impl Disk {
    fn sync(&mut self, now: u64) -> u64 {
        if now >= self.next_ends {
            // Nobody syncs.
            self.ends = now + self.sync_us;
            self.next_ends = self.ends;
            self.busy_us += self.sync_us;
            return self.ends;
        }
        if now >= self.ends {
            // The shared sync is under way.
            self.ends = self.next_ends;
        }
        if self.next_ends == self.ends {
            self.next_ends = self.ends + self.sync_us;
            self.busy_us += self.sync_us;
        }
        self.next_ends
    }
}

/// Simulates so many charges a second.
pub fn simulate(per_second: u64, cost: ChargeCost, machines: Machines) -> Load {
    let mut chance = Random::new(SEED);
    let mut nodes = Servers::new(machines.node_cores);
    let mut database = Servers::new(machines.database_cores);
    let mut disk = Disk {
        sync_us: machines.sync_us,
        ends: 0,
        next_ends: 0,
        busy_us: 0,
    };
    // When, which step, and when the charge came. Steps of a commit: node, database, disk.
    let mut events = BinaryHeap::new();
    let gap_us = (1_000_000 / per_second.max(1)).max(1);
    let mut at = 0;
    while at < LENGTH_US {
        events.push(Reverse((at, 0_u64, at)));
        at += chance.between(0, 2 * gap_us + 1);
    }
    let commits = cost.commits.max(1);
    let mut took = Vec::new();
    while let Some(Reverse((now, step, came))) = events.pop() {
        if step == 3 * commits {
            took.push(now - came - PROVIDER_US);
            continue;
        }
        let mut done = match step % 3 {
            0 => nodes.serve(now, cost.node_us / commits),
            1 => database.serve(now, cost.database_us / commits),
            _ => disk.sync(now),
        };
        if step + 1 == 3 * (commits - 1) || (commits == 1 && step == 0) {
            done += PROVIDER_US;
        }
        events.push(Reverse((done, step + 1, came)));
    }
    took.sort_unstable();
    let of = |percent: usize| took.get(took.len() * percent / 100).copied().unwrap_or_default();
    Load {
        nodes: share(nodes.busy_us, machines.node_cores),
        database: share(database.busy_us, machines.database_cores),
        // The last charges end after the time that is simulated.
        disk: share(disk.busy_us, 1).min(1.0),
        median_ms: milliseconds(of(50)),
        p99_ms: milliseconds(of(99)),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "some seconds in microseconds are far below 2^52"
)]
fn share(busy_us: u64, servers: usize) -> f64 {
    busy_us as f64 / LENGTH_US as f64 / servers.max(1) as f64
}

#[expect(
    clippy::cast_precision_loss,
    reason = "some seconds in microseconds are far below 2^52"
)]
fn milliseconds(us: u64) -> f64 {
    us as f64 / 1_000.0
}

/// A table of what each rate takes on some machines, and what gives out first.
pub fn table(cost: ChargeCost) -> String {
    let mut text = String::from(
        "| charges/s | node cores | database cores | disk sync | nodes busy | database busy | disk busy | median | p99 | gives out first |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
    );
    for (rate, node_cores, database_cores, sync_us) in [
        (100, 1, 1, 2_000),
        (1_000, 1, 1, 2_000),
        (1_000, 2, 2, 2_000),
        (10_000, 2, 2, 1_000),
        (10_000, 6, 8, 1_000),
        (10_000, 6, 16, 200),
    ] {
        let machines = Machines {
            node_cores,
            database_cores,
            sync_us,
        };
        let load = simulate(rate, cost, machines);
        let _ = writeln!(
            text,
            "| {rate} | {node_cores} | {database_cores} | {} ms | {:.0} % | {:.0} % | {:.0} % | {:.1} ms | {:.1} ms | {} |",
            milliseconds(sync_us),
            load.nodes * 100.0,
            load.database * 100.0,
            load.disk * 100.0,
            load.median_ms,
            load.p99_ms,
            first(&load)
        );
    }
    text
}

/// What would give out first if still more charges came. A disk that is always busy gives nothing out: more share a sync.
fn first(load: &Load) -> &'static str {
    match (load.nodes >= 1.0, load.database >= 1.0) {
        (true, _) if load.nodes >= load.database => "nodes: too few",
        (_, true) => "database: too small",
        (true, false) => "nodes: too few",
        (false, false) if load.database >= load.nodes => "the database's processors",
        (false, false) => "the nodes' processors",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: ChargeCost = ChargeCost {
        node_us: 300,
        database_us: 600,
        commits: 3,
    };

    fn machines(node_cores: usize, database_cores: usize) -> Machines {
        Machines {
            node_cores,
            database_cores,
            sync_us: 1_000,
        }
    }

    #[test]
    fn processors_are_used_as_much_as_the_charges_take() {
        let load = simulate(1_000, COST, machines(1, 1));
        assert!((load.nodes - 0.3).abs() < 0.03, "{load:?}");
        assert!((load.database - 0.6).abs() < 0.06, "{load:?}");
        // Three syncs, and a queue that is short.
        assert!(load.median_ms > 3.0 && load.p99_ms < 30.0, "{load:?}");
    }

    #[test]
    fn more_charges_than_a_processor_can_take_wait_longer_and_longer() {
        let load = simulate(2_500, COST, machines(2, 1));
        assert!(load.database > 1.0, "{load:?}");
        assert!(load.p99_ms > 500.0, "{load:?}");
        assert_eq!(first(&load), "database: too small");
    }

    #[test]
    fn a_sync_is_shared_by_all_who_wait_for_it() {
        let load = simulate(5_000, COST, machines(4, 8));
        // 15,000 commits a second with a disk of 1,000 syncs.
        assert!(load.disk <= 1.01 && load.p99_ms < 30.0, "{load:?}");
    }
}
