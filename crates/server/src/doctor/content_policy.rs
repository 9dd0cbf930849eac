//! Whether a page's content security policy lets something of ours load (CSP level 3).

use url::Url;

/// One policy: its directives, names in lower case; of a name that comes twice the first counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContentPolicy(Vec<(String, Vec<String>)>);

/// Which of a page's requests is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedLoad {
    Frame,
    Script,
    Connection,
}

impl AskedLoad {
    /// The directives that say it, the most exact first.
    fn directives(self) -> &'static [&'static str] {
        match self {
            Self::Frame => &["frame-src", "child-src", "default-src"],
            Self::Script => &["script-src-elem", "script-src", "default-src"],
            Self::Connection => &["connect-src", "default-src"],
        }
    }
}

impl ContentPolicy {
    /// The policies of a header or of a `<meta>`.
    pub(super) fn all_of(text: &str) -> Vec<Self> {
        let policies = text.split(',').map(Self::parse);
        policies.filter(|policy| !policy.0.is_empty()).collect()
    }

    fn parse(text: &str) -> Self {
        let mut directives: Vec<(String, Vec<String>)> = Vec::new();
        for part in text.split(';') {
            let mut words = part.split_ascii_whitespace();
            let Some(name) = words.next().map(str::to_ascii_lowercase) else {
                continue;
            };
            if directives.iter().all(|(known, _)| *known != name) {
                directives.push((name, words.map(str::to_owned).collect()));
            }
        }
        Self(directives)
    }

    /// The directive that keeps `url` from loading into `page`, as it is written; `None` if it may load. A nonce or
    /// 'strict-dynamic' lets scripts load whose addresses are not listed, so nothing is said about them.
    pub(super) fn forbids(&self, wanted: AskedLoad, url: &Url, page: &Url) -> Option<String> {
        let (name, sources) = wanted
            .directives()
            .iter()
            .find_map(|name| self.0.iter().find(|(known, _)| known == name))?;
        let is_open = |source: &String| source.starts_with("'nonce-") || source == "'strict-dynamic'";
        if wanted == AskedLoad::Script && sources.iter().any(is_open) {
            return None;
        }
        let is_allowed = sources.iter().any(|source| matches(source, url, page));
        (!is_allowed).then(|| format!("{name} {}", sources.join(" ")).trim_end().to_owned())
    }
}

/// Whether a source of a policy stands for this address.
fn matches(source: &str, url: &Url, page: &Url) -> bool {
    let source = source.to_ascii_lowercase();
    if source == "*" {
        return matches!(url.scheme(), "http" | "https") || url.scheme() == page.scheme();
    }
    if source == "'self'" {
        return url.origin() == page.origin();
    }
    if source.starts_with('\'') {
        return false;
    }
    if let Some(scheme) = source.strip_suffix(':') {
        return is_scheme(scheme, url.scheme());
    }
    let (scheme, rest) = match source.split_once("://") {
        Some((scheme, rest)) => (scheme, rest),
        None => (page.scheme(), source.as_str()),
    };
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    is_scheme(scheme, url.scheme())
        && is_host(host, url.host_str().unwrap_or_default())
        && is_port(port, url)
        && is_path(path, url.path())
}

/// A source of http stands for https, too.
fn is_scheme(allowed: &str, scheme: &str) -> bool {
    allowed == scheme || (allowed == "http" && scheme == "https")
}

fn is_host(allowed: &str, host: &str) -> bool {
    match allowed.strip_prefix("*.") {
        Some(end) => host.strip_suffix(end).is_some_and(|begin| begin.ends_with('.')),
        None => allowed == "*" || allowed == host,
    }
}

fn is_port(allowed: Option<&str>, url: &Url) -> bool {
    let port = url.port_or_known_default();
    match allowed {
        Some("*") => true,
        Some(text) => {
            let allowed = text.parse::<u16>().ok();
            allowed == port || (allowed == Some(80) && port == Some(443))
        }
        None => url.port().is_none(),
    }
}

fn is_path(allowed: &str, path: &str) -> bool {
    match allowed {
        "" | "/" => true,
        folder if folder.ends_with('/') => path.starts_with(folder),
        file => path == file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forbidden(policy: &str, wanted: AskedLoad) -> bool {
        let url = Url::parse("https://pay.example/sdk/cardform.js").unwrap();
        let page = Url::parse("https://shop.example/checkout").unwrap();
        let policies = ContentPolicy::all_of(policy);
        policies
            .iter()
            .any(|policy| policy.forbids(wanted, &url, &page).is_some())
    }

    #[test]
    fn a_policy_allows_what_its_sources_stand_for() {
        for sources in [
            "*",
            "https:",
            "http:",
            "pay.example",
            "https://pay.example",
            "http://pay.example",
            "https://PAY.example:443",
            "https://pay.example:*",
            "https://*.example",
            "pay.example/sdk/",
            "https://pay.example/sdk/cardform.js",
            "'self' https://pay.example",
        ] {
            assert!(
                !forbidden(&format!("script-src {sources}"), AskedLoad::Script),
                "{sources}"
            );
        }
        for sources in [
            "",
            "'none'",
            "'self'",
            "data:",
            "shop.example",
            "https://*.pay.example",
            "https://pay.example:8443",
            "https://pay.example/other/",
            "'unsafe-inline'",
        ] {
            assert!(
                forbidden(&format!("script-src {sources}"), AskedLoad::Script),
                "{sources}"
            );
        }
    }

    #[test]
    fn the_most_exact_directive_counts() {
        assert!(forbidden("default-src 'none'", AskedLoad::Frame));
        assert!(!forbidden(
            "default-src 'none'; frame-src https://pay.example",
            AskedLoad::Frame
        ));
        assert!(forbidden("frame-src 'self'; child-src *", AskedLoad::Frame));
        assert!(!forbidden("child-src *; default-src 'none'", AskedLoad::Frame));
        assert!(!forbidden("script-src 'none'", AskedLoad::Connection));
        assert!(!forbidden("upgrade-insecure-requests", AskedLoad::Frame));
        // The first of two counts, and of two policies each.
        assert!(forbidden("frame-src 'none'; frame-src *", AskedLoad::Frame));
        assert!(forbidden("frame-src *, frame-src 'none'", AskedLoad::Frame));
    }

    #[test]
    fn a_nonce_may_let_the_script_pass() {
        assert!(!forbidden("script-src 'nonce-abc'", AskedLoad::Script));
        assert!(!forbidden(
            "script-src 'strict-dynamic' 'sha256-abc'",
            AskedLoad::Script
        ));
        assert!(forbidden("frame-src 'nonce-abc'", AskedLoad::Frame));
    }
}
