//! Chooses the connections to close when there is no room.

use std::collections::HashMap;
use std::net::IpAddr;

use super::Connection;

/// The ids of at most `count` idle connections: first those that have sent no request, then those on which no byte has
/// moved for longest.
pub(super) fn oldest_idle(open: &HashMap<u64, Connection>, whose: Option<IpAddr>, count: usize) -> Vec<u64> {
    let mut idle: Vec<_> = open
        .iter()
        .filter(|(_, connection)| {
            !connection.is_ending
                && connection.activity.is_idle()
                && whose.is_none_or(|address| connection.address == Some(address))
        })
        .map(|(id, connection)| {
            let has_asked = connection.activity.requests() > 0;
            (has_asked, connection.activity.moved(), *id)
        })
        .collect();
    idle.sort_unstable();
    idle.into_iter().take(count).map(|(_, _, id)| id).collect()
}
