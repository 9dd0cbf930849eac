//! OpenTelemetry: the spans of requests and of calls to the provider, sent to a collector if one is set. Like the log,
//! they contain only our own words, never a path, a value or a header.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::Context;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState, TracerProvider,
};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{ExporterBuildError, Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::EnvResourceDetector;
use opentelemetry_sdk::trace::SdkTracerProvider;
use thiserror::Error;
use tokio::runtime::Handle;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::layer::Layer;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

pub use web::{TraceContext, TraceOfRequest, request_ids};

/// The name of the instrumentation and of the service.
const SCOPE: &str = "cardform";
/// How long the collector may take for a batch. After that the batch is dropped.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a stopping service waits until the collector has the last spans.
const END_TIMEOUT: Duration = Duration::from_secs(5);
/// How many hexadecimal digits a call's own part of a trace has.
const OWN_DIGITS: usize = 16;

/// Why traces cannot be sent.
#[derive(Debug, Error)]
pub enum TracesError {
    /// The client for the collector could not be made.
    #[error("cannot prepare the sending of traces: {0}")]
    Client(#[from] reqwest::Error),
    /// The exporter could not be made.
    #[error("cannot prepare the sending of traces: {0}")]
    Exporter(#[from] ExporterBuildError),
}

/// Sends spans to a collector. At most 2,048 spans wait in memory, and a thread of their own sends them in batches. If
/// the collector is slow or down, spans are lost and nothing else.
pub struct Traces {
    provider: SdkTracerProvider,
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traces").finish_non_exhaustive()
    }
}

impl Traces {
    /// Sends spans to the collector at `endpoint`, as protobuf over HTTP to `/v1/traces` below it. The library reads
    /// more attributes, the sampling and headers for the collector from OpenTelemetry's environment variables
    /// (`OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`).
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn to(endpoint: &Url) -> Result<Self, TracesError> {
        let client = SpanClient {
            client: reqwest::Client::builder().timeout(EXPORT_TIMEOUT).build()?,
            runtime: Handle::current(),
            lost: AtomicBool::new(false),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{}/v1/traces", endpoint.as_str().trim_end_matches('/')))
            .build()?;
        let resource = Resource::builder_empty()
            .with_service_name(SCOPE)
            .with_detector(Box::new(EnvResourceDetector::new()))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .build();
        Ok(Self { provider })
    }

    /// The layer that collects spans.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + Send + Sync + for<'a> LookupSpan<'a>,
    {
        IS_EXPORTING.store(true, Ordering::Relaxed);
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer(SCOPE))
            .with_location(false)
            .with_threads(false)
    }

    /// Sends the spans that are left, and stops.
    pub async fn end(self) {
        let ended = tokio::task::spawn_blocking(move || self.provider.shutdown_with_timeout(END_TIMEOUT));
        if !matches!(ended.await, Ok(Ok(()))) {
            tracing::warn!("the collector did not accept the last traces");
        }
    }
}

/// Whether this process sends spans to a collector.
static IS_EXPORTING: AtomicBool = AtomicBool::new(false);

/// The trace of a request: its caller's trace, which the span joins, or with a collector a trace of its own.
pub(crate) fn trace_of(span: &Span, caller: Option<&TraceContext>) -> Option<TraceOfRequest> {
    if !IS_EXPORTING.load(Ordering::Relaxed) {
        return caller.map(|caller| TraceOfRequest {
            id: caller.trace_id.clone(),
            is_sampled: caller.is_sampled,
        });
    }
    if let Some(remote) = caller.and_then(remote_parent) {
        // Setting the parent fails only without the layer of spans.
        let _ = span.set_parent(Context::new().with_remote_span_context(remote));
    }
    own_context(span).map(|own| TraceOfRequest {
        id: own.trace_id().to_string(),
        is_sampled: own.is_sampled(),
    })
}

/// The span in the trace that is sent to a collector; `None` without one.
fn own_context(span: &Span) -> Option<SpanContext> {
    if !IS_EXPORTING.load(Ordering::Relaxed) {
        return None;
    }
    let context = span.context();
    Some(context.span().span_context().clone()).filter(SpanContext::is_valid)
}

fn remote_parent(caller: &TraceContext) -> Option<SpanContext> {
    let flags = if caller.is_sampled {
        TraceFlags::SAMPLED
    } else {
        TraceFlags::default()
    };
    Some(SpanContext::new(
        TraceId::from_hex(&caller.trace_id).ok()?,
        SpanId::from_hex(&caller.parent_id).ok()?,
        flags,
        true,
        TraceState::default(),
    ))
}

/// `traceparent` for a call to the provider that is made in this span for an attempt. Without a collector, the call
/// belongs to the request's trace under the end of its attempt's id, which is random.
pub(crate) fn trace_parent_of_call(span: &Span, attempt_id: Option<&str>) -> Option<String> {
    if let Some(own) = own_context(span) {
        let (trace_id, span_id) = (own.trace_id().to_string(), own.span_id().to_string());
        return Some(TraceContext::header(&trace_id, &span_id, own.is_sampled()));
    }
    let ids = request_ids::current();
    let trace = ids.trace()?;
    let attempt_id = attempt_id?;
    let own_id = attempt_id.get(attempt_id.len().checked_sub(OWN_DIGITS)?..)?;
    Some(TraceContext::header(&trace.id, own_id, trace.is_sampled))
}

/// Sets OpenTelemetry's standard name and attributes on a request's span. `route` is the pattern in our routes.
pub(crate) fn describe_request(span: &Span, method: &'static str, route: &str, status: u16) {
    let context = span.context();
    let described = context.span();
    if !described.span_context().is_valid() {
        return;
    }
    described.update_name(format!("{method} {route}"));
    span.set_attribute("http.request.method", method);
    span.set_attribute("http.route", route.to_owned());
    span.set_attribute("http.response.status_code", i64::from(status));
    if status >= 500 {
        span.set_status(opentelemetry::trace::Status::error(""));
    }
}

/// Sends spans to the collector. The thread that makes batches is outside of the runtime, so the client runs its
/// requests in the runtime.
struct SpanClient {
    client: reqwest::Client,
    runtime: Handle,
    /// Whether the last batch was lost, so that only a change is logged.
    lost: AtomicBool,
}

impl fmt::Debug for SpanClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpanClient").finish_non_exhaustive()
    }
}

#[async_trait]
impl HttpClient for SpanClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let request = self
            .client
            .post(parts.uri.to_string())
            .headers(parts.headers)
            .body(body);
        // The request's timeout needs the runtime's clock from the beginning.
        let sent = async move { request.send().await };
        let answer = match self.runtime.spawn(sent).await? {
            Ok(answer) => Ok(answer.status()),
            // The error's text contains the URL, which may contain a password.
            Err(error) => Err(error.without_url()),
        };
        let taken = answer.as_ref().is_ok_and(reqwest::StatusCode::is_success);
        if self.lost.swap(!taken, Ordering::Relaxed) == taken {
            if taken {
                tracing::info!("the collector accepts traces again");
            } else {
                tracing::warn!("the collector does not accept traces; dropping them");
            }
        }
        // The body of the answer is not read.
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = answer?;
        Ok(response)
    }
}
