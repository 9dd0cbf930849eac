//! Saves cards from an encrypted file. The whole file is read twice: first every row is checked, and nothing is written;
//! then the cards are saved in batches. So a file with a wrong row or a changed byte leaves nothing behind.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, Read, Seek};
use std::sync::Arc;

use protocol::clock::Clock;
use protocol::ids::{IdKind, new_id};
use rules::CardNetworks;
use serde_json::Value;
use store::{Actor, CardOwner, ExportedCard, ImportState, ImportedCard, Store, StoreError};
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use vault::{KeyRing, SealError};

use super::open_pgp::{OpenPgpError, OwnKey};
use super::row::{CardRow, Header, HeaderError, RowError};
use super::{BATCHES_WAITING_MAX, CARDS_PER_BATCH, NAMED_MAX};
use crate::saved_cards::save::{card_record, network_names, shown_card};

/// A row has at most so many bytes; the limit is checked when the next bytes are read.
const ROW_BYTES_MAX: usize = 32 * 1024;

/// A row that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRow {
    /// The line of the file at which the row begins, from 1.
    pub line: u64,
    /// Why it is refused.
    pub reason: RowError,
}

/// A row whose card is here already with another id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherId {
    /// The line of the file.
    pub line: u64,
    /// The id in the file.
    pub in_file: String,
    /// The id here.
    pub here: String,
}

/// What an import does, or would do.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ImportReport {
    /// How many cards are new.
    pub new: u64,
    /// How many cards are here already; they do not change.
    pub already_saved: u64,
    /// How many of these have another id here than in the file.
    pub other_id_count: u64,
    /// The first of them.
    pub other_ids: Vec<OtherId>,
    /// How many rows are refused. If there is one, nothing is imported.
    pub refused_count: u64,
    /// The first of them.
    pub refused: Vec<RefusedRow>,
}

/// Why an import stopped.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A card cannot be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The file cannot be decrypted.
    #[error(transparent)]
    OpenPgp(#[from] OpenPgpError),
    /// The first line is wrong.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    File(#[from] io::Error),
    /// The second reading found another content.
    #[error("it was changed while it was read")]
    Changed,
    /// The thread that decrypts ended early.
    #[error("the decryption ended early")]
    Ended,
}

/// An import of a file.
pub struct Import<'a> {
    /// Where the cards go.
    pub store: &'a Store,
    /// Seals them.
    pub ring: &'a KeyRing,
    /// The ranges of numbers with their card networks.
    pub networks: &'a CardNetworks,
    /// Dates those without a time.
    pub clock: &'a Clock,
    /// The merchant of all cards; without one each row names its own.
    pub partner_id: Option<&'a str>,
    /// The encrypted file.
    pub file: File,
    /// Opens it.
    pub key: Arc<OwnKey>,
}

/// A row with its line.
type Line = (u64, Result<CardRow, RowError>);
/// The thread that decrypts the file.
type Reading = JoinHandle<Result<(), ImportError>>;

impl Import<'_> {
    /// Checks the file to its end. Writes nothing.
    pub async fn check(&self) -> Result<ImportReport, ImportError> {
        let (mut rows, reading) = self.read()?;
        let mut check = Check::default();
        while let Some(batch) = rows.recv().await {
            for (line, row) in batch {
                let in_file = id_of(&row);
                match self.check_row(row, &mut check).await? {
                    Ok(state) => check.report.count(line, in_file, state),
                    Err(reason) => check.report.refuse(line, reason),
                }
            }
        }
        reading.await.map_err(|_| ImportError::Ended)??;
        Ok(check.report)
    }

    /// Saves the new cards of a file that was checked, with a line in the audit log for each. If it is interrupted, the
    /// same import saves the rest.
    pub async fn save(&self, by: &Actor, detail: &Value) -> Result<ImportReport, ImportError> {
        let (mut rows, reading) = self.read()?;
        let mut report = ImportReport::default();
        while let Some(batch) = rows.recv().await {
            let mut lines = Vec::with_capacity(batch.len());
            let mut cards = Vec::with_capacity(batch.len());
            for (line, row) in batch {
                lines.push((line, id_of(&row)));
                cards.push(self.seal(row.map_err(|_| ImportError::Changed)?)?);
            }
            let states = self.store.import_cards(&cards, by, detail).await?;
            for ((line, in_file), state) in lines.into_iter().zip(states) {
                report.count(line, in_file, state);
            }
        }
        reading.await.map_err(|_| ImportError::Ended)??;
        Ok(report)
    }

    /// Decrypts the file from its beginning, in a thread of its own.
    fn read(&self) -> Result<(mpsc::Receiver<Vec<Line>>, Reading), ImportError> {
        let mut file = self.file.try_clone()?;
        file.rewind()?;
        let (send, rows) = mpsc::channel(BATCHES_WAITING_MAX);
        let (key, needs_partner) = (Arc::clone(&self.key), self.partner_id.is_none());
        Ok((
            rows,
            spawn_blocking(move || read_rows(file, &key, needs_partner, &send)),
        ))
    }

    /// Whether the card of a row is here already.
    async fn check_row(
        &self,
        row: Result<CardRow, RowError>,
        check: &mut Check,
    ) -> Result<Result<ImportState, RowError>, ImportError> {
        let row = match row {
            Ok(row) => row,
            Err(reason) => return Ok(Err(reason)),
        };
        if let Some(own) = row.payment_method_id.as_deref()
            && !check.ids.insert(digest(own))
        {
            return Ok(Err(RowError::RepeatedId));
        }
        let is_other = check.is_other_merchant(row.partner_id.as_deref());
        if self.partner_id.is_some() && is_other {
            return Ok(Err(RowError::OtherMerchant));
        }
        let card = self.seal(row)?;
        if self.partner_id.is_none() && !check.is_merchant(self.store, &card.card.owner.partner_id).await? {
            return Ok(Err(RowError::UnknownMerchant));
        }
        let is_repeated = !check.fingerprints.insert(digest(&card.fingerprint));
        Ok(match self.store.import_state(&card).await? {
            ImportState::IdTaken => Err(RowError::IdTaken),
            // The row before it will save the card.
            ImportState::New if is_repeated => Ok(ImportState::Saved(card.card.card.id)),
            state => Ok(state),
        })
    }

    /// The card as this vault stores it.
    fn seal(&self, row: CardRow) -> Result<ImportedCard, ImportError> {
        let now = self.clock.now_ms();
        let partner_id = self.partner_id.map(str::to_owned).or(row.partner_id);
        let owner = CardOwner {
            partner_id: partner_id.unwrap_or_default(),
            shopper_id: row.shopper_id,
        };
        let id = row
            .payment_method_id
            .unwrap_or_else(|| new_id(IdKind::PaymentMethod, self.clock));
        let card_id = row.card_id.unwrap_or_else(|| new_id(IdKind::Card, self.clock));
        let record = card_record(&owner, &id);
        let sealed = self.ring.seal(&row.number, record)?;
        let fingerprints = self.ring.fingerprints(&row.number, record);
        let expiry = (row.expiration_month, row.expiration_year);
        let networks = network_names(self.networks, &row.number);
        Ok(ImportedCard {
            fingerprint: fingerprints.active,
            older_fingerprints: fingerprints.others,
            card: ExportedCard {
                card: shown_card(id, card_id, &row.number, expiry, row.holder_name, networks, None),
                owner,
                sealed,
                agreement: row.agreement,
                network_transaction_id: row.network_transaction_id,
                created_at: row.created_at.unwrap_or(now),
                saved_at: row.saved_at.unwrap_or(now),
            },
        })
    }
}

impl ImportReport {
    fn refuse(&mut self, line: u64, reason: RowError) {
        self.refused_count += 1;
        if self.refused.len() < NAMED_MAX {
            self.refused.push(RefusedRow { line, reason });
        }
    }

    fn count(&mut self, line: u64, in_file: Option<String>, state: ImportState) {
        match state {
            ImportState::New => self.new += 1,
            ImportState::IdTaken => self.refuse(line, RowError::IdTaken),
            ImportState::Saved(here) => {
                self.already_saved += 1;
                if let Some(in_file) = in_file.filter(|in_file| *in_file != here) {
                    self.other_id_count += 1;
                    if self.other_ids.len() < NAMED_MAX {
                        self.other_ids.push(OtherId { line, in_file, here });
                    }
                }
            }
        }
    }
}

/// The id that the file has for the card.
fn id_of(row: &Result<CardRow, RowError>) -> Option<String> {
    row.as_ref().ok()?.payment_method_id.clone()
}

/// What the check remembers of earlier rows: eight bytes for an id and a fingerprint each.
#[derive(Default)]
struct Check {
    report: ImportReport,
    ids: HashSet<u64>,
    fingerprints: HashSet<u64>,
    /// The merchant of the first row, or an empty text if it names none.
    first_merchant: Option<String>,
    /// The merchants that exist.
    merchants: HashSet<String>,
}

impl Check {
    fn is_other_merchant(&mut self, partner_id: Option<&str>) -> bool {
        let named = partner_id.unwrap_or_default();
        *self.first_merchant.get_or_insert_with(|| named.to_owned()) != named
    }

    async fn is_merchant(&mut self, store: &Store, partner_id: &str) -> Result<bool, StoreError> {
        if self.merchants.contains(partner_id) {
            return Ok(true);
        }
        let exists = store.partner(partner_id).await?.is_some();
        if exists {
            self.merchants.insert(partner_id.to_owned());
        }
        Ok(exists)
    }
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Decrypts the file and sends its rows in batches.
fn read_rows(
    file: File,
    key: &OwnKey,
    needs_partner: bool,
    send: &mpsc::Sender<Vec<Line>>,
) -> Result<(), ImportError> {
    let clear = LimitedRows {
        clear: key.decrypt(BufReader::new(file))?,
        left: ROW_BYTES_MAX,
        has_failed: false,
    };
    let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(clear);
    let outcome = send_rows(&mut rows, needs_partner, send);
    // A changed byte makes wrong rows, and is noticed at the file's end. It is the better reason.
    rows.get_mut().read_to_the_end()?;
    outcome
}

fn send_rows<R: Read>(
    rows: &mut csv::Reader<LimitedRows<R>>,
    needs_partner: bool,
    send: &mpsc::Sender<Vec<Line>>,
) -> Result<(), ImportError> {
    let mut row = csv::StringRecord::new();
    if !rows.read_record(&mut row).map_err(|_| HeaderError::Unknown(1))? {
        return Err(HeaderError::Empty.into());
    }
    let header = Header::read(&row, needs_partner)?;
    let mut is_over = false;
    while !is_over {
        let mut batch = Vec::new();
        while batch.len() < CARDS_PER_BATCH.into() && !is_over {
            rows.get_mut().left = ROW_BYTES_MAX;
            let line = rows.position().line();
            let read = rows.read_record(&mut row);
            is_over = matches!(&read, Ok(false)) || matches!(&read, Err(error) if error.is_io_error());
            let line = row.position().map_or(line, csv::Position::line);
            match read {
                Ok(true) => batch.push((line, CardRow::read(&header, &row))),
                Ok(false) => {}
                Err(_) => batch.push((line, Err(RowError::Shape))),
            }
        }
        // If nothing receives rows any more, the receiver has the reason.
        if send.blocking_send(batch).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Ends the reading of a row that is too long, so that a quote without an end does not read the whole file into memory.
struct LimitedRows<R> {
    clear: R,
    /// How many more bytes may be read for this row.
    left: usize,
    /// The decryption has failed. It must not be read again.
    has_failed: bool,
}

impl<R: Read> LimitedRows<R> {
    fn read_to_the_end(&mut self) -> Result<(), OpenPgpError> {
        if self.has_failed {
            return Err(OpenPgpError::Damaged);
        }
        io::copy(&mut self.clear, &mut io::sink()).map_err(|_| OpenPgpError::Damaged)?;
        Ok(())
    }
}

impl<R: Read> Read for LimitedRows<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a row is too long"));
        }
        let length = buffer.len().min(self.left);
        let read = self.clear.read(&mut buffer[..length]);
        self.has_failed = read.is_err();
        let read = read?;
        self.left -= read;
        Ok(read)
    }
}
