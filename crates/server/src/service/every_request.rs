//! Every request gets an id, a line in the log and a place in the metrics. If its handler panics, the answer has status 500.
//! This is one layer, because each layer around a router costs every request some memory and time.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use percent_encoding::percent_decode_str;
use rules::letters::is_hidden_control;
use tower::layer::layer_fn;
use tower::{Layer, Service};

use crate::telemetry::{ObservedRequest, RequestLog};
use web::ApiError;

/// The longest path, in bytes. The longest of ours has an id of 255 characters, each escaped with up to twelve bytes.
const PATH_BYTES_MAX: usize = 4 * 1024;

/// Where events are sent to, with errors in the format of Kafka's REST proxy. No name of a topic reaches a database.
const TOPICS: &str = "/topics/";

/// Whether something can be at this path. No id and no name of a file has control characters, and some databases refuse
/// them.
fn is_usable_path(path: &str) -> bool {
    if path.starts_with(TOPICS) {
        return true;
    }
    let decoded = || percent_decode_str(path).decode_utf8_lossy();
    path.len() <= PATH_BYTES_MAX && (!path.contains('%') || !decoded().chars().any(is_hidden_control))
}

/// The layer around every route.
pub(super) fn every_request<S>(log: RequestLog) -> impl Layer<S, Service = Answering<S>> + Clone {
    layer_fn(move |inner| Answering {
        inner,
        log: log.clone(),
    })
}

/// A service within the layer.
#[derive(Clone)]
pub(super) struct Answering<S> {
    inner: S,
    log: RequestLog,
}

impl<S> Service<Request> for Answering<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let observed = ObservedRequest::begin(&self.log, &request);
        let answer = is_usable_path(request.uri().path())
            .then(|| catch_unwind(AssertUnwindSafe(|| self.inner.call(request))));
        Box::pin(async move {
            let answered = async move {
                let answered = match answer {
                    None => return ApiError::not_found().into_response(),
                    Some(Ok(answer)) => AssertUnwindSafe(answer).catch_unwind().await,
                    Some(Err(panic)) => Err(panic),
                };
                match answered {
                    Ok(Ok(response)) => response,
                    // The panic's message may contain a value, so it is not logged.
                    Err(_) => ApiError::internal(&"a handler panicked").into_response(),
                }
            };
            let mut response = observed.observe(answered).await;
            observed.end(&mut response);
            Ok(response)
        })
    }
}
