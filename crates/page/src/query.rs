//! The query of the form page (docs/form.md#query). Only the payload can make the page fail.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use protocol::{FormOptions, ServiceAddress};
use rules::origin::{HOST_BYTES_MAX, LABEL_BYTES_MAX};

use super::options;
use super::settings::PageSettings;

/// The port of a dynamic environment's service (docs/calls.md#dynamic-environments).
const DYNAMIC_ENVIRONMENT_PORT: u16 = 8_092;
/// The largest number that a page's script can represent exactly: 2⁵³ - 1.
const INIT_TIME_MAX: u64 = 9_007_199_254_740_991;

/// The names of the parameters, in the order of the fields of [`FormQuery`].
const PARAMETERS: [&str; 5] = ["payload", "options", "customStyle", "origin", "init_time"];

/// The parameters of the page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FormQuery {
    /// The charge intent in base64; read by [`protocol::ChargeIntent::from_payload`].
    pub payload: String,
    /// The options of the integration, JSON.
    pub options: String,
    /// `customStyle`: the theme, JSON; read by [`super::theme::Theme`].
    pub custom_style: String,
    /// The host of a dynamic environment; read by [`FormQuery::service`].
    pub origin: String,
    /// When the shopper started on the way to the page; read by [`FormQuery::init_time_ms`].
    pub init_time: String,
}

impl FormQuery {
    /// The parameters in the query of an address. Others are ignored. A query that has one of them twice has none: which
    /// one is meant is not known. Ours and not `serde_urlencoded`, which looks at each byte of a payload four times.
    pub fn read(query: &str) -> Self {
        let mut values: [Option<String>; PARAMETERS.len()] = Default::default();
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decoded(name);
            let Some(place) = PARAMETERS.iter().position(|known| *known == name) else {
                continue;
            };
            if values[place].replace(decoded(value).into_owned()).is_some() {
                return Self::default();
            }
        }
        let [payload, options, custom_style, origin, init_time] = values.map(Option::unwrap_or_default);
        Self {
            payload,
            options,
            custom_style,
            origin,
            init_time,
        }
    }

    /// The options; invalid ones are ignored.
    pub fn form_options(&self) -> FormOptions {
        options::read(options::parsed_or_logged(&self.options))
    }

    /// The service that the page calls: the dynamic environment that `origin` names, if it is a host below the
    /// operator's suffix, otherwise ours. A card is never sent to a host that only a link names.
    pub fn service(&self, settings: &PageSettings) -> ServiceAddress {
        let suffix = settings.dynamic_environment_suffix.as_deref();
        let host = self.origin.to_ascii_lowercase();
        let is_below = |suffix: &str| {
            let before = host.strip_suffix(suffix).and_then(|rest| rest.strip_suffix('.'));
            before.is_some_and(|name| !name.is_empty()) && is_host(&host)
        };
        if suffix.is_some_and(is_below) {
            let scheme = if settings.is_https { "https" } else { "http" };
            ServiceAddress::dynamic(format!("{scheme}://{host}:{DYNAMIC_ENVIRONMENT_PORT}"))
        } else {
            ServiceAddress::default()
        }
    }

    /// When the shopper started on the way to the page, in milliseconds since 1970, without fractions. An invalid time
    /// is ignored.
    pub fn init_time_ms(&self) -> Option<u64> {
        let (whole, fraction) = self.init_time.split_once('.').unwrap_or((&self.init_time, "0"));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let time: u64 = (are_digits(whole) && are_digits(fraction)).then(|| whole.parse().ok())??;
        (1..=INIT_TIME_MAX).contains(&time).then_some(time)
    }
}

/// A name or value of a query, as forms encode it. Bytes that are not UTF-8 are replaced.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') && !text.contains('+') {
        return text.into();
    }
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8_lossy().into_owned();
    decoded.into()
}

/// Whether `text` is a host name in lower case with at least two parts. A part in another script is refused, because
/// such names can look like another host's.
pub fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_BYTES_MAX).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && !label.starts_with("xn--")
            && label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    text.len() <= HOST_BYTES_MAX && text.contains('.') && text.split('.').all(is_label)
}

#[cfg(test)]
mod tests;
