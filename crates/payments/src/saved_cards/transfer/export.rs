//! Writes the saved cards into a file for a recipient. The cards are decrypted in batches, and each batch goes straight into
//! the encryption.

use std::io::{self, Read, Write};

use serde_json::Value;
use store::{Actor, ExportedCard, Store, StoreError};
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use vault::{KeyRing, SealError};
use zeroize::Zeroizing;

use super::open_pgp::{OpenPgpError, Recipient};
use super::row::{self, COLUMNS};
use super::{BATCHES_WAITING_MAX, CARDS_PER_BATCH, NAMED_MAX};
use crate::saved_cards::save::card_record;

/// The result of an export.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Exported {
    /// How many cards are in the file.
    pub cards: u64,
    /// The ids (`pm_…`) of the first cards that no key of the ring opens.
    pub unusable: Vec<String>,
    /// How many such cards there are. They are not in the file.
    pub unusable_count: u64,
}

/// Why an export stopped. The file is not complete.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The cryptographic library failed.
    #[error(transparent)]
    Library(SealError),
    /// The encryption or the writing failed.
    #[error(transparent)]
    File(#[from] OpenPgpError),
    /// A row cannot be written.
    #[error("cannot write a row: {0}")]
    Row(#[from] csv::Error),
    /// The thread that encrypts ended early.
    #[error("the encryption ended early")]
    Ended,
}

/// Encrypts the cards of one merchant, or all, into `out`. Each card gets a line in the audit log before it is decrypted.
pub async fn export(
    (store, ring): (&Store, &KeyRing),
    partner_id: Option<&str>,
    recipient: Recipient,
    (by, detail): (&Actor, &Value),
    out: impl Write + Send + 'static,
) -> Result<Exported, ExportError> {
    let (rows, received) = mpsc::channel(BATCHES_WAITING_MAX);
    let reader = Rows {
        received,
        batch: Zeroizing::default(),
        read: 0,
    };
    let encryption = spawn_blocking(move || recipient.encrypt(reader, out));
    let sent = send_rows((store, ring), partner_id, (by, detail), rows).await;
    // The reason why nobody receives rows any more is the encryption's.
    encryption.await.map_err(|_| ExportError::Ended)??;
    sent
}

async fn send_rows(
    (store, ring): (&Store, &KeyRing),
    partner_id: Option<&str>,
    (by, detail): (&Actor, &Value),
    rows: mpsc::Sender<Zeroizing<Vec<u8>>>,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    let mut after = String::new();
    let mut batch = csv::Writer::from_writer(Vec::new());
    batch.write_record(COLUMNS)?;
    loop {
        let cards = store
            .export_cards(partner_id, &after, CARDS_PER_BATCH.into(), by, detail)
            .await?;
        for card in &cards {
            add(ring, card, &mut batch, &mut exported)?;
        }
        let full = std::mem::replace(&mut batch, csv::Writer::from_writer(Vec::new()));
        let bytes = full
            .into_inner()
            .map_err(|error| csv::Error::from(error.into_error()))?;
        rows.send(Zeroizing::new(bytes))
            .await
            .map_err(|_| ExportError::Ended)?;
        match cards.last() {
            Some(last) => after.clone_from(&last.card.id),
            None => return Ok(exported),
        }
    }
}

/// Decrypts the card and adds its row.
fn add(
    ring: &KeyRing,
    card: &ExportedCard,
    batch: &mut csv::Writer<Vec<u8>>,
    exported: &mut Exported,
) -> Result<(), ExportError> {
    match ring.open(&card.sealed, card_record(&card.owner, &card.card.id)) {
        Ok(number) => {
            row::write(batch, card, &number)?;
            exported.cards += 1;
        }
        Err(SealError::Library) => return Err(ExportError::Library(SealError::Library)),
        Err(SealError::UnknownKey | SealError::Unusable) => {
            exported.unusable_count += 1;
            if exported.unusable.len() < NAMED_MAX {
                exported.unusable.push(card.card.id.clone());
            }
        }
    }
    Ok(())
}

/// The rows as the encryption reads them.
struct Rows {
    received: mpsc::Receiver<Zeroizing<Vec<u8>>>,
    batch: Zeroizing<Vec<u8>>,
    /// How many bytes of the batch were read.
    read: usize,
}

impl Read for Rows {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.batch.len() {
            let Some(next) = self.received.blocking_recv() else {
                return Ok(0);
            };
            (self.batch, self.read) = (next, 0);
        }
        let length = (&self.batch[self.read..]).read(buffer)?;
        self.read += length;
        Ok(length)
    }
}
