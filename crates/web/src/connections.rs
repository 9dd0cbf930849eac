//! The open connections, and their limits in all and from one address. Idle ones are closed when there is no room for a new one.
//! One client can use neither all connections nor all file descriptors.

mod activity;
mod eviction;
mod limits;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::client_ip::counted_network;

pub(crate) use self::activity::{Activity, AwaitedBody, UnreadAnswer};
use self::eviction::oldest_idle;
pub use self::limits::DESCRIPTORS_WANTED;
pub use self::limits::{ConnectionLimits, raise_descriptor_limit};

/// How long a new connection waits for the end of the connections that are closed for it.
const ROOM_WAIT: Duration = Duration::from_secs(1);
/// The shortest time between two log lines about connections that are turned away.
const LOG_PAUSE: Duration = Duration::from_secs(10);
/// When all connections are taken, up to one in this many is closed at once, if it is idle. Otherwise a flood of new connections
/// would repeat the search for idle ones each time.
const ROOM_PART: usize = 64;

/// The open connections of one listener. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Connections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: ConnectionLimits,
    // A std mutex, because no await happens while it is held.
    open: Mutex<Open>,
    /// Notified when a connection ends.
    freed: Notify,
    gauge: Gauge,
    closed: Family<CloseReasonLabel, Counter>,
    pressure: Mutex<Pressure>,
}

#[derive(Debug, Default)]
struct Open {
    next_id: u64,
    by_id: HashMap<u64, Connection>,
    of_address: HashMap<IpAddr, usize>,
}

#[derive(Debug)]
struct Connection {
    address: Option<IpAddr>,
    activity: Arc<Activity>,
    is_ending: bool,
}

/// The label of a reason in the metrics: its name and its value.
type CloseReasonLabel = [(&'static str, &'static str); 1];

/// Closed while idle, to make room.
const IDLE: CloseReasonLabel = [("reason", "idle")];
/// Refused: its address has all the connections that it may have, and none is idle.
const ADDRESS_FULL: CloseReasonLabel = [("reason", "address_full")];
/// Refused: all connections are taken, and none is idle.
const FULL: CloseReasonLabel = [("reason", "full")];

/// Counts since the last log line.
#[derive(Debug, Default)]
struct Pressure {
    logged_at: Option<Instant>,
    closed: usize,
    refused: usize,
}

/// A connection that may be served. Dropping it frees its place.
#[derive(Debug)]
pub(crate) struct Admitted {
    id: u64,
    connections: Connections,
    pub(crate) activity: Arc<Activity>,
}

/// Whether a connection is admitted now.
enum Admission {
    Admitted(Admitted),
    /// Connections are being closed: try again when one has ended.
    Later,
    Refused(CloseReasonLabel),
}

impl Admitted {
    /// Whether the connection ends after a request that may have carried a card.
    pub(crate) fn ends_after_card(&self) -> bool {
        self.connections.0.limits.end_after_card
    }
}

impl Connections {
    /// Starts without connections.
    pub fn new(limits: ConnectionLimits) -> Self {
        Self(Arc::new(Inner {
            limits,
            open: Mutex::default(),
            freed: Notify::new(),
            gauge: Gauge::default(),
            closed: Family::default(),
            pressure: Mutex::default(),
        }))
    }

    /// Registers the metrics of connections.
    pub fn register(&self, registry: &mut Registry) {
        for reason in [IDLE, ADDRESS_FULL, FULL] {
            drop(self.0.closed.get_or_create(&reason));
        }
        registry.register("connections", "Open connections", self.0.gauge.clone());
        let most: Gauge = Gauge::default();
        most.set(i64::try_from(self.0.limits.total).unwrap_or(i64::MAX));
        registry.register("connections_max", "How many connections there may be", most);
        registry.register(
            "connections_turned_away",
            "Connections that were closed while idle, or refused, because there were too many",
            self.0.closed.clone(),
        );
    }

    /// Admits a connection, if needed by closing idle ones. Returns `None` if there is no room, because none is idle or
    /// none ended in time.
    pub(crate) async fn admit(&self, peer: IpAddr) -> Option<Admitted> {
        let deadline = Instant::now() + ROOM_WAIT;
        loop {
            let reason = match self.try_admit(peer) {
                Admission::Admitted(admitted) => return Some(admitted),
                Admission::Refused(reason) => reason,
                Admission::Later => {
                    let freed = tokio::time::timeout_at(deadline, self.0.freed.notified());
                    if freed.await.is_ok() {
                        continue;
                    }
                    FULL
                }
            };
            self.0.closed.get_or_create(&reason).inc();
            self.log_pressure(0, 1);
            return None;
        }
    }

    /// Closes idle connections, because the operating system has no file descriptor for another one.
    pub(crate) fn make_room(&self) {
        let mut open = self.open();
        self.close_idle(&mut open, None);
    }

    fn try_admit(&self, peer: IpAddr) -> Admission {
        let address = self.0.limits.counted(peer);
        let mut open = self.open();
        let of_address = address.map_or(0, |address| open.of_address.get(&address).copied().unwrap_or(0));
        let (is_full, reason, whose) = if of_address >= self.0.limits.per_address {
            (true, ADDRESS_FULL, address)
        } else {
            (open.by_id.len() >= self.0.limits.total, FULL, None)
        };
        if is_full {
            let room_comes = open.by_id.values().any(|connection| {
                connection.is_ending && whose.is_none_or(|address| connection.address == Some(address))
            });
            if room_comes || self.close_idle(&mut open, whose) > 0 {
                return Admission::Later;
            }
            return Admission::Refused(reason);
        }
        let id = open.next_id;
        open.next_id += 1;
        let activity = Arc::new(Activity::new());
        let connection = Connection {
            address,
            activity: Arc::clone(&activity),
            is_ending: false,
        };
        open.by_id.insert(id, connection);
        if let Some(address) = address {
            *open.of_address.entry(address).or_insert(0) += 1;
        }
        self.0.gauge.inc();
        Admission::Admitted(Admitted {
            id,
            connections: self.clone(),
            activity,
        })
    }

    /// Closes the connections that have been idle for longest, of this address or of all. Returns how many.
    fn close_idle(&self, open: &mut Open, whose: Option<IpAddr>) -> usize {
        let count = if whose.is_some() {
            1
        } else {
            (self.0.limits.total / ROOM_PART).max(1)
        };
        let oldest = oldest_idle(&open.by_id, whose, count);
        for id in &oldest {
            if let Some(connection) = open.by_id.get_mut(id) {
                connection.is_ending = true;
                connection.activity.end();
            }
        }
        self.0
            .closed
            .get_or_create(&IDLE)
            .inc_by(u64::try_from(oldest.len()).unwrap_or_default());
        self.log_pressure(oldest.len(), 0);
        oldest.len()
    }

    /// Writes one log line for many connections, so that an attack cannot fill the log.
    fn log_pressure(&self, closed: usize, refused: usize) {
        let mut pressure = self.0.pressure.lock().unwrap_or_else(PoisonError::into_inner);
        pressure.closed += closed;
        pressure.refused += refused;
        let is_recent = pressure.logged_at.is_some_and(|at| at.elapsed() < LOG_PAUSE);
        if is_recent || pressure.closed + pressure.refused == 0 {
            return;
        }
        let Pressure { closed, refused, .. } = std::mem::take(&mut *pressure);
        pressure.logged_at = Some(Instant::now());
        drop(pressure);
        tracing::warn!(
            closed,
            refused,
            connections_max = self.0.limits.total,
            per_address_max = self.0.limits.per_address,
            "too many connections: the oldest idle ones are closed, and new ones refused when none is idle"
        );
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionLimits {
    /// The address by which a connection is counted. A reverse proxy's address has many clients and is not limited.
    fn counted(&self, peer: IpAddr) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        let is_proxy = |network: &IpNet| network.contains(&peer);
        counted_network(peer).filter(|_| !self.proxies.iter().any(is_proxy))
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        let gone = open.by_id.remove(&self.id);
        if let Some(address) = gone.and_then(|connection| connection.address)
            && let Some(count) = open.of_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                open.of_address.remove(&address);
            }
        }
        drop(open);
        self.connections.0.gauge.dec();
        self.connections.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests;
