//! Fetches the features document from a file or a URL. A request that fails is retried. A document that has not changed
//! is not sent again.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use backon::Retryable;
use reqwest::{Client, Response, StatusCode, header};
use thiserror::Error;
use url::Url;

use super::document::DOCUMENT_BYTES_MAX;

/// The limit for one request (docs/experiments.md#the-features-document).
const FETCH_TIMEOUT: Duration = Duration::from_secs(8);
/// The pauses before the three retries.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
];

/// The value of the request's user-agent header.
const USER_AGENT: &str = concat!("Cardform/", env!("CARGO_PKG_VERSION"));

/// Where the document comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeaturesSource {
    /// A file of the operator.
    File(PathBuf),
    /// GrowthBook, or a service with the same API. The URL may contain a client key, so it is not logged.
    Url(Url),
}

/// Why the document could not be fetched. The text never contains the URL.
#[derive(Debug, Error)]
pub(super) enum SourceError {
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    File(io::Error),
    /// The answer has another status than 200: the key is unknown, or the service is down.
    #[error("the answer is {0}")]
    Status(StatusCode),
    /// No answer within [`FETCH_TIMEOUT`].
    #[error("there is no answer in time")]
    TimedOut,
    /// No connection, or it broke.
    #[error("it cannot be reached")]
    Unreachable,
    /// Longer than [`DOCUMENT_BYTES_MAX`].
    #[error("the features document is too long")]
    TooLong,
}

impl SourceError {
    /// Whether a retry may succeed.
    fn may_pass(&self) -> bool {
        match self {
            Self::Status(status) => status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS,
            Self::TimedOut | Self::Unreachable => true,
            Self::File(_) | Self::TooLong => false,
        }
    }
}

/// A document as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fetched {
    pub(super) bytes: Vec<u8>,
    /// The next request sends it as `if-none-match`.
    pub(super) etag: Option<String>,
}

/// Fetches from one source.
pub(super) struct Fetcher {
    source: FeaturesSource,
    http: Client,
    timeout: Duration,
    pauses: [Duration; 3],
}

impl Fetcher {
    pub(super) fn new(source: FeaturesSource) -> Result<Self, reqwest::Error> {
        Ok(Self {
            source,
            http: Client::builder().user_agent(USER_AGENT).build()?,
            timeout: FETCH_TIMEOUT,
            pauses: PAUSES,
        })
    }

    /// Fetches the document; `None` if it still has this etag. Retries three times where that may help.
    pub(super) async fn fetch(&self, etag: Option<&str>) -> Result<Option<Fetched>, SourceError> {
        let fetch = || self.fetch_once(etag);
        fetch
            .retry(self.pauses.into_iter())
            .when(SourceError::may_pass)
            .notify(|error, _| tracing::debug!(%error, "the features document is asked for again"))
            .await
    }

    /// Fetches the document with one request.
    pub(super) async fn fetch_once(&self, etag: Option<&str>) -> Result<Option<Fetched>, SourceError> {
        match &self.source {
            FeaturesSource::File(path) => {
                let bytes = tokio::fs::read(path).await.map_err(SourceError::File)?;
                Ok(Some(Fetched { bytes, etag: None }))
            }
            FeaturesSource::Url(url) => {
                let asking = self.ask(url.clone(), etag);
                let asked = tokio::time::timeout(self.timeout, asking).await;
                asked.unwrap_or(Err(SourceError::TimedOut))
            }
        }
    }

    async fn ask(&self, url: Url, etag: Option<&str>) -> Result<Option<Fetched>, SourceError> {
        let mut request = self.http.get(url).header(header::ACCEPT, "application/json");
        if let Some(etag) = etag {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        let answer = request.send().await.map_err(|_| SourceError::Unreachable)?;
        match answer.status() {
            StatusCode::NOT_MODIFIED if etag.is_some() => Ok(None),
            StatusCode::OK => Ok(Some(Fetched {
                etag: etag_of(&answer),
                bytes: read_bounded(answer).await?,
            })),
            status => Err(SourceError::Status(status)),
        }
    }
}

fn etag_of(answer: &Response) -> Option<String> {
    let etag = answer.headers().get(header::ETAG)?;
    etag.to_str().ok().map(str::to_owned)
}

async fn read_bounded(mut answer: Response) -> Result<Vec<u8>, SourceError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|_| SourceError::Unreachable)? {
        if bytes.len() + chunk.len() > DOCUMENT_BYTES_MAX {
            return Err(SourceError::TooLong);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::{Arc, Mutex};

    use axum::Router;
    use axum::http::HeaderMap;
    use axum::response::IntoResponse;
    use axum::routing::get;
    use tokio::net::TcpListener;

    use super::*;

    /// What the test's GrowthBook server does with a request.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Does {
        Answers,
        Fails(u16),
        Hangs,
        SendsTooMuch,
    }

    /// A server that takes one action for each request and then repeats the last one; also returns the etags that it
    /// was sent.
    async fn serve(does: &'static [Does]) -> (Fetcher, Arc<Mutex<Vec<Option<String>>>>) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        let answer = move |headers: HeaderMap| async move {
            let etag = headers
                .get("if-none-match")
                .map(|etag| etag.to_str().unwrap().to_owned());
            let number = {
                let mut seen = seen.lock().unwrap();
                seen.push(etag.clone());
                seen.len() - 1
            };
            match does[number.min(does.len() - 1)] {
                Does::Answers if etag.as_deref() == Some("\"v1\"") => {
                    StatusCode::NOT_MODIFIED.into_response()
                }
                Does::Answers => ([("etag", "\"v1\"")], "{}").into_response(),
                Does::Fails(status) => StatusCode::from_u16(status).unwrap().into_response(),
                Does::Hangs => pending().await,
                Does::SendsTooMuch => vec![b' '; DOCUMENT_BYTES_MAX + 1].into_response(),
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/features", listener.local_addr().unwrap());
        let router = Router::new().route("/features", get(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let fetcher = Fetcher {
            timeout: Duration::from_millis(200),
            pauses: [Duration::from_millis(1); 3],
            http: Client::builder().no_proxy().build().unwrap(),
            source: FeaturesSource::Url(url.parse().unwrap()),
        };
        (fetcher, asked)
    }

    #[tokio::test]
    async fn an_unchanged_document_is_not_sent_again() {
        let (fetcher, asked) = serve(&[Does::Answers]).await;
        let first = fetcher.fetch(None).await.unwrap().unwrap();
        assert_eq!(
            (first.bytes.as_slice(), first.etag.as_deref()),
            (&b"{}"[..], Some("\"v1\""))
        );
        assert_eq!(fetcher.fetch(first.etag.as_deref()).await.unwrap(), None);
        assert_eq!(*asked.lock().unwrap(), [None, Some("\"v1\"".to_owned())]);
    }

    #[tokio::test]
    async fn a_failed_request_is_retried_three_times() {
        let (fetcher, asked) = serve(&[Does::Fails(503), Does::Hangs, Does::Fails(429), Does::Answers]).await;
        assert!(fetcher.fetch(None).await.unwrap().is_some());
        assert_eq!(asked.lock().unwrap().len(), 4);
        let (fetcher, asked) = serve(&[Does::Fails(500)]).await;
        let error = fetcher.fetch(None).await.unwrap_err();
        assert!(matches!(
            error,
            SourceError::Status(StatusCode::INTERNAL_SERVER_ERROR)
        ));
        assert_eq!(asked.lock().unwrap().len(), 4);
        let (fetcher, asked) = serve(&[Does::Hangs]).await;
        assert!(matches!(fetcher.fetch(None).await, Err(SourceError::TimedOut)));
        assert_eq!(asked.lock().unwrap().len(), 4);
    }

    #[tokio::test]
    async fn a_permanent_error_is_not_retried() {
        let (fetcher, asked) = serve(&[Does::Fails(401)]).await;
        assert!(matches!(fetcher.fetch(None).await, Err(SourceError::Status(_))));
        assert_eq!(asked.lock().unwrap().len(), 1);
        let (fetcher, asked) = serve(&[Does::SendsTooMuch]).await;
        assert!(matches!(fetcher.fetch(None).await, Err(SourceError::TooLong)));
        assert_eq!(asked.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn no_error_contains_the_url() {
        let source = FeaturesSource::Url("http://127.0.0.1:1/api/features/sdk-key".parse().unwrap());
        let mut fetcher = Fetcher::new(source).unwrap();
        fetcher.pauses = [Duration::from_millis(1); 3];
        let error = fetcher.fetch(None).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("sdk-key"));
    }
}
