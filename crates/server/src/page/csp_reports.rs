//! `POST /csp-reports`: what browsers report that a page's policy forbade. Counted by directive; of the report itself,
//! which names addresses with payloads in them, nothing is kept or logged.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;

use crate::app::SharedApp;

/// The directives of our policies; a report of any other counts as `other`.
const DIRECTIVES: [&str; 14] = [
    "base-uri",
    "connect-src",
    "default-src",
    "form-action",
    "frame-ancestors",
    "frame-src",
    "img-src",
    "require-trusted-types-for",
    "script-src",
    "script-src-attr",
    "script-src-elem",
    "style-src",
    "style-src-attr",
    "style-src-elem",
];
/// How many reports of one request count.
const REPORTS_MAX: usize = 32;

/// What `report-uri` sends: one report. Older browsers name the violated directive with its values.
#[derive(Deserialize)]
struct Single {
    #[serde(rename = "csp-report")]
    report: Report,
}

/// What `report-to` sends: a list of reports of any kind.
#[derive(Deserialize)]
struct Listed {
    body: Report,
}

/// Browsers name the directive in one of these ways, or in two.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Report {
    #[serde(rename = "effectiveDirective")]
    effective: String,
    #[serde(rename = "effective-directive")]
    effective_dashed: String,
    #[serde(rename = "violated-directive")]
    violated: String,
}

impl Report {
    fn directive(&self) -> Option<&'static str> {
        [&self.effective, &self.effective_dashed, &self.violated]
            .into_iter()
            .find(|name| !name.is_empty())
            .map(|name| known(name))
    }
}

/// Counts the reports. A browser is told nothing of what became of them.
pub(crate) async fn csp_reports(State(app): State<SharedApp>, body: Bytes) -> StatusCode {
    let directives = directives(&body);
    if directives.is_empty() {
        return StatusCode::BAD_REQUEST;
    }
    for directive in directives {
        app.metrics.violated(directive);
        tracing::warn!(directive, "a browser reports a violation of the page's policy");
    }
    StatusCode::NO_CONTENT
}

fn directives(body: &[u8]) -> Vec<&'static str> {
    if let Ok(single) = serde_json::from_slice::<Single>(body) {
        return single.report.directive().into_iter().collect();
    }
    let listed: Vec<serde_json::Value> = serde_json::from_slice(body).unwrap_or_default();
    listed
        .into_iter()
        .take(REPORTS_MAX)
        .filter_map(|report| serde_json::from_value::<Listed>(report).ok())
        .filter_map(|listed| listed.body.directive())
        .collect()
}

fn known(reported: &str) -> &'static str {
    let name = reported.split(' ').next().unwrap_or_default();
    DIRECTIVES
        .into_iter()
        .find(|directive| *directive == name)
        .unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_are_read_and_only_our_own_words_are_kept() {
        let single = br#"{"csp-report":{"document-uri":"https://pay.example/?payload=x","violated-directive":"script-src 'self'"}}"#;
        assert_eq!(directives(single), ["script-src"]);
        let both = br#"{"csp-report":{"violated-directive":"img-src","effective-directive":"img-src","disposition":"enforce"}}"#;
        assert_eq!(directives(both), ["img-src"]);
        let listed = br#"[{"type":"csp-violation","body":{"effectiveDirective":"img-src"}},
            {"type":"deprecation","body":{"id":"x"}},
            {"type":"csp-violation","body":{"effectiveDirective":"4242424242424242"}}]"#;
        assert_eq!(directives(listed), ["img-src", "other"]);
        for nothing in [&b""[..], b"{}", b"[]", b"[1]", b"\xff", b"{\"csp-report\":7}"] {
            assert!(directives(nothing).is_empty());
        }
    }
}
