//! Warnings in the log at start: connections that others could read, and a proxy behind which all clients look the
//! same.

use store::{Database, Transport};
use url::Url;

use crate::config::{Config, is_on_this_machine, is_unencrypted};
use tracking::events::settings::SinkChoice;

const DATABASE_IN_THE_CLEAR: &str = "the connection to PostgreSQL on another machine may be plain TCP: end the database's \
     URL with ?sslmode=verify-full (and &sslrootcert=FILE for a root of your own)";
const DATABASE_UNVERIFIED: &str = "the connection to PostgreSQL is encrypted, but nobody checks that it is the right server: \
     end the database's URL with ?sslmode=verify-full (and &sslrootcert=FILE for a root of your own)";
const PROVIDER_IN_THE_CLEAR: &str =
    "card numbers go to the provider over plain http: use https for real cards";
const KAFKA_IN_THE_CLEAR: &str = "events go to Kafka on another machine over plain TCP: set kafka_tls";
const PROXY_UNNAMED: &str = "public_url is not our own address, so a proxy stands before this service, and \
     client_ip_header is not set: every shopper seems to come from the proxy, and no limit per address counts";

/// Logs one line for each warning.
pub(crate) fn log_exposures(config: &Config) {
    for exposure in exposures(config) {
        tracing::warn!("{exposure}");
    }
}

/// Logs the warning about the database only, for commands that use nothing else.
pub(crate) fn log_database_exposure(database: &Database) {
    if let Some(exposure) = of_database(database) {
        tracing::warn!("{exposure}");
    }
}

fn exposures(config: &Config) -> Vec<&'static str> {
    let mut found = Vec::new();
    if config.provider.url.as_ref().is_some_and(is_unencrypted) {
        found.push(PROVIDER_IN_THE_CLEAR);
    }
    if let SinkChoice::Kafka(kafka) = &config.events.sink
        && kafka.tls.is_none()
        && !kafka.brokers.iter().all(|broker| is_on_this_machine(broker))
    {
        found.push(KAFKA_IN_THE_CLEAR);
    }
    if config.proxies.header.is_none()
        && config.tls.is_none()
        && shoppers_use_another_address(config.public_url.as_deref())
    {
        found.push(PROXY_UNNAMED);
    }
    found
}

fn of_database(database: &Database) -> Option<&'static str> {
    match database.transport() {
        Transport::Private => None,
        Transport::MaybePlain => Some(DATABASE_IN_THE_CLEAR),
        Transport::Unverified => Some(DATABASE_UNVERIFIED),
    }
}

/// Whether shoppers use another address than this machine's own.
fn shoppers_use_another_address(public_url: Option<&str>) -> bool {
    let url = public_url.and_then(|url| Url::parse(url).ok());
    url.is_some_and(|url| url.scheme() == "https" || is_unencrypted(&url))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    fn of(change: impl FnOnce(&mut Settings)) -> Vec<&'static str> {
        let mut settings = Settings {
            provider_url: Some("http://127.0.0.1:1".into()),
            ..Settings::default()
        };
        change(&mut settings);
        exposures(&settings.resolve().unwrap())
    }

    #[test]
    fn a_proxy_without_a_header_setting_is_reported() {
        let with = |public_url: &str| of(|settings| settings.public_url = Some(public_url.into()));
        assert_eq!(with("https://pay.example"), [PROXY_UNNAMED]);
        assert_eq!(with("http://pay.example"), [PROXY_UNNAMED]);
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
        assert_eq!(provider, [PROVIDER_IN_THE_CLEAR]);
        let kafka = |brokers: &str, tls| {
            of(|settings| {
                settings.event_sink = Some("kafka".into());
                settings.kafka_brokers = Some(brokers.into());
                settings.kafka_tls = Some(tls);
            })
        };
        assert_eq!(kafka("kafka.example:9092", false), [KAFKA_IN_THE_CLEAR]);
        assert!(kafka("kafka.example:9093", true).is_empty());
        assert!(kafka("127.0.0.1:9092", false).is_empty());
    }
}
