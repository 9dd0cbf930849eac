//! What a page may do: the content security policy and related headers.

use aws_lc_rs::digest;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol::FRAUD_SCRIPT_POLICY;
use rules::AllowedOrigin;

/// The headers of every page whose names the `http` crate does not have.
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The header that says which sites may load the answer.
pub const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The merchant's origins for `frame-ancestors`; an empty list allows any. An invalid origin such as `https://*`, which
/// earlier versions accepted, allows none.
pub fn frame_ancestors(allowed_origins: &[String]) -> String {
    if allowed_origins.is_empty() {
        return "*".to_owned();
    }
    let is_origin = |text: &&str| AllowedOrigin::parse(text).is_some();
    let origins: Vec<_> = allowed_origins
        .iter()
        .map(String::as_str)
        .filter(is_origin)
        .collect();
    if origins.is_empty() {
        "'none'".to_owned()
    } else {
        origins.join(" ")
    }
}

/// The value of `style-src`: the page's own style sheets, and the theme's by its hash.
pub fn style_source(theme: &str) -> String {
    if theme.is_empty() {
        return "'self'".to_owned();
    }
    let hash = digest::digest(&digest::SHA256, theme.as_bytes());
    format!("'self' 'sha256-{}'", STANDARD.encode(hash))
}

/// What a page may load besides our own origin. The default is nothing.
#[derive(Default)]
pub struct FormPolicy<'a> {
    /// The origins that may embed the page.
    pub ancestors: String,
    /// The sources of the provider's challenges.
    pub challenges: &'a str,
    /// The origin of the provider's hidden frame that collects device data, if there is one.
    pub device_data: Option<&'a str>,
    /// The origin of another service that the page calls instead of ours; empty for none.
    pub service: &'a str,
    /// Whether the page shows challenges itself, as the standalone page does; on a merchant's page the SDK shows them.
    pub shows_challenges: bool,
    /// The page's style sheets, from [`style_source`].
    pub style: &'a str,
    /// The origins of the theme's web fonts.
    pub fonts: &'a [String],
    /// The fraud prevention's script of this page.
    pub fraud_script: Option<&'a str>,
    /// The origins that the script sends to.
    pub fraud_origins: &'a [String],
    /// The origin that looks up the client's address, if it is not ours.
    pub ip_lookup: Option<&'a str>,
}

impl FormPolicy<'_> {
    /// The value of the header: only what is named is allowed. Reports use `report-uri`, which every browser sends at
    /// once. With `report-to`, Chromium would use only that, late, and never over plain http.
    pub fn to_text(&self) -> String {
        let Self { ancestors, style, .. } = self;
        let after_space = |source: Option<&str>| source.map_or(String::new(), |source| format!(" {source}"));
        let script = after_space(self.fraud_script);
        let types = self.fraud_script.map_or("'none'", |_| FRAUD_SCRIPT_POLICY);
        let fraud_origins = match self.fraud_script {
            Some(_) if !self.fraud_origins.is_empty() => format!(" {}", self.fraud_origins.join(" ")),
            _ => String::new(),
        };
        let service = after_space(Some(self.service).filter(|service| !service.is_empty()));
        let ip_lookup = after_space(self.ip_lookup);
        let device_data = self.device_data.unwrap_or("'none'");
        // A challenge's frame returns to a page of our own. Device data is collected at the origins of challenges.
        let frames = if self.shows_challenges {
            format!("'self' {}{fraud_origins}", self.challenges)
        } else if self.device_data.is_none() && !fraud_origins.is_empty() {
            // 'none' is valid only alone.
            fraud_origins.trim_start().to_owned()
        } else {
            format!("{device_data}{fraud_origins}")
        };
        let fonts = if self.fonts.is_empty() {
            String::new()
        } else {
            format!("; font-src {}", self.fonts.join(" "))
        };
        format!(
            "default-src 'none'; script-src 'self'{script}; style-src {style}; img-src 'self' data:{fraud_origins}; \
             connect-src 'self'{service}{fraud_origins}{ip_lookup}; frame-src {frames}; base-uri 'none'; \
             form-action {device_data}; frame-ancestors {ancestors}; require-trusted-types-for 'script'; \
             trusted-types {types}; report-uri /csp-reports{fonts}"
        )
    }
}

/// The policy of a page that loads only from our own origin.
pub fn policy_text(ancestors: &str) -> String {
    let policy = FormPolicy {
        ancestors: ancestors.to_owned(),
        style: "'self'",
        ..FormPolicy::default()
    };
    policy.to_text()
}

/// The policy of a page that uses only our own origin, and all other headers of a page, for comparing served pages with
/// what they must be.
pub fn headers_of_every_page() -> (String, HeaderMap) {
    let mut headers = HeaderMap::new();
    let policy = policy_text("*");
    lock_down(&mut headers, &policy);
    headers.remove(header::CONTENT_SECURITY_POLICY);
    headers.remove(header::VARY);
    (policy, headers)
}

/// How many headers a page has with those that are added later, such as cookies and the request's id.
const HEADERS: usize = 16;

/// Sets the headers of a document with an intent: no cache stores it, it sends no referrer, and it runs only its own
/// script.
pub fn lock_down(headers: &mut HeaderMap, policy: &str) {
    // Origins are checked when a merchant is added. If a policy is still not valid header text, no page may embed the
    // form.
    let policy = HeaderValue::from_str(policy)
        .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.reserve(HEADERS);
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::VARY,
        HeaderValue::from_static("accept-encoding, accept-language, cookie, sec-fetch-dest"),
    );
    headers.insert(
        PERMISSIONS_POLICY,
        HeaderValue::from_static(
            "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), \
             microphone=(), midi=(), serial=(), usb=()",
        ),
    );
    // A merchant's page that isolates itself may still embed the form.
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    // The page is separated from the window that opened it, but not from the window that it opens itself for a bank's
    // challenge. In a frame this header has no effect.
    headers.insert(
        OPENER_POLICY,
        HeaderValue::from_static("same-origin-allow-popups"),
    );
}

#[cfg(test)]
mod tests;
