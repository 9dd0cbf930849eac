//! Connections that others can read, and a proxy behind which all clients have one address. The service logs these
//! findings at start.

use store::{Database, Transport};
use url::Url;

use super::finding::{Diagnosis, FindingCode};
use super::settings::origin_of;
use crate::config::{Config, is_on_this_machine, is_unencrypted};
use tracking::events::settings::SinkChoice;

/// Looks at the settings of all connections except the database's.
pub(super) fn examine(config: &Config, found: &mut Diagnosis) {
    if let Some(url) = config.provider.url.as_ref().filter(|url| is_unencrypted(url)) {
        found.add(
            FindingCode::ProviderPlain,
            format!("provider_url is {}", origin_of(url)),
        );
    }
    if let SinkChoice::Kafka(kafka) = &config.events.sink
        && kafka.tls.is_none()
        && !kafka.brokers.iter().all(|broker| is_on_this_machine(broker))
    {
        found.add(FindingCode::KafkaPlain, "kafka_brokers are on another machine");
    }
    let Some(public) = config.public_url.as_deref().and_then(|url| Url::parse(url).ok()) else {
        return;
    };
    let what = format!("public_url is {}", origin_of(&public));
    let is_not_this_machine = public.scheme() == "https" || is_unencrypted(&public);
    if is_not_this_machine && config.proxies.header.is_none() && config.tls.is_none() {
        found.add(
            FindingCode::ClientIpUnknown,
            format!("{what}, and client_ip_header is not set"),
        );
    }
    if is_unencrypted(&public) {
        found.add(FindingCode::PublicUrlNotHttps, what);
    }
}

/// Looks at the connection to the database.
pub(super) fn examine_database(database: &Database, found: &mut Diagnosis) {
    let code = match database.transport() {
        Transport::Private => return,
        Transport::MaybePlain => FindingCode::DatabasePlain,
        Transport::Unverified => FindingCode::DatabaseUnverified,
    };
    found.add(code, format!("the database is {database}"));
}

/// Logs a warning for each finding in the settings, except the database's.
pub(crate) fn log_exposures(config: &Config) {
    log(|found| examine(config, found));
}

/// Logs a warning if the connection to the database can be read by others.
pub(crate) fn log_database_exposure(database: &Database) {
    log(|found| examine_database(database, found));
}

fn log(examine: impl FnOnce(&mut Diagnosis)) {
    let mut found = Diagnosis::default();
    examine(&mut found);
    for finding in &found.findings {
        tracing::warn!("{}. {} {}", finding.what, finding.why, finding.fix);
    }
}

#[cfg(test)]
mod tests;
