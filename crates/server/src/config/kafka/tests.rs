use protocol::Sensitive;

use super::*;

fn of(change: impl FnOnce(&mut Settings)) -> Result<KafkaSettings, String> {
    let mut settings = Settings {
        kafka_brokers: Some("kafka-1.example:9093".into()),
        ..Settings::default()
    };
    change(&mut settings);
    kafka_settings(&settings).map_err(|error| error.to_string())
}

#[test]
fn a_kafka_user_needs_a_password_and_uses_scram_by_default() {
    let login = |mechanism: Option<&str>| {
        let settings = of(|settings| {
            settings.kafka_tls = Some(true);
            settings.kafka_user = Some("cardform".into());
            settings.kafka_password = Some(Sensitive::new("hunter2".into()));
            settings.kafka_sasl_mechanism = mechanism.map(str::to_owned);
        });
        settings.map(|settings| settings.login.unwrap().mechanism)
    };
    assert_eq!(login(None), Ok(SaslMechanism::ScramSha512));
    assert_eq!(login(Some("scram-sha-256")), Ok(SaslMechanism::ScramSha256));
    assert_eq!(login(Some("plain")), Ok(SaslMechanism::Plain));
    assert!(
        login(Some("gssapi"))
            .unwrap_err()
            .contains("kafka_sasl_mechanism")
    );
    let without = of(|settings| settings.kafka_user = Some("cardform".into()));
    assert!(without.unwrap_err().contains("kafka_password_file"));
}

#[test]
fn a_login_without_a_kafka_user_is_refused() {
    let refused = |change: fn(&mut Settings)| of(change).unwrap_err();
    let password = refused(|settings| settings.kafka_password = Some(Sensitive::new("hunter2".into())));
    assert!(
        password.contains("kafka_password ") && !password.contains("hunter2"),
        "{password}"
    );
    let file = refused(|settings| settings.kafka_password_file = Some("password".into()));
    assert!(file.contains("kafka_password_file"), "{file}");
    let mechanism = refused(|settings| settings.kafka_sasl_mechanism = Some("plain".into()));
    assert!(mechanism.contains("kafka_sasl_mechanism"), "{mechanism}");
}

#[test]
fn an_unencrypted_password_is_only_sent_on_this_machine() {
    let plain = |brokers: &str| {
        of(|settings| {
            settings.kafka_brokers = Some(brokers.into());
            settings.kafka_user = Some("cardform".into());
            settings.kafka_password = Some(Sensitive::new("hunter2".into()));
            settings.kafka_sasl_mechanism = Some("plain".into());
        })
    };
    assert!(plain("127.0.0.1:9092, [::1]:9092, localhost:9092").is_ok());
    assert!(
        plain("127.0.0.1:9092, kafka.example:9092")
            .unwrap_err()
            .contains("kafka_tls")
    );
}

#[test]
fn root_certificates_without_tls_are_refused() {
    let roots = of(|settings| settings.kafka_root_certificates = Some("roots.pem".into()));
    assert!(roots.unwrap_err().contains("kafka_root_certificates"));
}
