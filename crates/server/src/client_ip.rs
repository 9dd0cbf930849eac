//! `GET /v1/pub/ip`: the client's address as text, for the direct charge's `shopper_agent`. And the address itself, for
//! whom attempts are counted.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;

use crate::api_error::ApiError;
use crate::app::SharedApp;

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
