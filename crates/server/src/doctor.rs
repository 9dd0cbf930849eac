//! `cardform doctor`: finds mistakes in an installation, and in how a merchant's page embeds the form.

mod exposed;
mod finding;
mod merchant_page;
mod running_service;
mod settings;

use protocol::Sensitive;
use protocol::clock::Clock;
use reqwest::Client;
use reqwest::redirect::Policy;
use url::Url;

pub(crate) use self::exposed::{log_database_exposure, log_exposures};
pub use self::finding::{Diagnosis, DoctorFinding, FindingCode, Severity};
use crate::config::{Config, reachable, web_address};
use crate::evidence::probe::Probe;

/// The service and the merchant's page that are examined.
#[derive(Debug, clap::Args)]
pub struct DoctorTargets {
    /// Where the service runs [default: `public_url`, otherwise the listening address].
    #[arg(long, value_name = "URL", value_parser = web_address)]
    pub url: Option<Url>,
    /// A merchant's page that embeds the form.
    #[arg(long, value_name = "URL", value_parser = web_address)]
    pub page: Option<Url>,
    /// A payload that the page embeds.
    #[arg(long, value_name = "PAYLOAD", env = "CARDFORM_PAYLOAD")]
    pub payload: Option<String>,
    /// A client secret, to check whether it is still valid.
    #[arg(long, value_name = "SECRET", env = "CARDFORM_CLIENT_SECRET")]
    pub client_secret: Option<Sensitive>,
}

/// Examines the settings, if they are known here, and each target, one after the other. Each call has a time limit.
pub async fn diagnose(
    config: Option<&Config>,
    targets: &DoctorTargets,
    clock: &Clock,
) -> Result<Diagnosis, reqwest::Error> {
    let probe_following = |redirects| {
        let client = Client::builder().no_proxy().referer(false).redirect(redirects);
        let client = client.user_agent(concat!("Cardform-doctor/", env!("CARGO_PKG_VERSION")));
        Probe::new(client, clock.clone())
    };
    let probe = probe_following(Policy::none())?;
    let mut diagnosis = Diagnosis::default();
    if let Some(config) = config {
        settings::examine(config, targets.url.as_ref(), &probe, &mut diagnosis).await;
    } else {
        diagnosis.skip("the settings", "none are given (--config)");
    }
    let Some(service) = targets.url.clone().or_else(|| config.and_then(served_at)) else {
        diagnosis.skip("the running service", "its address is not known (--url)");
        return Ok(diagnosis);
    };
    let answers = running_service::examine(&service, targets, &probe, &mut diagnosis).await;
    if let Some(page) = &targets.page {
        let probe = probe_following(Policy::limited(merchant_page::REDIRECTS_MAX))?;
        merchant_page::examine(page, &service, targets, answers, &probe, &mut diagnosis).await;
    }
    Ok(diagnosis)
}

/// The service's address in the settings.
fn served_at(config: &Config) -> Option<Url> {
    let text = config.public_url.clone().unwrap_or_else(|| {
        let scheme = if config.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", reachable(config.listen))
    });
    Url::parse(&text).ok()
}
