use super::*;

#[test]
fn a_proxys_header_may_have_a_port_after_the_address() {
    for (header, address) in [
        ("1.2.3.4", Some("1.2.3.4")),
        ("1.2.3.4:51234", Some("1.2.3.4")),
        ("2606:4700::1", Some("2606:4700::1")),
        ("[2606:4700::1]", Some("2606:4700::1")),
        ("[2606:4700::1]:51234", Some("2606:4700::1")),
        ("\"[2606:4700::1]:51234\"", Some("2606:4700::1")),
        ("9.9.9.9, 1.2.3.4:80", Some("1.2.3.4")),
        ("1.2.3.4, unknown", None),
        ("1.2.3.4:99999", None),
        ("[1.2.3.4]", None),
        ("1.2.3.4,", Some("1.2.3.4")),
        ("\", 1.2.3.4", Some("1.2.3.4")),
        (" , ", None),
        ("", None),
    ] {
        let expected = address.map_or(UNREADABLE, |address| address.parse().unwrap());
        assert_eq!(client(&[header], "x-forwarded-for"), Some(expected), "{header}");
    }
}

fn client(lines: &[&str], name: &str) -> Option<IpAddr> {
    let proxies = Proxies {
        header: None,
        networks: vec!["10.0.0.0/8".parse().unwrap(), "203.0.113.0/24".parse().unwrap()],
    };
    let lines: Vec<HeaderValue> = lines.iter().map(|line| line.parse().unwrap()).collect();
    proxies.client_in(lines.iter(), &name.parse().unwrap())
}

#[test]
fn entries_of_our_own_proxies_are_skipped() {
    let of = |lines: &[&str]| client(lines, "x-forwarded-for").map(|address| address.to_string());
    assert_eq!(
        of(&["9.9.9.9, 1.2.3.4, 203.0.113.7, 10.1.2.3"]).as_deref(),
        Some("1.2.3.4")
    );
    assert_eq!(
        of(&["9.9.9.9, 1.2.3.4", "203.0.113.7", "10.1.2.3"]).as_deref(),
        Some("1.2.3.4")
    );
    // A client cannot hide behind an entry that it wrote itself.
    assert_eq!(of(&["10.1.2.3, 1.2.3.4"]).as_deref(), Some("1.2.3.4"));
    assert_eq!(of(&["1.2.3.4, unknown, 10.1.2.3"]), Some(UNREADABLE.to_string()));
    assert_eq!(of(&["10.9.9.9, 10.1.2.3"]).as_deref(), Some("10.9.9.9"));
    assert_eq!(of(&[]), None);
}

#[test]
fn forwarded_is_read_as_its_standard_says() {
    let of = |line: &str| client(&[line], "forwarded");
    for (line, address) in [
        ("for=1.2.3.4", "1.2.3.4"),
        ("for=\"1.2.3.4:_p\",", "1.2.3.4"),
        // The client opens a quotation, and the proxy writes the rest.
        ("for=6.6.6.6;x=\", for=1.2.3.4", "1.2.3.4"),
        ("for=6.6.6.6;x=\"\\, for=\"[2606:4700::1]:4711\"", "2606:4700::1"),
        ("For=\"[2606:4700::1]:4711\"", "2606:4700::1"),
        (
            "for=9.9.9.9;by=8.8.8.8, proto=https;for=1.2.3.4 ;host=\"a,b;for=7.7.7.7\"",
            "1.2.3.4",
        ),
        (
            "for=1.2.3.4, for=\"203.0.113.7:80\";proto=http, for=10.0.0.1",
            "1.2.3.4",
        ),
    ] {
        assert_eq!(of(line), Some(address.parse().unwrap()), "{line}");
    }
    for line in ["for=unknown", "for=_hidden", "proto=https", "1.2.3.4", ""] {
        assert_eq!(of(line), Some(UNREADABLE), "{line}");
    }
}

#[test]
fn ipv6_is_counted_by_network_and_private_addresses_are_not() {
    let of = |text: &str| counted_network(text.parse().unwrap()).map(|network| network.to_string());
    assert_eq!(of("1.2.3.4").as_deref(), Some("1.2.3.4"));
    assert_eq!(of("::ffff:1.2.3.4").as_deref(), Some("1.2.3.4"));
    assert_eq!(of("2606:4700:1:2:3:4:5:6").as_deref(), Some("2606:4700:1:2::"));
    // NAT64, Teredo and 6to4 carry an IPv4 address.
    assert_eq!(of("64:ff9b::102:304").as_deref(), Some("1.2.3.4"));
    assert_eq!(
        of("2001:0:4136:e378:8000:63bf:fefd:fcfb").as_deref(),
        Some("1.2.3.4")
    );
    assert_eq!(of("2002:102:304::1").as_deref(), Some("1.2.3.4"));
    for address in [
        "127.0.0.1",
        "10.0.0.1",
        "100.64.0.1",
        "169.254.1.1",
        "fd00::1",
        "fe80::1",
        "64:ff9b::a00:1",
    ] {
        assert_eq!(of(address), None, "{address}");
    }
    assert!(
        counted_network(UNREADABLE).is_some(),
        "an unreadable address is counted, too"
    );
}
