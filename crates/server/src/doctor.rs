//! `cardform doctor`: what is wrong with an installation, or with a merchant's page that embeds the form.

mod finding;
mod merchant_page;
mod running_service;
mod settings;

use protocol::Sensitive;
use protocol::clock::Clock;
use reqwest::Client;
use url::Url;

pub use self::finding::{Diagnosis, DoctorFinding, FindingCode, Severity};
use crate::config::{Config, reachable};
use crate::evidence::probe::Probe;

/// What is looked at.
#[derive(Debug, Default)]
pub struct DoctorTargets {
    /// The settings of the service; `None` if they are not known here.
    pub config: Option<Config>,
    /// The origin at which the service runs; otherwise the settings say it.
    pub url: Option<Url>,
    /// The merchant's page.
    pub page: Option<Url>,
    /// A payload that the merchant's page embeds.
    pub payload: Option<String>,
    /// A client secret.
    pub client_secret: Option<Sensitive>,
}

/// Looks at everything that is named, one thing after the other. Each call has a limit of time.
pub async fn diagnose(targets: &DoctorTargets, clock: &Clock) -> Result<Diagnosis, reqwest::Error> {
    let client = Client::builder()
        .no_proxy()
        .user_agent(concat!("Cardform-doctor/", env!("CARGO_PKG_VERSION")));
    let probe = Probe::new(client, clock.clone())?;
    let mut diagnosis = Diagnosis::default();
    if let Some(config) = &targets.config {
        settings::examine(config, targets.url.as_ref(), &probe, &mut diagnosis).await;
    } else {
        diagnosis.skip("the settings", "none are given (--config)");
    }
    let service = targets
        .url
        .clone()
        .or_else(|| targets.config.as_ref().and_then(served_at));
    let Some(service) = service else {
        diagnosis.skip("the running service", "its address is not known (--url)");
        return Ok(diagnosis);
    };
    let answers = running_service::examine(&service, targets, &probe, &mut diagnosis).await;
    if let Some(page) = &targets.page {
        merchant_page::examine(page, &service, targets, answers, &probe, &mut diagnosis).await;
    }
    Ok(diagnosis)
}

/// Where the settings say that the service can be reached.
fn served_at(config: &Config) -> Option<Url> {
    let text = config.public_url.clone().unwrap_or_else(|| {
        let scheme = if config.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", reachable(config.listen))
    });
    Url::parse(&text).ok()
}
