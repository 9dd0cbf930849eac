//! `GET /v1/pub/ip`: the client's address as text, for the direct charge's `shopper_agent`.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, State};
use axum::http::HeaderMap;

use crate::app::SharedApp;

/// The address of the connection; behind a reverse proxy, the last entry of the header that the operator named, which
/// is the one that the proxy itself wrote.
pub async fn client_ip(
    State(app): State<SharedApp>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> String {
    let told = app.config.client_ip_header.as_ref().and_then(|name| {
        let last = headers.get_all(name).iter().next_back()?;
        last.to_str()
            .ok()?
            .rsplit(',')
            .next()?
            .trim()
            .parse::<IpAddr>()
            .ok()
    });
    told.unwrap_or(peer.ip()).to_canonical().to_string()
}
