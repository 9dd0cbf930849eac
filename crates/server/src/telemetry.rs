//! Logs to standard error: one line per request, which never contains a query string, a header, a body or a value of a
//! header or body. No task waits until a line is written.

pub(crate) mod health_metrics;
mod log_writer;
mod logging;
pub mod metrics;
mod process_metrics;
pub mod traces;

pub use self::logging::{LogFormat, Logging};

pub(crate) use self::log_writer::DROPPED;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use protocol::clock::Clock;
use protocol::ids::{IdKind, new_id};
use tracing::level_filters::LevelFilter;
use tracing::{Instrument, Metadata, Span, Subscriber};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::{EnvFilter, Registry};

use self::log_writer::LogWriter;
use self::metrics::Metrics;
use self::traces::{Traces, describe_request, trace_of};
pub use web::request_ids::for_request;
pub use web::{RequestIds, TraceContext};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACE_ID: HeaderName = HeaderName::from_static("x-trace-id");

/// Starts logging, and collects spans for `traces`. The filter has the syntax of `RUST_LOG` and applies to our own
/// lines. Dependencies may only log warnings and errors, because at finer levels they log data.
pub fn start(logging: &Logging, traces: Option<&Traces>) -> Result<(), String> {
    let ours = EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .parse(&logging.log)
        .map_err(|error| format!("the log filter is unusable: {error}"))?;
    std::panic::set_hook(Box::new(log_panic));
    let writer = LogWriter::start(std::io::stderr(), log_dropped)
        .map_err(|error| format!("the log cannot be written: {error}"))?;
    let writer = WRITER.get_or_init(|| writer).clone();
    // There is no bridge from the `log` crate, so what dependencies log there is dropped.
    tracing::subscriber::set_global_default(subscriber(ours, logging.log_format, writer, traces))
        .map_err(|_| "logging was started twice".to_owned())
}

/// The writer to standard error, once logging has started.
static WRITER: OnceLock<LogWriter> = OnceLock::new();

/// Waits a moment until all lines are written; for the end of the process.
pub fn flush() {
    if let Some(writer) = WRITER.get() {
        writer.flush();
    }
}

fn log_dropped(lines: u64) {
    tracing::warn!(lines, "log lines dropped because the log was not read in time");
}

/// Logs where the panic was, but not its message, which may contain a value.
fn log_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let at = panic.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(at, "panicked");
}

fn subscriber<W>(
    ours: EnvFilter,
    format: LogFormat,
    writer: W,
    traces: Option<&Traces>,
) -> impl Subscriber + Send + Sync + use<W>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(writer)
        .with_ansi(false);
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    let lines = lines.with_filter(filter_fn(may_be_logged)).with_filter(ours);
    let spans = traces.map(|traces| traces.layer().with_filter(filter_fn(is_exported)));
    Registry::default().with(lines).with(spans)
}

/// Allows all of our own lines, and warnings and errors of dependencies.
fn may_be_logged(metadata: &Metadata<'_>) -> bool {
    is_ours(metadata) || *metadata.level() <= tracing::Level::WARN
}

/// Allows our own spans, at the level info or above.
fn is_exported(metadata: &Metadata<'_>) -> bool {
    is_ours(metadata) && *metadata.level() <= tracing::Level::INFO
}

/// The crates whose lines and spans are logged at every level.
const OUR_CRATES: &str =
    "cardform demo experiments merchants payments providers server tracking web webhooks";

fn is_ours(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    let name = target.split_once("::").map_or(target, |(name, _)| name);
    OUR_CRATES.split(' ').any(|ours| ours == name)
}

/// The clock and the counts for requests. Cheap to clone.
#[derive(Clone)]
pub struct RequestLog {
    /// The time, from which the ids of requests are made.
    pub clock: Clock,
    /// Counts the requests.
    pub metrics: Arc<Metrics>,
}

/// A request that is being answered: it has an id, and its method, route, status and latency are logged at the end. The
/// route is the pattern in our routes, never the path, which a client can choose.
pub(crate) struct ObservedRequest {
    log: RequestLog,
    started: Instant,
    id: Option<HeaderValue>,
    method: &'static str,
    route: Option<MatchedPath>,
    span: Span,
    /// The ids of merchant, charge and attempt that the request is about.
    ids: Option<Arc<RequestIds>>,
}

impl ObservedRequest {
    /// Begins to observe `request`, which gets an id.
    pub(crate) fn begin(log: &RequestLog, request: &Request) -> Self {
        let started = Instant::now();
        let id = new_id(IdKind::Request, &log.clock);
        let route = request.extensions().get::<MatchedPath>().cloned();
        let method = method_name(request);
        let caller = TraceContext::of_request(request.headers());
        let span = tracing::info_span!("request", id, method, route = route_name(route.as_ref()));
        let trace = trace_of(&span, caller.as_ref());
        // Only requests of the API are about charges.
        let has_ids = trace.is_some() || route_name(route.as_ref()).starts_with("/v1/");
        Self {
            ids: has_ids.then(|| RequestIds::new(trace)),
            log: log.clone(),
            started,
            // A caller's own id is not used, because it could bring anything into the log.
            id: HeaderValue::try_from(id).ok(),
            method,
            route,
            span,
        }
    }

    /// Waits for `answer`, and collects the ids that the request is about.
    pub(crate) async fn observe<T>(&self, answer: impl Future<Output = T>) -> T {
        match &self.ids {
            Some(ids) => {
                let answered = for_request(Arc::clone(ids), answer);
                answered.instrument(self.span.clone()).await
            }
            None => answer.instrument(self.span.clone()).await,
        }
    }

    /// Logs and counts the request, and puts its id into the answer.
    pub(crate) fn end(self, response: &mut Response) {
        let (method, route, span) = (self.method, route_name(self.route.as_ref()), &self.span);
        let status = response.status().as_u16();
        let took = self.started.elapsed();
        let latency_us = took.as_micros();
        let ids = self.ids.as_deref();
        let trace_id = ids.and_then(RequestIds::trace_id);
        self.log.metrics.count_request(method, route, status, took);
        // Monitoring calls these several times a minute.
        if is_watching(route) && status < 400 {
            span.in_scope(|| tracing::debug!(status, latency_us, "answered"));
        } else {
            let partner_id = ids.and_then(RequestIds::partner);
            let charge_id = ids.and_then(RequestIds::charge);
            let attempt_id = ids.and_then(RequestIds::attempt);
            span.in_scope(|| {
                tracing::info!(
                    status, latency_us, trace_id, partner_id, charge_id, attempt_id, "answered"
                );
            });
        }
        describe_request(span, method, route, status);
        let trace_id = trace_id.and_then(|id| HeaderValue::from_str(id).ok());
        for (name, id) in [(REQUEST_ID, self.id), (TRACE_ID, trace_id)] {
            if let Some(mut id) = id {
                // HTTP/2 does not add the id to its table, where it would evict headers that other answers share.
                id.set_sensitive(true);
                response.headers_mut().insert(name, id);
            }
        }
    }
}

fn route_name(route: Option<&MatchedPath>) -> &str {
    route.map_or("(none)", MatchedPath::as_str)
}

fn is_watching(route: &str) -> bool {
    matches!(route, "/healthz" | "/readyz" | "/metrics")
}

/// The request's method, or `other`, because a client may send any word.
fn method_name(request: &Request) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let mut known = KNOWN.into_iter();
    known.find(|name| request.method() == name).unwrap_or("other")
}

#[cfg(test)]
mod tests;
