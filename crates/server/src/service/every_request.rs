//! What happens to every request: it gets an id, a line in the log and a place in the metrics, its connection ends after
//! the answer if it carried a card, and a handler that panics is answered with status 500. This is one layer, because
//! each layer around a router costs every request some memory and time.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use tower::{Layer, Service};

use crate::telemetry::{ObservedRequest, RequestLog};
use web::api_error::ApiError;
use web::carried_card::CarriedCard;

/// The layer around every route.
#[derive(Clone)]
pub(super) struct EveryRequest(pub RequestLog);

impl<S> Layer<S> for EveryRequest {
    type Service = Answering<S>;

    fn layer(&self, inner: S) -> Answering<S> {
        Answering {
            inner,
            log: self.0.clone(),
        }
    }
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
        let (card, request) = CarriedCard::watch(request);
        let answer = catch_unwind(AssertUnwindSafe(|| self.inner.call(request)));
        Box::pin(async move {
            let answered = async move {
                let answered = match answer {
                    Ok(answer) => AssertUnwindSafe(answer).catch_unwind().await,
                    Err(panic) => Err(panic),
                };
                match answered {
                    Ok(Ok(response)) => response,
                    // The panic's message may contain a value, so it is not logged.
                    Err(_) => ApiError::internal(&"a handler panicked").into_response(),
                }
            };
            let mut response = card.end_connection(observed.observe(answered).await);
            observed.end(&mut response);
            Ok(response)
        })
    }
}
