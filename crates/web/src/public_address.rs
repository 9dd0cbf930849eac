//! Tells addresses of the public internet from all others.

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
}
