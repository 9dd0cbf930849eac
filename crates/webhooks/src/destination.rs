//! Events are sent only to servers on the public internet over https, so that a merchant's URL cannot reach the operator's
//! own network.

use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use web::is_public;

/// The longest URL, in bytes.
const URL_BYTES_MAX: usize = 2_048;

/// Why a URL cannot be used for webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DestinationError {
    /// It is not the URL of a server, is too long, or contains a user or a fragment.
    #[error("must be an absolute URL like https://shop.example/webhooks, without a user or a fragment")]
    Malformed,
    /// It is not https.
    #[error("must be an https URL (http is for development: webhook_private_networks)")]
    NotHttps,
    /// It contains an address or a name that is not public.
    #[error("must not be on a private network (that is for development: webhook_private_networks)")]
    Private,
}

/// Reads a webhook's URL. With `private_networks`, http and addresses that are not public are allowed, too. A name is
/// resolved when an event is sent, and its addresses must be public then.
pub fn parse(text: &str, private_networks: bool) -> Result<Url, DestinationError> {
    let url = Url::parse(text).map_err(|_| DestinationError::Malformed)?;
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if !matches!(url.scheme(), "http" | "https") || !plain || text.len() > URL_BYTES_MAX {
        return Err(DestinationError::Malformed);
    }
    if private_networks {
        return Ok(url);
    }
    if url.scheme() != "https" {
        return Err(DestinationError::NotHttps);
    }
    let public = match url.host() {
        Some(Host::Ipv4(address)) => is_public(address.into()),
        Some(Host::Ipv6(address)) => is_public(address.into()),
        Some(Host::Domain(name)) => is_public_name(name),
        None => false,
    };
    public.then_some(url).ok_or(DestinationError::Private)
}

/// Whether a name can be one of the public internet. A dot at its end does not change its meaning.
fn is_public_name(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name.contains('.') && !name.ends_with(".localhost")
}

/// Resolves names to their public addresses only.
pub struct PublicAddresses;

impl Resolve for PublicAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(DestinationError::Private.into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests;
