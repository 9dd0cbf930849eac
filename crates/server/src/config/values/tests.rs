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
