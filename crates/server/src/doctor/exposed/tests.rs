use super::*;
use crate::config::Settings;

fn of(change: impl FnOnce(&mut Settings)) -> Vec<FindingCode> {
    let mut settings = Settings {
        provider_url: Some("http://127.0.0.1:1".into()),
        ..Settings::default()
    };
    change(&mut settings);
    let mut found = Diagnosis::default();
    examine(&settings.resolve().unwrap(), &mut found);
    found.findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn a_proxy_without_a_header_setting_is_reported() {
    let with = |public_url: &str| of(|settings| settings.public_url = Some(public_url.into()));
    assert_eq!(with("https://pay.example"), [FindingCode::ClientIpUnknown]);
    assert!(with("http://pay.example").contains(&FindingCode::ClientIpUnknown));
    assert!(with("http://127.0.0.1:8080").is_empty());
    let named = of(|settings| {
        settings.public_url = Some("https://pay.example".into());
        settings.client_ip_header = Some("x-forwarded-for".into());
    });
    assert!(named.is_empty());
    let own = of(|settings| {
        settings.public_url = Some("https://pay.example".into());
        settings.tls_certificate = Some("certificate.pem".into());
        settings.tls_key = Some("key.pem".into());
    });
    assert!(own.is_empty());
}

#[test]
fn unencrypted_connections_to_other_machines_are_reported() {
    let provider = of(|settings| settings.provider_url = Some("http://provider.example".into()));
    assert_eq!(provider, [FindingCode::ProviderPlain]);
    let kafka = |brokers: &str, tls| {
        of(|settings| {
            settings.event_sink = Some("kafka".into());
            settings.kafka_brokers = Some(brokers.into());
            settings.kafka_tls = Some(tls);
        })
    };
    assert_eq!(kafka("kafka.example:9092", false), [FindingCode::KafkaPlain]);
    assert!(kafka("kafka.example:9093", true).is_empty());
    assert!(kafka("127.0.0.1:9092", false).is_empty());
}
