//! How the page's own cookies are set.

/// As long as browsers keep a cookie, in days.
pub const COOKIE_DAYS_MAX: u16 = 400;
const SECONDS_PER_DAY: u32 = 24 * 60 * 60;

/// What a cookie of the page is set with that works in a frame, too, and lasts `days`.
pub fn cookie_attributes(is_https: bool, days: u16) -> String {
    let max_age = u32::from(days) * SECONDS_PER_DAY;
    let reach = if is_https {
        "SameSite=None; Secure; Partitioned"
    } else {
        "SameSite=Lax"
    };
    format!("Path=/; Max-Age={max_age}; {reach}")
}
