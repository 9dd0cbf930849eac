//! The origins of pages that may embed a merchant's form: `https://shop.example`, or `https://*.shop.example` for every
//! subdomain.
//!
//! Browsers read the same text in `frame-ancestors`, and the form compares it with the origin of each message
//! (`form/src/parent/origins.ts`). All three are tested with `cases/origins.json`.

/// The longest host name (RFC 1035).
pub const HOST_BYTES_MAX: usize = 253;
/// The longest part of a host name between two dots.
pub const LABEL_BYTES_MAX: usize = 63;

/// An origin, or the origins of all subdomains of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllowedOrigin<'a> {
    is_https: bool,
    any_subdomain: bool,
    host: &'a str,
    port: u16,
}

impl<'a> AllowedOrigin<'a> {
    /// Reads an origin as browsers write it: lower case, no path, no default port. `*.` may stand before a host with at
    /// least two parts. A host in brackets (IPv6) is refused, because a policy cannot name it.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (is_https, rest) = match text.strip_prefix("https://") {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix("http://")?),
        };
        let own_port = if is_https { 443 } else { 80 };
        let (host, port) = match rest.split_once(':') {
            None => (rest, own_port),
            Some((host, port)) => (host, port_number(port).filter(|port| *port != own_port)?),
        };
        let (any_subdomain, host) = match host.strip_prefix("*.") {
            Some(host) => (true, host),
            None => (false, host),
        };
        let is_meant = is_host(host) && !(any_subdomain && (is_address(host) || !host.contains('.')));
        is_meant.then_some(Self {
            is_https,
            any_subdomain,
            host,
            port,
        })
    }

    /// Whether this allows a page of `origin`, by the rule of `frame-ancestors` (CSP level 3, 6.7.2): http in a policy
    /// also allows https.
    pub fn covers(self, origin: Self) -> bool {
        let is_upgraded = !self.is_https && origin.is_https;
        let is_same_host = if self.any_subdomain {
            let before = origin.host.strip_suffix(self.host);
            before.is_some_and(|before| before.ends_with('.'))
        } else {
            origin.host == self.host
        };
        let is_same_port = origin.port == self.port || (is_upgraded && self.port == 80 && origin.port == 443);
        !origin.any_subdomain
            && is_same_host
            && is_same_port
            && (is_upgraded || origin.is_https == self.is_https)
    }

    /// Whether one of `allowed` covers `origin`. A text that is not an origin is ignored.
    pub fn any_covers(allowed: &[String], origin: &str) -> bool {
        let mut allowed = allowed.iter().filter_map(|text| AllowedOrigin::parse(text));
        AllowedOrigin::parse(origin).is_some_and(|origin| allowed.any(|allowed| allowed.covers(origin)))
    }
}

/// A port as browsers write it: no sign, no leading zero.
fn port_number(text: &str) -> Option<u16> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    is_plain.then(|| text.parse().ok()).flatten()
}

/// Whether `text` is the name of a host in lower case, or an IPv4 address. A name in another script has the form
/// `xn--…`.
fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_BYTES_MAX).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_'))
    };
    let ends_as_address = text.rsplit('.').next().is_some_and(is_number);
    text.len() <= HOST_BYTES_MAX && text.split('.').all(is_label) && (!ends_as_address || is_address(text))
}

/// Whether browsers read `label` as a part of an IPv4 address. A host that ends with such a part must be an IPv4
/// address.
fn is_number(label: &str) -> bool {
    match label.strip_prefix("0x") {
        Some(hex) => hex.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => label.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

fn is_address(text: &str) -> bool {
    text.parse::<std::net::Ipv4Addr>().is_ok()
}
