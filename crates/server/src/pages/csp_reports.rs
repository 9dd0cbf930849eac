//! `POST /csp-reports`: browsers report violations of a page's content security policy. Reports are counted by directive.
//! No other part of a report is kept or logged, because reports contain addresses with payloads. Any client can post here,
//! so the requests of each client are limited, and the log has at most one line a minute.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::state::ServedPages;
use web::{ClientAddress, FirstItems, RequestLimit, count_limit, counted_network};

/// The directives of our policies. A report about any other counts as `other`.
const DIRECTIVES: &str = "base-uri connect-src default-src form-action frame-ancestors frame-src img-src \
     require-trusted-types-for script-src script-src-attr script-src-elem style-src style-src-attr style-src-elem";
/// How many reports in one request are counted.
const REPORTS_MAX: usize = 32;
/// How many requests with reports a client may send in a minute. A page under attack sends some.
const REQUESTS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(60).expect("not zero");
/// The shortest time between two log lines.
const LOG_PAUSE: Duration = Duration::from_secs(60);

/// The limit of each client, and the reports that are not logged yet.
#[derive(Debug)]
pub(crate) struct CspReports {
    clients: DefaultKeyedRateLimiter<IpAddr>,
    // A std mutex, because no await happens while it is held.
    unlogged: Mutex<UnloggedReports>,
}

#[derive(Debug, Default)]
struct UnloggedReports {
    logged_at: Option<Instant>,
    reports: BTreeMap<&'static str, u64>,
}

impl Default for CspReports {
    fn default() -> Self {
        Self {
            clients: RateLimiter::dashmap(Quota::per_minute(REQUESTS_PER_MINUTE)),
            unlogged: Mutex::default(),
        }
    }
}

impl CspReports {
    /// Whether the client may report now. Clients behind one proxy's address share a limit, because lost reports do no
    /// harm.
    fn may_report(&self, client: IpAddr) -> bool {
        let client = counted_network(client).unwrap_or(client);
        self.clients.check_key(&client).is_ok()
    }

    /// Forgets clients that have their full limit again.
    pub(crate) fn remove_idle_clients(&self) {
        self.clients.retain_recent();
        self.clients.shrink_to_fit();
    }

    /// Writes one log line for all reports since the last one.
    fn log(&self, directives: &[&'static str]) {
        let mut unlogged = self.unlogged.lock().unwrap_or_else(PoisonError::into_inner);
        for directive in directives {
            *unlogged.reports.entry(directive).or_insert(0) += 1;
        }
        if unlogged.logged_at.is_some_and(|at| at.elapsed() < LOG_PAUSE) {
            return;
        }
        unlogged.logged_at = Some(Instant::now());
        let reports = std::mem::take(&mut unlogged.reports);
        drop(unlogged);
        let list: Vec<_> = reports
            .iter()
            .map(|(directive, count)| format!("{directive} {count}"))
            .collect();
        tracing::warn!(
            reports = list.join(", "),
            "browsers report violations of the page's policy"
        );
    }
}

/// The body that `report-uri` sends: one report. Older browsers name the violated directive together with its values.
#[derive(Deserialize)]
struct Single {
    #[serde(rename = "csp-report")]
    report: CspReport,
}

/// An entry of the body that `report-to` sends: a list of reports of all kinds.
#[derive(Deserialize)]
struct Listed {
    body: CspReport,
}

/// Browsers name the directive in one or two of these fields.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CspReport {
    #[serde(rename = "effectiveDirective")]
    effective: String,
    #[serde(rename = "effective-directive")]
    effective_dashed: String,
    #[serde(rename = "violated-directive")]
    violated: String,
}

impl CspReport {
    fn directive(&self) -> Option<&'static str> {
        [&self.effective, &self.effective_dashed, &self.violated]
            .into_iter()
            .find(|name| !name.is_empty())
            .map(|name| known(name))
    }
}

/// Counts the reports.
pub(crate) async fn csp_reports(
    State(served): State<Arc<ServedPages>>,
    ClientAddress(client): ClientAddress,
    body: Bytes,
) -> StatusCode {
    if !served.csp_reports.may_report(client) {
        count_limit(RequestLimit::CspReports);
        return StatusCode::TOO_MANY_REQUESTS;
    }
    let directives = directives(&body);
    if directives.is_empty() {
        return StatusCode::BAD_REQUEST;
    }
    for directive in &directives {
        served.metrics.count_violation(directive);
    }
    served.csp_reports.log(&directives);
    StatusCode::NO_CONTENT
}

fn directives(body: &[u8]) -> Vec<&'static str> {
    if let Ok(single) = serde_json::from_slice::<Single>(body) {
        return single.report.directive().into_iter().collect();
    }
    let Ok(listed) = serde_json::from_slice::<FirstItems<&RawValue, REPORTS_MAX>>(body) else {
        return Vec::new();
    };
    let listed = listed.items.into_iter();
    listed
        .filter_map(|report| serde_json::from_str::<Listed>(report.get()).ok())
        .filter_map(|listed| listed.body.directive())
        .collect()
}

fn known(reported: &str) -> &'static str {
    let name = reported.split(' ').next().unwrap_or_default();
    let mut directives = DIRECTIVES.split_whitespace();
    directives.find(|directive| *directive == name).unwrap_or("other")
}

#[cfg(test)]
mod tests;
