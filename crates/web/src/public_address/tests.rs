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
