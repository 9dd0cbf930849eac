use super::*;

fn limits() -> ClientLimits {
    let limit = AttemptLimit {
        attempts: 100,
        window_seconds: 86_400,
    };
    ClientLimits::new(limit).unwrap()
}

fn allow(limits: &ClientLimits, client: &str, events: usize) -> bool {
    limits.allow(client.parse().unwrap(), events).is_ok()
}

#[test]
fn each_client_has_its_own_limit_of_events() {
    let limits = limits();
    assert!(allow(&limits, "1.2.3.4", 60));
    assert!(!allow(&limits, "1.2.3.4", 50));
    assert!(allow(&limits, "1.2.3.4", 40));
    assert!(!allow(&limits, "1.2.3.4", 1));
    assert!(allow(&limits, "1.2.3.5", 100));
    let wait = limits.allow("1.2.3.4".parse().unwrap(), 1).unwrap_err();
    assert!(matches!(wait, Refusal::TooManyEvents(1..=864)), "{wait:?}");
}

#[test]
fn ipv6_clients_share_a_networks_limit_and_a_proxy_has_none() {
    let limits = limits();
    assert!(allow(&limits, "2606:4700:1:2::1", 100));
    assert!(!allow(&limits, "2606:4700:1:2:ffff::2", 1));
    assert!(allow(&limits, "2606:4700:1:3::1", 1));
    for _ in 0..3 {
        assert!(allow(&limits, "127.0.0.1", 1_000));
    }
}

#[test]
fn a_request_larger_than_the_limit_is_refused_and_not_counted() {
    let limits = limits();
    assert!(!allow(&limits, "1.2.3.4", 101));
    assert!(allow(&limits, "1.2.3.4", 100));
}
