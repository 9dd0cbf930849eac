//! The settings of Kafka: its brokers, TLS, and the service's login.

use protocol::SecretSource;

use super::{ConfigError, Settings};
use tracking::events::settings::{KafkaLogin, KafkaSettings, KafkaTls, SaslMechanism};

/// Reads and checks the settings of Kafka.
pub(super) fn kafka_settings(settings: &Settings) -> Result<KafkaSettings, ConfigError> {
    let brokers = settings.kafka_brokers.as_deref().ok_or(ConfigError::Value(
        "kafka_brokers",
        "is missing beside event_sink",
    ))?;
    let brokers = hosts(brokers)?;
    let tls = settings.kafka_tls.unwrap_or(false).then(|| KafkaTls {
        roots: settings.kafka_root_certificates.clone(),
    });
    if tls.is_none() && settings.kafka_root_certificates.is_some() {
        return Err(ConfigError::Value(
            "kafka_root_certificates",
            "counts only with kafka_tls",
        ));
    }
    let login = login(settings)?;
    let sends_password = login
        .as_ref()
        .is_some_and(|login| login.mechanism == SaslMechanism::Plain);
    if sends_password && tls.is_none() && !brokers.iter().all(|broker| is_on_this_machine(broker)) {
        return Err(ConfigError::Value(
            "kafka_sasl_mechanism",
            "plain sends the password: set kafka_tls, too, except for brokers on this machine",
        ));
    }
    Ok(KafkaSettings { brokers, tls, login })
}

fn login(settings: &Settings) -> Result<Option<KafkaLogin>, ConfigError> {
    let Some(user) = settings.kafka_user.clone() else {
        for (name, is_given) in [
            ("kafka_password", settings.kafka_password.is_some()),
            ("kafka_password_file", settings.kafka_password_file.is_some()),
            ("kafka_sasl_mechanism", settings.kafka_sasl_mechanism.is_some()),
        ] {
            if is_given {
                return Err(ConfigError::Value(name, "is only for a kafka_user"));
            }
        }
        return Ok(None);
    };
    let mechanism = match settings.kafka_sasl_mechanism.as_deref() {
        None | Some("scram-sha-512") => SaslMechanism::ScramSha512,
        Some("scram-sha-256") => SaslMechanism::ScramSha256,
        Some("plain") => SaslMechanism::Plain,
        Some(_) => {
            return Err(ConfigError::Value(
                "kafka_sasl_mechanism",
                "must be plain, scram-sha-256 or scram-sha-512",
            ));
        }
    };
    let password = SecretSource::of_settings(
        settings.kafka_password.clone(),
        settings.kafka_password_file.clone(),
    );
    let password = password.ok_or(ConfigError::Value(
        "kafka_password_file",
        "must name the file with the password of kafka_user",
    ))?;
    Ok(Some(KafkaLogin {
        mechanism,
        user,
        password,
    }))
}

/// Reads hosts with their ports, separated by commas.
fn hosts(list: &str) -> Result<Vec<String>, ConfigError> {
    let hosts = list.split(',').map(str::trim).map(|broker| {
        let (host, port) = broker.rsplit_once(':')?;
        (!host.is_empty() && port.parse::<u16>().is_ok()).then(|| broker.to_owned())
    });
    hosts.collect::<Option<_>>().ok_or(ConfigError::Value(
        "kafka_brokers",
        "must be hosts with their ports, like kafka-1:9092, with commas between",
    ))
}

/// Whether a broker, a host with its port, is on this machine.
pub(crate) fn is_on_this_machine(broker: &str) -> bool {
    let host = broker.rsplit_once(':').map_or(broker, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests;
