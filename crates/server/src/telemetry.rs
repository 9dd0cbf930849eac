//! Logs to standard error: one line per request, which never contains a query string, a header, a body or a value of
//! one. No task waits until a line is written.

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

/// Starts logging, and collects spans for `traces`. The filter has the syntax of `RUST_LOG` and applies to our own
/// lines. Dependencies may only log warnings and errors, because at finer levels they log what they read and write.
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

/// Waits until everything logged is written, but only a moment; for the end of the process.
pub fn flush() {
    if let Some(writer) = WRITER.get() {
        writer.flush();
    }
}

fn log_dropped(lines: u64) {
    tracing::warn!(lines, "lines of the log were dropped, because nobody read them");
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

fn is_ours(metadata: &Metadata<'_>) -> bool {
    ["server", "cardform"]
        .iter()
        .any(|name| metadata.target() == *name || metadata.target().starts_with(&format!("{name}::")))
}

/// What logging and counting requests needs. Cheap to clone.
#[derive(Clone)]
pub struct RequestLog {
    /// The time, from which the ids of requests are made.
    pub(crate) clock: Clock,
    /// Counts the requests.
    pub(crate) metrics: Arc<Metrics>,
}

/// Gives each request an id, and logs its method, route, status and latency. The route is the pattern in our routes,
/// never the path, which a client can choose.
pub async fn observe(State(log): State<RequestLog>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = new_id(IdKind::Request, &log.clock);
    let value = HeaderValue::from_str(&id).ok();
    if let Some(value) = &value {
        // A caller's own id is replaced, because it could bring anything into the log.
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
    log.metrics.count_request(method, &route, status, took);
    // Monitoring calls these several times a minute.
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

/// One of the methods that we know; a client may send any word.
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
    fn dependencies_log_only_warnings_at_any_level() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines = Arc::new(file.reopen().unwrap());
        let all = EnvFilter::builder().parse("trace").unwrap();
        tracing::subscriber::with_default(subscriber(all, LogFormat::Text, lines, None), || {
            tracing::trace!(target: "server::charges", "ours");
            tracing::debug!(target: "hyper::client", "theirs");
            tracing::info!(target: "server_of_another", "theirs");
            tracing::warn!(target: "hyper::proto", "a warning");
        });
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(text.contains("ours") && text.contains("a warning"), "{text}");
        assert!(!text.contains("theirs"), "{text}");
    }
}
