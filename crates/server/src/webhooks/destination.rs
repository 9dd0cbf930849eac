//! Where events may be sent: to servers on the public internet over https, so that a merchant's URL is no way into the
//! operator's own network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// The longest URL, in bytes.
const URL_BYTES_MAX: usize = 2_048;

/// Why a URL cannot be a webhook's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DestinationError {
    /// It is no URL of a server, or names a user or a fragment.
    #[error("must be an absolute URL like https://shop.example/webhooks, without a user or a fragment")]
    Malformed,
    /// It is not https.
    #[error("must be an https URL (http is for development: webhook_private_networks)")]
    NotHttps,
    /// It names an address that is not a public one.
    #[error("must not be on a private network (that is for development: webhook_private_networks)")]
    Private,
}

/// Reads a webhook's URL. `private_networks` also allows http and addresses that are not public. Names are looked up
/// when an event is sent, and their addresses are held to the same then.
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
        Some(Host::Domain(name)) => name.contains('.') && !name.ends_with(".localhost"),
        None => false,
    };
    public.then_some(url).ok_or(DestinationError::Private)
}

/// Looks names up and keeps the public addresses alone.
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

/// Whether an address is one of the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let reserved = match a {
        0 | 10 | 127 | 224.. => true,
        100 => (64..128).contains(&b),
        169 => b == 254,
        172 => (16..32).contains(&b),
        192 => (b == 168) || (b == 0 && (c == 0 || c == 2)) || (b == 88 && c == 99),
        198 => (b & 0xfe) == 18 || (b == 51 && c == 100),
        203 => b == 0 && c == 113,
        _ => false,
    };
    !reserved
}

/// Only `2000::/3` is handed out; of it documentation, Teredo and what wraps a private IPv4 address are no destinations.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, ..] = address.segments();
    let ([first, second], [third, fourth]) = (b.to_be_bytes(), c.to_be_bytes());
    let wrapped = Ipv4Addr::new(first, second, third, fourth);
    (0x2000..0x4000).contains(&a)
        && !(a == 0x2001 && (b == 0 || b == 0x0db8))
        && !(a == 0x3fff && b < 0x1000)
        && (a != 0x2002 || is_public_v4(wrapped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        let public = |text: &str| is_public(text.parse().unwrap());
        for address in [
            "1.1.1.1",
            "93.184.215.14",
            "172.32.0.1",
            "2606:4700::1111",
            "2002:101:101::1",
        ] {
            assert!(public(address), "{address}");
        }
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "203.0.113.7",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "fd00::1",
            "fe80::1",
            "ff02::1",
            "2001:db8::1",
            "2002:a00:1::1",
        ] {
            assert!(!public(address), "{address}");
        }
    }

    #[test]
    fn a_destination_is_public_and_https_unless_private_networks_are_allowed() {
        use DestinationError::{Malformed, NotHttps, Private};
        for (text, refused) in [
            ("https://shop.example/webhooks?of=cardform", None),
            ("https://1.1.1.1/", None),
            ("http://shop.example/", Some(NotHttps)),
            ("https://127.0.0.1/", Some(Private)),
            ("https://[::ffff:10.0.0.1]/", Some(Private)),
            // Browsers and libraries read these as 127.0.0.1.
            ("https://2130706433/", Some(Private)),
            ("https://0x7f.1/", Some(Private)),
            ("https://localhost/", Some(Private)),
            ("https://intranet/", Some(Private)),
        ] {
            assert_eq!(parse(text, false).err(), refused, "{text}");
            assert!(parse(text, true).is_ok(), "{text}");
        }
        for text in [
            "shop.example",
            "ftp://shop.example/",
            "https://a:b@shop.example/",
            "https://shop.example/#x",
        ] {
            assert_eq!(parse(text, false).err(), Some(Malformed), "{text}");
            assert_eq!(parse(text, true).err(), Some(Malformed), "{text}");
        }
    }

    #[tokio::test]
    async fn a_name_with_a_private_address_alone_leads_nowhere() {
        let name = "localhost".parse().unwrap();
        assert!(PublicAddresses.resolve(name).await.is_err());
    }
}
