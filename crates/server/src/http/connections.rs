//! The open connections: how many there may be, in all and from one address, and which of them is closed when there is no
//! room for a new one. One client can neither take all connections nor all file descriptors.

mod activity;
mod limits;
mod room;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::http::client_ip::network;

pub(crate) use self::activity::{Activity, AwaitedBody};
pub(crate) use self::limits::DESCRIPTORS_WANTED;
pub use self::limits::{ConnectionLimits, raise_descriptor_limit};
use self::room::oldest_idle;

/// How long a new connection waits until the ones that were closed for it are gone.
const ROOM_WAIT: Duration = Duration::from_secs(1);
/// The log says at most so often that connections are turned away.
const LOG_PAUSE: Duration = Duration::from_secs(10);
/// When all are taken, this part of them is closed at once if idle, so that a flood does not look for the oldest each time.
const ROOM_PART: usize = 64;

/// The open connections of one listener. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Connections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: ConnectionLimits,
    // A std mutex: it is held for a look and never across an await.
    open: Mutex<Open>,
    /// Rings when a connection ends.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CloseReasonLabel {
    reason: &'static str,
}

/// Closed while idle, to make room.
const IDLE: CloseReasonLabel = CloseReasonLabel { reason: "idle" };
/// Refused: its address has as many as it may, all of them at work.
const ADDRESS_FULL: CloseReasonLabel = CloseReasonLabel {
    reason: "address_full",
};
/// Refused: there are as many as there may be, all of them at work.
const FULL: CloseReasonLabel = CloseReasonLabel { reason: "full" };

/// What the log has not said yet.
#[derive(Debug, Default)]
struct Pressure {
    said_at: Option<Instant>,
    closed: usize,
    refused: usize,
}

/// A connection that was let in; it leaves when this is dropped.
#[derive(Debug)]
pub(crate) struct Admitted {
    id: u64,
    connections: Connections,
    pub(crate) activity: Arc<Activity>,
}

/// Whether a connection is admitted at this moment.
enum Admission {
    Admitted(Admitted),
    /// Room is being made: try again when one has ended.
    Later,
    Refused(CloseReasonLabel),
}

impl Connections {
    /// Nobody is connected yet.
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

    /// Has Prometheus told of them.
    pub(crate) fn register(&self, registry: &mut Registry) {
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

    /// Lets a connection in, if need be in place of the one that has been idle for longest; none when all are at work.
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
            self.say_pressure(0, 1);
            return None;
        }
    }

    /// Closes idle connections, because the operating system has no descriptor for another one.
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

    /// Closes the connections that have been idle for longest, of this address or of all; how many.
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
        self.say_pressure(oldest.len(), 0);
        oldest.len()
    }

    /// One line for many: an attack must not fill the log.
    fn say_pressure(&self, closed: usize, refused: usize) {
        let mut pressure = self.0.pressure.lock().unwrap_or_else(PoisonError::into_inner);
        pressure.closed += closed;
        pressure.refused += refused;
        let is_said = pressure.said_at.is_some_and(|at| at.elapsed() < LOG_PAUSE);
        if is_said || pressure.closed + pressure.refused == 0 {
            return;
        }
        let Pressure { closed, refused, .. } = std::mem::take(&mut *pressure);
        pressure.said_at = Some(Instant::now());
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
    /// The address that a connection counts for. A reverse proxy's stands for everybody and is not limited.
    fn counted(&self, peer: IpAddr) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        let is_proxy = |network: &IpNet| network.contains(&peer);
        network(peer).filter(|_| !self.proxies.iter().any(is_proxy))
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
