use super::*;

#[test]
fn only_an_origin_as_browsers_write_it_is_read() {
    assert_eq!(
        origin("https://shop.example").as_deref(),
        Some("https://shop.example")
    );
    assert_eq!(
        origin("http://127.0.0.1:8080").as_deref(),
        Some("http://127.0.0.1:8080")
    );
    for wrong in [
        "https://shop.example/",
        "https://shop.example:443",
        "https://Shop.example",
        "null",
        "*",
    ] {
        assert_eq!(origin(wrong), None, "{wrong}");
    }
}

#[test]
fn a_server_on_every_address_is_reached_at_the_loopback() {
    let reached = |address: &str| reachable(address.parse().unwrap()).to_string();
    assert_eq!(reached("0.0.0.0:80"), "127.0.0.1:80");
    assert_eq!(reached("[::]:80"), "[::1]:80");
    assert_eq!(reached("192.0.2.1:80"), "192.0.2.1:80");
}

#[test]
fn a_proxy_in_any_private_network_is_believed_by_default() {
    let known = proxies(None, None).unwrap().networks;
    for proxy in [
        "127.0.0.1",
        "10.1.1.1",
        "172.16.0.1",
        "192.168.0.1",
        "169.254.1.1",
        "100.64.0.1",
        "::1",
        "fd00::1",
    ] {
        let proxy = proxy.parse().unwrap();
        assert!(web::client_ip::is_private(proxy), "{proxy}");
        assert!(known.iter().any(|network| network.contains(&proxy)), "{proxy}");
    }
}
