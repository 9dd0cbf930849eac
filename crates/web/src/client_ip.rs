//! The client's address. Attempts and events are counted by it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRef, FromRequestParts};
use axum::http::HeaderName;
use axum::http::request::Parts;
use ipnet::IpNet;

use crate::api_error::ApiError;
use crate::public_address::is_public;

/// The reverse proxies in front of the service.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    /// The header in which they write the client's address; `None` when clients connect directly.
    pub header: Option<HeaderName>,
    /// Their networks. From other addresses the header is ignored.
    pub networks: Vec<IpNet>,
}

/// The address of all clients whose proxy wrote something that is not an address. They share one limit.
pub const UNREADABLE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The client's address: that of the connection or, behind a reverse proxy, the last entry of the operator's header,
/// because the proxy itself wrote that entry. The header is ignored when the connection is not from the proxies'
/// networks. An entry that is not an address becomes `UNREADABLE`: the proxy's own address would stand for all clients
/// and have no limit.
#[derive(Debug, Clone, Copy)]
pub struct ClientAddress(pub IpAddr);

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress
where
    Arc<Proxies>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let ConnectInfo(peer) = ConnectInfo::<SocketAddr>::from_request_parts(parts, state)
            .await
            .map_err(|cause| ApiError::internal(&cause))?;
        let proxies = <Arc<Proxies>>::from_ref(state);
        let from_proxy = || {
            let peer = peer.ip().to_canonical();
            proxies.networks.iter().any(|network| network.contains(&peer))
        };
        let from_header = proxies
            .header
            .as_ref()
            .filter(|_| from_proxy())
            .and_then(|name| parts.headers.get_all(name).iter().next_back())
            .map(|last| last.to_str().ok().and_then(last_address).unwrap_or(UNREADABLE));
        Ok(Self(from_header.unwrap_or(peer.ip()).to_canonical()))
    }
}

/// The last entry of a header: an address with or without a port.
fn last_address(header: &str) -> Option<IpAddr> {
    let last = header.rsplit(',').next()?.trim().trim_matches('"');
    if let Ok(with_port) = last.parse::<SocketAddr>() {
        return Some(with_port.ip());
    }
    let bracketed = last
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .map(|address| address.parse::<Ipv6Addr>().map(IpAddr::V6));
    bracketed.unwrap_or_else(|| last.parse()).ok()
}

/// The network of an IPv6 address, because a client has a whole /64 network. An IPv4 address is returned unchanged.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// The network by which a client is counted. An address that is not public belongs to a proxy or to the operator and
/// stands for many clients, so it is not counted.
pub fn counted_network(address: IpAddr) -> Option<IpAddr> {
    (is_public(address) || address == UNREADABLE).then(|| network(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxys_header_may_have_a_port_after_the_address() {
        for (header, address) in [
            ("1.2.3.4", Some("1.2.3.4")),
            ("1.2.3.4:51234", Some("1.2.3.4")),
            ("2606:4700::1", Some("2606:4700::1")),
            ("[2606:4700::1]", Some("2606:4700::1")),
            ("[2606:4700::1]:51234", Some("2606:4700::1")),
            ("\"[2606:4700::1]:51234\"", Some("2606:4700::1")),
            ("9.9.9.9, 1.2.3.4:80", Some("1.2.3.4")),
            ("1.2.3.4, unknown", None),
            ("1.2.3.4:99999", None),
            ("[1.2.3.4]", None),
            ("", None),
        ] {
            let read = last_address(header).map(|address| address.to_string());
            assert_eq!(read.as_deref(), address, "{header}");
        }
    }

    #[test]
    fn ipv6_is_counted_by_network_and_private_addresses_are_not() {
        let of = |text: &str| counted_network(text.parse().unwrap()).map(|network| network.to_string());
        assert_eq!(of("1.2.3.4").as_deref(), Some("1.2.3.4"));
        assert_eq!(of("::ffff:1.2.3.4").as_deref(), Some("1.2.3.4"));
        assert_eq!(of("2606:4700:1:2:3:4:5:6").as_deref(), Some("2606:4700:1:2::"));
        assert_eq!(
            (of("127.0.0.1"), of("10.0.0.1"), of("fd00::1")),
            (None, None, None)
        );
        assert!(
            counted_network(UNREADABLE).is_some(),
            "what cannot be read is counted, too"
        );
    }
}
