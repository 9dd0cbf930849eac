//! The client's address. Attempts and events are counted by it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, header};
use ipnet::IpNet;

use crate::api_error::ApiError;

/// The reverse proxies in front of the service.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    /// The header with the client's address; `None` if clients connect directly.
    pub header: Option<HeaderName>,
    /// Their networks. From other addresses the header is ignored.
    pub networks: Vec<IpNet>,
}

/// Stands for the address of a client whose proxy wrote no valid address. All these clients share one limit.
pub const UNREADABLE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The client's address: that of the connection or, behind reverse proxies, the last entry of the operator's header that
/// is not a proxy of theirs. Each proxy appends the address that it was called from, so this entry was written by a proxy
/// and not by the client. The header is ignored when the connection is not from the proxies' networks. An entry that is
/// not an address becomes `UNREADABLE`: the proxy's own address would stand for all clients and have no limit.
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
        let from_header = proxies
            .header
            .as_ref()
            .filter(|_| proxies.include(peer.ip()))
            .and_then(|name| proxies.client_in(parts.headers.get_all(name).iter(), name));
        Ok(Self(from_header.unwrap_or(peer.ip()).to_canonical()))
    }
}

impl Proxies {
    fn include(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(&address))
    }

    /// The client that the header names; `None` without an entry. If all entries are proxies, it is the first of them.
    fn client_in<'a>(
        &self,
        lines: impl DoubleEndedIterator<Item = &'a HeaderValue>,
        name: &HeaderName,
    ) -> Option<IpAddr> {
        let is_forwarded = *name == header::FORWARDED;
        let mut client = None;
        for line in lines.rev() {
            let Ok(line) = line.to_str() else {
                return Some(UNREADABLE);
            };
            // Only `Forwarded` has quoted texts. A client can open a quotation and not close it; then the last comma is a proxy's.
            let mut entries: Vec<&str> = if is_forwarded && is_closed(line) {
                unquoted_split(line, ',').collect()
            } else {
                line.split(',').collect()
            };
            entries.retain(|entry| !entry.trim().is_empty());
            if entries.is_empty() {
                return Some(UNREADABLE);
            }
            for entry in entries.into_iter().rev() {
                let node = if is_forwarded {
                    forwarded_for(entry)
                } else {
                    Some(entry)
                };
                let address = node.and_then(address_of).unwrap_or(UNREADABLE);
                client = Some(address);
                if !self.include(address) {
                    return client;
                }
            }
        }
        client
    }
}

/// Whether each quoted string in a header has an end. Then a comma after the header begins another part.
fn is_closed(text: &str) -> bool {
    unquoted_split(&format!("{text},"), ',').last() == Some("")
}

/// The parts of a header between separators that are not within a quoted string.
fn unquoted_split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |letter| {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => return letter == separator && !quoted,
        }
        false
    })
}

/// The `for` parameter of an element of `Forwarded` (RFC 7239).
fn forwarded_for(element: &str) -> Option<&str> {
    unquoted_split(element, ';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then_some(value)
    })
}

/// An address with or without a port, brackets and quotation marks. The port may be a word, which begins with `_`.
fn address_of(node: &str) -> Option<IpAddr> {
    let node = node.trim().trim_matches('"');
    let node = match node.rsplit_once(":_") {
        Some((node, _)) => node,
        None => node,
    };
    if let Ok(with_port) = node.parse::<SocketAddr>() {
        return Some(with_port.ip());
    }
    let bracketed = node
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .map(|address| address.parse::<Ipv6Addr>().map(IpAddr::V6));
    bracketed.unwrap_or_else(|| node.parse()).ok()
}

/// The network of an IPv6 address, because a client has a whole /64 network. An IPv4 address is returned unchanged.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// The network by which a client is counted. A private address belongs to a proxy or to the operator and stands for many
/// clients, so it is not counted. An address that a gateway made of an IPv4 address is counted as the IPv4 address.
pub fn counted_network(address: IpAddr) -> Option<IpAddr> {
    let address = carried_address(address.to_canonical());
    (!is_private(address)).then(|| network(address))
}

/// The IPv4 address within an IPv6 address of NAT64 (`64:ff9b::/96`), Teredo (`2001::/32`, with its bits inverted) or
/// 6to4 (`2002::/16`). Other addresses are returned unchanged.
fn carried_address(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else {
        return address;
    };
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)).into();
    match v6.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => v4(high, low),
        [0x2001, 0, .., high, low] => v4(!high, !low),
        _ => address,
    }
}

/// Whether an address is of a private network, of the provider's shared network (100.64.0.0/10), or of this machine.
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_private() || v4.is_loopback() || v4.is_link_local() || (a == 100 && (64..128).contains(&b))
        }
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests;
