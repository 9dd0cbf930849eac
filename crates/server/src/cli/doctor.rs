//! The arguments of `cardform doctor`.

use std::convert::Infallible;

use clap::Args;
use url::Url;
use wire::Sensitive;

use crate::config::Settings;

/// `cardform doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Where the service runs [default: `public_url`, otherwise the listening address].
    #[arg(long, value_name = "URL", value_parser = web_address)]
    pub url: Option<Url>,
    /// A merchant's page that embeds the form.
    #[arg(long, value_name = "URL", value_parser = web_address)]
    pub page: Option<Url>,
    /// A payload that the page embeds.
    #[arg(long, value_name = "PAYLOAD", env = "CARDFORM_PAYLOAD")]
    pub payload: Option<String>,
    /// A client secret, to see whether it still counts.
    #[arg(long, value_name = "SECRET", env = "CARDFORM_CLIENT_SECRET", value_parser = secret)]
    pub client_secret: Option<Sensitive>,
    /// The settings of the service. Without any, and with --url, they are not looked at.
    #[command(flatten)]
    pub settings: Settings,
}

fn web_address(text: &str) -> Result<Url, String> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .ok_or_else(|| "must be an http(s) URL".to_owned())
}

#[allow(clippy::unnecessary_wraps, reason = "clap takes a fallible reader")]
fn secret(text: &str) -> Result<Sensitive, Infallible> {
    Ok(Sensitive::new(text.to_owned()))
}
