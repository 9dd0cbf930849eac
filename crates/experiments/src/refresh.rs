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
        let read = self.read(&fetched.bytes);
        let (bytes, is_good) = (fetched.bytes.clone(), read.is_ok());
        self.last = Some(fetched);
        self.experiments.replace(read?);
        if is_good && let Err(error) = keep(&self.copy, bytes).await {
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
mod tests {
    use serde_json::json;
    use tempfile::TempDir;

    use super::super::Attributes;
    use super::*;

    const SAVE: &str = "enable-save-payment-methods";

    /// A document that turns the saving of cards on or off.
    fn saving(is_on: bool) -> String {
        json!({"features": {SAVE: {"defaultValue": is_on}}}).to_string()
    }

    fn settings(dir: &TempDir) -> FeaturesSettings {
        FeaturesSettings {
            source: Some(FeaturesSource::File(dir.path().join("features.json"))),
            key: None,
            interval: Duration::from_millis(5),
            copy: dir.path().join("copy.json"),
        }
    }

    fn write(dir: &TempDir, document: &str) {
        // Replaces the file in one step, so that half a document is never read.
        let new = dir.path().join("features.new");
        std::fs::write(&new, document).unwrap();
        std::fs::rename(new, dir.path().join("features.json")).unwrap();
    }

    fn is_saving(experiments: &Experiments) -> bool {
        let shopper = Attributes::of_cookie_id("1");
        experiments.document().evaluate(SAVE, &shopper).result.on
    }

    async fn until(experiments: &Experiments, wanted: bool) {
        let seen = async {
            while is_saving(experiments) != wanted {
                // tidy-allow sleep: with a limit
                tokio::task::yield_now().await;
            }
        };
        let seen = tokio::time::timeout(Duration::from_secs(30), seen).await;
        seen.expect("the changed document is used");
    }

    #[tokio::test]
    async fn a_changed_document_is_used_from_then_on() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, &saving(false));
        let (experiments, refresher) = Experiments::start(settings(&dir)).await.unwrap();
        assert!(!is_saving(&experiments));
        let (stop, stopped) = watch::channel(false);
        let running = tokio::spawn(refresher.unwrap().run(stopped, Arc::default()));
        write(&dir, &saving(true));
        until(&experiments, true).await;
        write(&dir, &saving(false));
        until(&experiments, false).await;
        stop.send_replace(true);
        running.await.unwrap();
    }

    #[tokio::test]
    async fn a_broken_document_does_not_replace_a_valid_one() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, &saving(false));
        let (experiments, refresher) = Experiments::start(settings(&dir)).await.unwrap();
        let mut refresher = refresher.unwrap();
        for broken in [
            "",
            "{",
            "[]",
            r#"{"features":{"enable-ddc":7}}"#,
            r#"{"encryptedFeatures":"a.b"}"#,
        ] {
            write(&dir, broken);
            assert!(refresher.refresh(true).await.is_err(), "{broken}");
            assert!(!is_saving(&experiments));
            assert_eq!(
                std::fs::read_to_string(dir.path().join("copy.json")).unwrap(),
                saving(false)
            );
        }
        write(&dir, &saving(true));
        refresher.refresh(true).await.unwrap();
        assert!(is_saving(&experiments));
        assert_eq!(
            std::fs::read_to_string(dir.path().join("copy.json")).unwrap(),
            saving(true)
        );
    }

    #[tokio::test]
    async fn a_start_without_the_source_uses_the_copy() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, &saving(false));
        Experiments::start(settings(&dir)).await.unwrap();
        std::fs::remove_file(dir.path().join("features.json")).unwrap();
        let (experiments, refresher) = Experiments::start(settings(&dir)).await.unwrap();
        assert!(!is_saving(&experiments));
        assert!(refresher.is_some());
        // A source that is a URL also starts from the copy.
        let remote = FeaturesSettings {
            source: Some(FeaturesSource::Url(
                "http://127.0.0.1:1/features".parse().unwrap(),
            )),
            ..settings(&dir)
        };
        let (experiments, _) = Experiments::start(remote).await.unwrap();
        assert!(!is_saving(&experiments));
    }

    #[tokio::test]
    async fn without_source_and_copy_the_shipped_document_is_used() {
        let dir = tempfile::tempdir().unwrap();
        for document in [None, Some("{")] {
            if let Some(document) = document {
                write(&dir, document);
                std::fs::write(dir.path().join("copy.json"), document).unwrap();
            }
            let (experiments, _) = Experiments::start(settings(&dir)).await.unwrap();
            assert!(is_saving(&experiments));
        }
        let nothing = FeaturesSettings {
            source: None,
            ..settings(&dir)
        };
        let (experiments, refresher) = Experiments::start(nothing).await.unwrap();
        assert!(is_saving(&experiments) && refresher.is_none());
    }

    #[tokio::test]
    async fn the_copy_of_an_encrypted_document_is_encrypted() {
        let dir = tempfile::tempdir().unwrap();
        let sealed =
            "m5ylFM6ndyOJA2OPadubkw==.Uu7ViqgKEt/dWvCyhI46q088PkAEJbnXKf3KPZjf9IEQQ+A8fojNoxw4wIbPX3aj";
        write(&dir, &json!({ "encryptedFeatures": sealed }).to_string());
        let settings = FeaturesSettings {
            key: DecryptionKey::from_base64("Zvwv/+uhpFDznZ6SX28Yjg=="),
            ..settings(&dir)
        };
        let (experiments, _) = Experiments::start(settings).await.unwrap();
        assert!(
            experiments
                .document()
                .evaluate("feature", &Attributes::of_cookie_id("1"))
                .result
                .on
        );
        let kept = std::fs::read_to_string(dir.path().join("copy.json")).unwrap();
        assert!(kept.contains(sealed) && !kept.contains("defaultValue"));
    }
}
