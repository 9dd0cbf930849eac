//! What a page may do: the content security policy and the headers around it.

use aws_lc_rs::digest;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rules::AllowedOrigin;

/// Whose pages may load what is answered, however they load it.
pub const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The merchant's origins for `frame-ancestors`; none named: any. What is no origin, as `https://*`, which earlier
/// versions took, lets nobody in.
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

/// For `style-src`: the page's own style sheets, and the theme's by its hash.
pub fn style_source(theme: &str) -> String {
    if theme.is_empty() {
        return "'self'".to_owned();
    }
    let hash = digest::digest(&digest::SHA256, theme.as_bytes());
    format!("'self' 'sha256-{}'", STANDARD.encode(hash))
}

/// What the form page may reach beyond our own origin: the provider's pages, where it needs them.
pub struct FormPolicy<'a> {
    /// The origins that may embed the page.
    pub ancestors: String,
    /// Where the provider's challenges are.
    pub challenges: String,
    /// Where a hidden frame of the provider collects device data, if one does.
    pub device_data: Option<String>,
    /// The origin of the service that the page calls in our place; empty for none.
    pub service: &'a str,
    /// The standalone page shows challenges itself; on a merchant's page the SDK does.
    pub shows_challenges: bool,
    /// The page's style sheets, as [`style_source`] has them.
    pub style: &'a str,
    /// Where the theme's web fonts are.
    pub fonts: &'a [String],
    /// The fraud prevention's script of this page.
    pub fraud_script: Option<&'a str>,
    /// The origins that the script talks to.
    pub fraud_origins: &'a [String],
    /// Where the client's address is looked up, if not here.
    pub ip_lookup: Option<&'a str>,
}

/// What a page may reach at others. Each text begins with a space, or is empty.
#[derive(Default)]
struct Beyond {
    scripts: String,
    connections: String,
    origins: String,
}

/// The one policy of Trusted Types that makes the address of a script: the fraud prevention's
/// (`form/src/payments/fraud-token.ts`).
pub const FRAUD_SCRIPT_POLICY: &str = "cardform-fraud-script";

impl FormPolicy<'_> {
    /// As the header has it.
    pub fn to_text(&self) -> String {
        let device_data = self.device_data.as_deref().unwrap_or("'none'");
        // A challenge's frame comes back to a page of our own. Device data is collected where challenges are.
        let frames = if self.shows_challenges {
            format!("'self' {}", self.challenges)
        } else {
            device_data.to_owned()
        };
        let mut beyond = Beyond::default();
        if let Some(script) = self.fraud_script {
            beyond.scripts = format!(" {script}");
            for origin in self.fraud_origins {
                beyond.origins.push(' ');
                beyond.origins.push_str(origin);
            }
        }
        beyond.connections.clone_from(&beyond.origins);
        if let Some(origin) = self.ip_lookup {
            beyond.connections = format!("{} {origin}", beyond.connections);
        }
        let calls = format!("'self' {}", self.service);
        let policy = text(
            &self.ancestors,
            self.style,
            calls.trim_end(),
            &frames,
            device_data,
            &beyond,
        );
        if self.fonts.is_empty() {
            return policy;
        }
        format!("{policy}; font-src {}", self.fonts.join(" "))
    }
}

/// The policy of any page: only what is named is allowed. Reports go by `report-uri`, which every browser sends at once;
/// where there is `report-to`, Chromium sends them by that alone, late, and over plain http never.
pub fn policy_text(ancestors: &str, style: &str, calls: &str, frames: &str, forms: &str) -> String {
    text(ancestors, style, calls, frames, forms, &Beyond::default())
}

fn text(ancestors: &str, style: &str, calls: &str, frames: &str, forms: &str, beyond: &Beyond) -> String {
    let Beyond {
        scripts,
        connections,
        origins,
    } = beyond;
    // 'none' counts only where it stands alone.
    let frames = match (frames, origins.trim_start()) {
        ("'none'", origins) if !origins.is_empty() => origins.to_owned(),
        (frames, _) => format!("{frames}{origins}"),
    };
    let types = if scripts.is_empty() {
        "'none'"
    } else {
        FRAUD_SCRIPT_POLICY
    };
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src {style}; img-src 'self' data:{origins}; \
         connect-src {calls}{connections}; frame-src {frames}; base-uri 'none'; form-action {forms}; \
         frame-ancestors {ancestors}; require-trusted-types-for 'script'; trusted-types {types}; \
         report-uri /csp-reports"
    )
}

/// The policy of a page that reaches nothing but ourselves, and every other header of a page, for who compares pages
/// with what they must be.
pub fn headers_of_every_page() -> (String, HeaderMap) {
    let mut headers = HeaderMap::new();
    let policy = policy_text("*", "'self'", "'self'", "'none'", "'none'");
    lock_down(&mut headers, &policy);
    headers.remove(header::CONTENT_SECURITY_POLICY);
    headers.remove(header::VARY);
    (policy, headers)
}

/// The document holds an intent: it is kept by no cache, sends no referrer, and runs nothing but its own script.
pub fn lock_down(headers: &mut HeaderMap, policy: &str) {
    // Origins are checked when a merchant is added; what is no header text after all embeds nowhere.
    let policy = HeaderValue::from_str(policy)
        .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
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
        "permissions-policy",
        HeaderValue::from_static(
            "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), \
             microphone=(), midi=(), serial=(), usb=()",
        ),
    );
    // A merchant's page that isolates itself may still embed the form.
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    // The page has nothing to do with the window that opened it. It keeps the one that it opens itself: a bank's challenge
    // that allows no frame. In a frame this says nothing.
    headers.insert(
        "cross-origin-opener-policy",
        HeaderValue::from_static("same-origin-allow-popups"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ancestors(origins: &[&str]) -> String {
        let origins: Vec<_> = origins.iter().map(|origin| (*origin).to_owned()).collect();
        frame_ancestors(&origins)
    }

    #[test]
    fn only_origins_may_embed_and_any_only_where_none_is_named() {
        assert_eq!(ancestors(&[]), "*");
        assert_eq!(
            ancestors(&["https://shop.example", "https://*.shop.example"]),
            "https://shop.example https://*.shop.example"
        );
        assert_eq!(
            ancestors(&["https://*", "https://shop.example"]),
            "https://shop.example"
        );
        assert_eq!(
            ancestors(&["https://*", "*", "https://a.example;script-src"]),
            "'none'"
        );
    }
}
