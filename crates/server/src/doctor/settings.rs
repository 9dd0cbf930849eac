//! Finds mistakes in the settings, and in the provider, database and key files that they name.

use std::time::Duration;

use store::{Database, StoreError, TableState};
use tokio::time::timeout;
use url::Url;

use super::exposed;
use super::finding::{Diagnosis, FindingCode};
use crate::config::Config;
use crate::evidence::probe::Probe;
use crate::service::key_files::open_key_files;
use web::Tls;

/// How long the database may take.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(10);

/// Fewer attempts may come from one shopper.
const ATTEMPTS_MIN: i64 = 50;

pub(super) async fn examine(config: &Config, url: Option<&Url>, probe: &Probe, found: &mut Diagnosis) {
    // The doctor may run as another user than the service, so it cannot say who must own the files.
    for open in open_key_files(config, None) {
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
    exposed::examine(config, found);
    if let (Some(url), Some(public)) = (url, &config.public_url)
        && origin_of(url) != *public
    {
        found.add(
            FindingCode::PublicUrlDiffers,
            format!(
                "public_url is {public}, and the doctor reaches the service at {}",
                origin_of(url)
            ),
        );
    }
    provider(config, probe, found).await;
    database(&config.database, found).await;
}

async fn provider(config: &Config, probe: &Probe, found: &mut Diagnosis) {
    if config.provider.is_test() {
        found.add(FindingCode::TestMode, "provider is test");
        return;
    }
    let Some(url) = &config.provider.url else {
        found.add(FindingCode::ProviderMissing, "provider_url is not set");
        return;
    };
    // Any answer is enough, because provider_url itself need not be an endpoint of the provider.
    match probe.get(url.clone()).await {
        Err(no) => found.add(
            FindingCode::ProviderUnreachable,
            format!("{} does not answer: {}", origin_of(url), no.why),
        ),
        Ok(seen) => {
            if let Some(ahead) = probe.skew(&seen) {
                found.add(FindingCode::ClockSkew, skewed("the provider", ahead));
            }
        }
    }
}

/// Says that another clock is this many seconds ahead of this machine's.
pub(super) fn skewed(whose: &str, ahead: i64) -> String {
    let side = if ahead > 0 { "ahead of" } else { "behind" };
    format!(
        "the clock of {whose} is {} seconds {side} this machine's",
        ahead.unsigned_abs()
    )
}

async fn database(database: &Database, found: &mut Diagnosis) {
    exposed::examine_database(database, found);
    let looked = timeout(DATABASE_TIMEOUT, database.table_state()).await;
    let (code, why) = match looked {
        Err(_) => (
            FindingCode::DatabaseUnreachable,
            "no answer within 10 seconds".to_owned(),
        ),
        Ok(Err(StoreError::Missing)) => (FindingCode::DatabaseMissing, "no tables of ours".to_owned()),
        Ok(Err(StoreError::Migration(why))) => (FindingCode::TablesTooNew, why),
        Ok(Err(error)) => (
            FindingCode::DatabaseUnreachable,
            error.to_string().replace('\n', " "),
        ),
        Ok(Ok(TableState::Current)) => return addresses(database, found).await,
        Ok(Ok(TableState::Older(missing))) => (
            FindingCode::TablesOlder,
            format!("{missing} migrations are missing"),
        ),
        Ok(Ok(TableState::Newer(newest))) => (FindingCode::TablesNewer, format!("it has migration {newest}")),
        Ok(Ok(TableState::TooNew(newest))) => {
            (FindingCode::TablesTooNew, format!("it has migration {newest}"))
        }
    };
    found.add(code, format!("{database}: {why}"));
}

/// Reports that all shoppers seem to have one address, by the attempts that are counted.
async fn addresses(database: &Database, found: &mut Diagnosis) {
    let counted = timeout(DATABASE_TIMEOUT, database.addresses_of_attempts()).await;
    if let Ok(Ok((addresses, attempts))) = counted
        && addresses <= 1
        && attempts >= ATTEMPTS_MIN
    {
        let what = format!("the last {attempts} attempts to pay came from one address, or from private ones");
        found.add(FindingCode::ClientIpUnknown, what);
    }
}

/// The origin: an address without user, password, path and query.
pub(super) fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}
