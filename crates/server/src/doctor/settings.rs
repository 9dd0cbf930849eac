//! What is wrong with the settings, and with what they name: provider, database, key files.

use std::time::Duration;

use store::{Database, StoreError, TableState, Transport};
use tokio::time::timeout;
use url::Url;

use super::finding::{Diagnosis, FindingCode};
use crate::config::{Config, is_on_this_machine, is_unencrypted};
use crate::evidence::probe::Probe;
use crate::service::key_files::open_key_files;
use tracking::events::settings::SinkChoice;
use web::tls::Tls;

/// How long the database may take.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) async fn examine(config: &Config, url: Option<&Url>, probe: &Probe, found: &mut Diagnosis) {
    for open in open_key_files(config) {
        found.add(
            FindingCode::KeyFileOpen,
            format!(
                "{}, the {}, has the permissions {:o}",
                open.file.display(),
                open.setting,
                open.mode
            ),
        );
    }
    if let Some(files) = &config.tls
        && let Err(error) = Tls::open(files.clone())
    {
        found.add(FindingCode::CertificateUnusable, error.to_string());
    }
    if let SinkChoice::Kafka(kafka) = &config.events.sink
        && kafka.tls.is_none()
        && !kafka.brokers.iter().all(|broker| is_on_this_machine(broker))
    {
        found.add(FindingCode::KafkaPlain, "kafka_brokers are on another machine");
    }
    public_url(config, url, found);
    provider(config, probe, found).await;
    database(&config.database, found).await;
}

fn public_url(config: &Config, url: Option<&Url>, found: &mut Diagnosis) {
    let Some(public) = config.public_url.as_deref().and_then(|url| Url::parse(url).ok()) else {
        return;
    };
    if is_unencrypted(&public) {
        found.add(
            FindingCode::PublicUrlNotHttps,
            format!("public_url is {}", origin_of(&public)),
        );
    }
    let is_elsewhere = public.scheme() == "https" || is_unencrypted(&public);
    if is_elsewhere && config.proxies.header.is_none() && config.tls.is_none() {
        found.add(
            FindingCode::ClientIpUnknown,
            format!(
                "public_url is {}, and client_ip_header is not set",
                origin_of(&public)
            ),
        );
    }
    if let Some(url) = url
        && url.origin() != public.origin()
    {
        found.add(
            FindingCode::PublicUrlDiffers,
            format!(
                "public_url is {}, and the service is looked at {}",
                origin_of(&public),
                origin_of(url)
            ),
        );
    }
}

async fn provider(config: &Config, probe: &Probe, found: &mut Diagnosis) {
    let Some(url) = &config.provider.url else {
        found.add(FindingCode::ProviderMissing, "provider_url is not set");
        return;
    };
    let name = origin_of(url);
    if is_unencrypted(url) {
        found.add(FindingCode::ProviderPlain, format!("provider_url is {name}"));
    }
    // Any answer will do: the address itself need not be one of the provider's.
    match probe.get(url.clone()).await {
        Err(no) => found.add(
            FindingCode::ProviderUnreachable,
            format!("{name} does not answer: {}", no.why),
        ),
        Ok(seen) => {
            if let Some(ahead) = probe.skew(&seen) {
                found.add(FindingCode::ClockSkew, skewed("the provider", ahead));
            }
        }
    }
}

/// A clock that is this many seconds ahead of ours.
pub(super) fn skewed(whose: &str, ahead: i64) -> String {
    let side = if ahead > 0 { "ahead of" } else { "behind" };
    format!(
        "the clock of {whose} is {} seconds {side} this machine's",
        ahead.unsigned_abs()
    )
}

async fn database(database: &Database, found: &mut Diagnosis) {
    match database.transport() {
        Transport::Private => {}
        Transport::MaybePlain => found.add(FindingCode::DatabasePlain, format!("the database is {database}")),
        Transport::Unverified => {
            found.add(
                FindingCode::DatabaseUnverified,
                format!("the database is {database}"),
            );
        }
    }
    let looked = timeout(DATABASE_TIMEOUT, store::Store::table_state(database)).await;
    let what = |why: &str| format!("{database}: {why}");
    match looked {
        Err(_) => found.add(
            FindingCode::DatabaseUnreachable,
            what("no answer within 10 seconds"),
        ),
        Ok(Err(StoreError::Missing)) => found.add(FindingCode::DatabaseMissing, what("no tables of ours")),
        Ok(Err(StoreError::Migration(why))) => found.add(FindingCode::TablesTooNew, what(&why)),
        Ok(Err(error)) => found.add(
            FindingCode::DatabaseUnreachable,
            what(&error.to_string().replace('\n', " ")),
        ),
        Ok(Ok(TableState::Current)) => {}
        Ok(Ok(TableState::Older(missing))) => found.add(
            FindingCode::TablesOlder,
            what(&format!("{missing} migrations are missing")),
        ),
        Ok(Ok(TableState::Newer(newest))) => found.add(
            FindingCode::TablesNewer,
            what(&format!("it has migration {newest}")),
        ),
        Ok(Ok(TableState::TooNew(newest))) => found.add(
            FindingCode::TablesTooNew,
            what(&format!("it has migration {newest}")),
        ),
    }
}

/// The origin: an address without user, password, path and query.
pub(super) fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}
