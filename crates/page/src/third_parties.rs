//! Third parties that the page may use if the operator configures them: the fraud prevention's script for a merchant's
//! site, and a look-up of the client's address.

use protocol::FraudScript;
use url::Url;

use super::cookie::cookie_attributes;

/// The placeholder for the site's id in the script's URL.
const SITE_ID: &str = "{site_id}";
/// The longest site id that is read, in bytes.
const SITE_ID_BYTES_MAX: usize = 64;

/// The fraud prevention's scripts, one for each site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FraudScripts {
    template: String,
    /// The origins that the script sends to, for the policy.
    pub origins: Vec<String>,
    /// The cookie with its token.
    cookie: String,
    /// How many days that cookie lasts.
    cookie_days: u16,
}

impl FraudScripts {
    /// The scripts at `template`, which has the site's id in its path; `None` if a policy cannot name them one by one.
    pub fn new(template: &str, origins: Vec<String>, cookie: &str, cookie_days: u16) -> Option<Self> {
        let scripts = Self {
            template: template.to_owned(),
            origins,
            cookie: cookie.to_owned(),
            cookie_days,
        };
        let url = scripts.url("x")?;
        let parsed = Url::parse(&url).ok()?;
        let is_named = template.matches(SITE_ID).count() == 1
            && parsed.as_str() == url
            && parsed.host_str().is_some()
            && parsed.query().is_none()
            && parsed.fragment().is_none()
            // These characters would end the address in a policy.
            && !url.contains([';', ',', ' ', '\''])
            && Url::parse(&scripts.url("y")?).ok()?.origin() == parsed.origin();
        is_named.then_some(scripts)
    }

    /// The part of the address before the site's id.
    pub fn before_site_id(&self) -> &str {
        self.template.split(SITE_ID).next().unwrap_or_default()
    }

    /// The address of the site's script; `None` for an invalid site id.
    pub fn url(&self, site_id: &str) -> Option<String> {
        is_site_id(site_id).then(|| self.template.replace(SITE_ID, site_id))
    }

    /// The site's script as the page gets it (docs/experiments.md#the-fraud-preventions-script).
    pub fn script(&self, site_id: &str, is_https: bool) -> Option<FraudScript> {
        Some(FraudScript {
            url: self.url(site_id)?,
            cookie: self.cookie.clone(),
            cookie_attributes: cookie_attributes(is_https, self.cookie_days),
        })
    }
}

/// Whether `text` can be the id of a site at a fraud prevention.
pub fn is_site_id(text: &str) -> bool {
    (1..=SITE_ID_BYTES_MAX).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// The service that tells the page the client's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IpLookup {
    /// Answers the address as text.
    pub url: String,
    /// Its origin, if it is not our own.
    pub origin: Option<String>,
}

/// Our own look-up.
impl Default for IpLookup {
    fn default() -> Self {
        Self {
            url: "/v1/pub/ip".to_owned(),
            origin: None,
        }
    }
}

impl IpLookup {
    /// A look-up at `url`; `None` if that is not a web address.
    pub fn at(url: &str) -> Option<Self> {
        let origin = Url::parse(url).ok()?.origin();
        origin.is_tuple().then(|| Self {
            url: url.to_owned(),
            origin: Some(origin.ascii_serialization()),
        })
    }
}

#[cfg(test)]
mod tests;
