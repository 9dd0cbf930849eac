//! Logs to standard error: one line per request, and never a query string, a header, a body or a value of one. Nobody
//! waits for whoever reads the log.

mod log_writer;
mod logging;
pub mod metrics;
pub mod traces;

pub use self::logging::{LogFormat, Logging};

pub(crate) use self::log_writer::DROPPED;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use model::clock::Clock;
use model::ids::{IdKind, new_id};
use tracing::level_filters::LevelFilter;
use tracing::{Instrument, Metadata, Subscriber};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::{EnvFilter, Registry};

use self::log_writer::LogWriter;
use self::metrics::Metrics;
use self::traces::{Traces, describe_request};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Starts logging, and the collecting of spans for `traces`. The filter is what `RUST_LOG` understands; it governs our
/// own lines. Dependencies are held to warnings whatever it says, because at finer levels they log what they read and
/// write.
pub fn start(logging: &Logging, traces: Option<&Traces>) -> Result<(), String> {
    let ours = EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .parse(&logging.log)
        .map_err(|error| format!("the log filter is unusable: {error}"))?;
    std::panic::set_hook(Box::new(log_panic));
    let writer = LogWriter::start(std::io::stderr(), say_dropped)
        .map_err(|error| format!("the log cannot be written: {error}"))?;
    let writer = WRITER.get_or_init(|| writer).clone();
    // Set without the bridge from the `log` crate: what dependencies say there is not heard at all.
    tracing::subscriber::set_global_default(subscriber(ours, logging.log_format, writer, traces))
        .map_err(|_| "logging was started twice".to_owned())
}

/// The log's way to standard error, once it has been started.
static WRITER: OnceLock<LogWriter> = OnceLock::new();

/// Waits a moment until what was logged is written; for the end of the process.
pub fn flush() {
    if let Some(writer) = WRITER.get() {
        writer.flush();
    }
}

fn say_dropped(lines: u64) {
    tracing::warn!(lines, "lines of the log were dropped, because nobody read them");
}

/// Says where, and not in which words: they may hold a value.
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

/// Our own lines are written with care; those of others only when something is wrong.
fn may_be_logged(metadata: &Metadata<'_>) -> bool {
    is_ours(metadata) || *metadata.level() <= tracing::Level::WARN
}

/// What an operator of many services wants to see in one picture.
fn is_exported(metadata: &Metadata<'_>) -> bool {
    is_ours(metadata) && *metadata.level() <= tracing::Level::INFO
}

fn is_ours(metadata: &Metadata<'_>) -> bool {
    ["server", "cardform"]
        .iter()
        .any(|name| metadata.target() == *name || metadata.target().starts_with(&format!("{name}::")))
}

/// What is needed to log and count requests. Cheap to clone.
#[derive(Clone)]
pub struct RequestLog {
    /// The time, for ids.
    pub(crate) clock: Clock,
    /// Where requests are counted.
    pub(crate) metrics: Arc<Metrics>,
}

/// Gives each request an id, and logs how it ended: method, matched route, status and latency. The route is our own
/// pattern, never the path, in which anything may stand.
pub async fn observe(State(log): State<RequestLog>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = new_id(IdKind::Request, &log.clock);
    let value = HeaderValue::from_str(&id).ok();
    if let Some(value) = &value {
        // A caller's own id is not taken over: it could carry anything into the log.
        request.headers_mut().insert(REQUEST_ID, value.clone());
    }
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("(none)", MatchedPath::as_str);
    let route = route.to_owned();
    let method = method_name(&request);
    let span = tracing::info_span!("request", id, method, route);
    let mut response = next.run(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    let took = started.elapsed();
    let latency_us = took.as_micros();
    log.metrics.answered(method, &route, status, took);
    // Whoever watches the service asks several times a minute.
    if is_watching(&route) && status < 400 {
        span.in_scope(|| tracing::debug!(status, latency_us, "answered"));
    } else {
        span.in_scope(|| tracing::info!(status, latency_us, "answered"));
    }
    describe_request(&span, method, &route, status);
    if let Some(value) = value {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

fn is_watching(route: &str) -> bool {
    matches!(route, "/healthz" | "/readyz" | "/metrics")
}

/// A method of our own knowing; a client may send any word.
fn method_name(request: &Request) -> &'static str {
    match request.method().as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn at_trace_our_own_lines_are_heard_and_those_of_dependencies_only_as_warnings() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines = Arc::new(file.reopen().unwrap());
        let all = EnvFilter::builder().parse("trace").unwrap();
        tracing::subscriber::with_default(subscriber(all, LogFormat::Text, lines, None), || {
            tracing::trace!(target: "server::charges", "ours");
            tracing::debug!(target: "sqlx::query", "theirs");
            tracing::info!(target: "server_of_another", "theirs");
            tracing::warn!(target: "hyper::proto", "a warning");
        });
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(text.contains("ours") && text.contains("a warning"), "{text}");
        assert!(!text.contains("theirs"), "{text}");
    }
}
