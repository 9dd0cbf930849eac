//! When the handler of a page panics, the reader gets the page of status 500.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use futures_util::FutureExt;
use page::{LanguagePreference, locale_in_front};
use tower::{Layer, Service};

use super::document::error_page;
use super::state::ServedPages;

/// The layer around every page.
#[derive(Clone)]
pub struct FailedPages(pub(crate) Arc<ServedPages>);

impl<S> Layer<S> for FailedPages {
    type Service = PageOrFailure<S>;

    fn layer(&self, inner: S) -> PageOrFailure<S> {
        PageOrFailure {
            inner,
            served: Arc::clone(&self.0),
        }
    }
}

/// A page within the layer.
#[derive(Clone)]
pub struct PageOrFailure<S> {
    inner: S,
    served: Arc<ServedPages>,
}

impl<S> Service<Request> for PageOrFailure<S>
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
        let reader = Reader::of(&request);
        let answer = AssertUnwindSafe(self.inner.call(request)).catch_unwind();
        let served = Arc::clone(&self.served);
        Box::pin(async move {
            match answer.await {
                Ok(answered) => answered,
                Err(_) => Ok(reader.failed_page(&served).await),
            }
        })
    }
}

/// The headers that say which language the reader wants.
const WISHES: [HeaderName; 2] = [header::COOKIE, header::ACCEPT_LANGUAGE];

/// What the page of status 500 needs to know of the request.
struct Reader {
    uri: Uri,
    /// The values of each header of [`WISHES`].
    wishes: [Vec<HeaderValue>; 2],
}

impl Reader {
    fn of(request: &Request) -> Self {
        Self {
            uri: request.uri().clone(),
            wishes: WISHES.map(|name| request.headers().get_all(name).iter().cloned().collect()),
        }
    }

    async fn failed_page(self, served: &ServedPages) -> Response {
        // The panic's message may contain a value, so it is not logged.
        tracing::error!("the handler of a page panicked");
        let mut headers = HeaderMap::new();
        for (name, values) in WISHES.iter().zip(self.wishes) {
            for value in values {
                headers.append(name, value);
            }
        }
        let preference = LanguagePreference {
            path: locale_in_front(self.uri.path()),
            ..LanguagePreference::of(&headers)
        };
        let language = served.pages.language(preference.locale());
        error_page(served, language, StatusCode::INTERNAL_SERVER_ERROR, None).await
    }
}
