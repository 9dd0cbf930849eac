//! `GET /v1/pub/ip`: the client's address as text, for the direct charge's `shopper_agent`. And the address itself, for
//! whom attempts and events are counted.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;

use crate::api_error::ApiError;
use crate::app::SharedApp;
use crate::webhooks::destination::is_public;

/// The client's address as text.
pub async fn client_ip(ClientAddress(address): ClientAddress) -> String {
    address.to_string()
}

/// The address of the connection; behind a reverse proxy, the last entry of the header that the operator named, which
/// is the one that the proxy itself wrote. A connection from outside the proxies' networks is believed nothing.
#[derive(Debug, Clone, Copy)]
pub struct ClientAddress(pub IpAddr);

impl FromRequestParts<SharedApp> for ClientAddress {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &SharedApp) -> Result<Self, ApiError> {
        let ConnectInfo(peer) = ConnectInfo::<SocketAddr>::from_request_parts(parts, app)
            .await
            .map_err(|cause| ApiError::internal(&cause))?;
        let from_proxy = || {
            let peer = peer.ip().to_canonical();
            app.config
                .client_ip_proxies
                .iter()
                .any(|network| network.contains(&peer))
        };
        let told = app
            .config
            .client_ip_header
            .as_ref()
            .filter(|_| from_proxy())
            .and_then(|name| {
                let last = parts.headers.get_all(name).iter().next_back()?;
                last.to_str()
                    .ok()?
                    .rsplit(',')
                    .next()?
                    .trim()
                    .parse::<IpAddr>()
                    .ok()
            });
        Ok(Self(told.unwrap_or(peer.ip()).to_canonical()))
    }
}

/// The address that stands for one client: the /64 network of an IPv6 address, which a client has to itself. An address
/// that is not public is a proxy's or the operator's own and stands for everybody, so it is not counted.
pub(crate) fn network(address: IpAddr) -> Option<IpAddr> {
    is_public(address).then(|| match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_client_is_its_network_and_a_private_address_is_nobody() {
        let of = |text: &str| network(text.parse().unwrap()).map(|network| network.to_string());
        assert_eq!(of("1.2.3.4").as_deref(), Some("1.2.3.4"));
        assert_eq!(of("::ffff:1.2.3.4").as_deref(), Some("1.2.3.4"));
        assert_eq!(of("2606:4700:1:2:3:4:5:6").as_deref(), Some("2606:4700:1:2::"));
        assert_eq!(
            (of("127.0.0.1"), of("10.0.0.1"), of("fd00::1")),
            (None, None, None)
        );
    }
}
