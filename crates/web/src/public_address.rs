//! Distinguishes addresses of the public internet from all others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to the public internet.
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

/// Only `2000::/3` is assigned. Documentation, Teredo and addresses that contain a private IPv4 address are not public.
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
mod tests;
