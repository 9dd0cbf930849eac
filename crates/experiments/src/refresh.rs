//! Keeps the features document up to date: reads it at start and then in every interval. The last valid document is
//! kept on disk, for a start at which the source cannot be read.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::{Notify, watch};

use super::source::{FeaturesSource, Fetched, Fetcher, SourceError};
use super::{DecryptionKey, Document, DocumentError, Experiments};

/// Where the document comes from, and where a copy is kept.
#[derive(Debug, Clone)]
pub struct FeaturesSettings {
    /// `None`: the shipped document is used.
    pub source: Option<FeaturesSource>,
    /// Decrypts an encrypted document.
    pub key: Option<DecryptionKey>,
    /// The time between two reads.
    pub interval: Duration,
    /// The file for the last valid document, as it was received.
    pub copy: PathBuf,
}

/// Reads the document again in every interval.
pub struct Refresher {
    experiments: Experiments,
    fetcher: Fetcher,
    key: Option<DecryptionKey>,
    interval: Duration,
    copy: PathBuf,
    /// The document that was received last, valid or not, so that it is parsed only once.
    last: Option<Fetched>,
}

/// Why the document was not replaced.
#[derive(Debug, Error)]
enum RefreshError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Document(#[from] DocumentError),
}

impl Experiments {
    /// Starts with a document. With a URL this is the copy on disk, or else the answer to one request. With a file it is
    /// that file, or else the copy. Without both it is the shipped document. No problem with the document stops the
    /// start, because shoppers can pay without experiments.
    pub async fn start(settings: FeaturesSettings) -> Result<(Self, Option<Refresher>), reqwest::Error> {
        let experiments = Self::new(Document::shipped());
        let Some(source) = settings.source else {
            return Ok((experiments, None));
        };
        let is_remote = matches!(source, FeaturesSource::Url(_));
        let mut refresher = Refresher {
            experiments: experiments.clone(),
            fetcher: Fetcher::new(source)?,
            key: settings.key,
            interval: settings.interval,
            copy: settings.copy,
            last: None,
        };
        // When there is a copy, the start does not wait for another service.
        let has_copy = is_remote && refresher.restore().await;
        if !has_copy && let Err(error) = refresher.refresh(false).await {
            tracing::error!(%error, "the features document cannot be read");
            if is_remote || !refresher.restore().await {
                tracing::warn!("every experiment is on until the features document can be read");
            }
        }
        Ok((experiments, Some(refresher)))
    }
}

impl Refresher {
    /// Reads the document again in every interval until `stop` is true. `now` makes it read at once.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>, now: Arc<Notify>) {
        let mut pause = if self.last.is_some() {
            self.interval
        } else {
            Duration::ZERO
        };
        loop {
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(pause) => {}
                () = now.notified() => {}
            }
            pause = self.interval;
            let refreshed = tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                refreshed = self.refresh(true) => refreshed,
            };
            if let Err(error) = refreshed {
                tracing::error!(%error, "the features document cannot be read; the last one stays in use");
            }
        }
    }

    /// Reads the document, and uses it from now on if it is valid.
    async fn refresh(&mut self, patiently: bool) -> Result<(), RefreshError> {
        let etag = self.last.as_ref().and_then(|last| last.etag.as_deref());
        let fetched = if patiently {
            self.fetcher.fetch(etag).await?
        } else {
            self.fetcher.fetch_once(etag).await?
        };
        let Some(fetched) =
            fetched.filter(|fetched| self.last.as_ref().is_none_or(|last| last.bytes != fetched.bytes))
        else {
            return Ok(());
        };
        let bytes = fetched.bytes.clone();
        self.last = Some(fetched);
        self.experiments.replace(self.read(&bytes)?);
        if let Err(error) = keep(&self.copy, bytes).await {
            tracing::warn!(%error, "the copy of the features document cannot be written; the next start may be without it");
        }
        tracing::info!("the features document was read");
        Ok(())
    }

    /// Uses the copy on disk. Returns whether there is a valid one.
    async fn restore(&self) -> bool {
        let Ok(bytes) = tokio::fs::read(&self.copy).await else {
            return false;
        };
        match self.read(&bytes) {
            Ok(document) => {
                tracing::info!("the copy of the features document is in use");
                self.experiments.replace(document);
                true
            }
            Err(error) => {
                tracing::warn!(%error, "the copy of the features document cannot be used");
                false
            }
        }
    }

    fn read(&self, bytes: &[u8]) -> Result<Document, DocumentError> {
        let document = Document::read(bytes, self.key.as_ref())?;
        for feature in document.missing() {
            tracing::warn!(
                feature,
                "experiment missing in the features document; it is off for every shopper"
            );
        }
        Ok(document)
    }
}

/// Writes the file in one step, so that a crash leaves the old or the new content.
async fn keep(copy: &Path, bytes: Vec<u8>) -> std::io::Result<()> {
    // Several nodes on one machine may share the path of the copy.
    let mut beside = copy.to_owned().into_os_string();
    beside.push(format!(".{}", protocol::ids::short_random()));
    let (copy, beside) = (copy.to_owned(), PathBuf::from(beside));
    let written = tokio::task::spawn_blocking(move || {
        let write = || {
            use std::io::Write as _;
            let mut file = std::fs::File::create(&beside)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            std::fs::rename(&beside, &copy)
        };
        write().inspect_err(|_| {
            // A temporary file that cannot be removed does no harm.
            let _ = std::fs::remove_file(&beside);
        })
    });
    written.await.map_err(std::io::Error::other)?
}

#[cfg(test)]
mod tests;
