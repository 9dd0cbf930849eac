//! Sets and reads the page's own cookies. Ours and not `axum-extra`'s jar: the browser writes the same cookies with the
//! same attributes, which stand here once as the text that both use.

use axum::http::{HeaderMap, header};

/// The longest time that browsers keep a cookie, in days.
pub const COOKIE_DAYS_MAX: u16 = 400;
const SECONDS_PER_DAY: u32 = 24 * 60 * 60;

/// Browsers send the cookie in frames of other sites, too, with a separate cookie for each site.
pub(crate) const IN_FRAMES: &str = "SameSite=None; Secure; Partitioned";
/// Browsers send the cookie on the page's own site.
pub(crate) const ON_OWN_SITE: &str = "SameSite=Lax";
/// Browsers send the cookie on the page's own site, over https only.
pub(crate) const ON_OWN_SITE_OVER_HTTPS: &str = "SameSite=Lax; Secure";

/// The attributes of a cookie that also works in a frame and lasts `days`.
pub fn cookie_attributes(is_https: bool, days: u16) -> String {
    attributes(days, if is_https { IN_FRAMES } else { ON_OWN_SITE })
}

/// The attributes of a cookie that lasts `days`.
pub(crate) fn attributes(days: u16, reach: &str) -> String {
    let max_age = u32::from(days) * SECONDS_PER_DAY;
    format!("Path=/; Max-Age={max_age}; {reach}")
}

/// The values of a request's cookies with this name.
pub fn cookie_values<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(move |(own, _)| *own == name)
        .map(|(_, value)| value)
}
