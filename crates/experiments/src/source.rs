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
            .notify(
                |error, _| tracing::debug!(%error, "the features document could not be fetched; retrying"),
            )
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
mod tests;
