//! The payments that the simulator was asked for: one entry per idempotency key, in a file that survives a killed
//! process.

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use protocol::ToldCharge;
use providers::simulator::payment::PaymentOutcome;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::private_file::{open_to_append, replace};

/// The file of the ledger in the data directory, one JSON object per line.
const FILE: &str = "ledger.jsonl";

/// One payment. It contains nothing of the card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The idempotency key of the payment.
    pub idempotency_key: String,
    /// The charge it is for.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// How it ended.
    pub outcome: PaymentOutcome,
    /// When it ended, RFC 3339.
    pub at: String,
    /// Why it was declined.
    pub decline_code: Option<String>,
    /// What was told of the charge.
    #[serde(default)]
    pub told: Option<Arc<ToldCharge>>,
    /// It was canceled before it was asked for: it stands for no payment, and keeps the key from ever making one.
    #[serde(default)]
    pub prevented: bool,
}

/// The ledger. An entry is in the file before anybody is told of it.
#[derive(Debug)]
pub struct Ledger(Mutex<LedgerContent>);

#[derive(Debug, Default)]
struct LedgerContent {
    entries: Vec<Entry>,
    by_key: HashMap<String, usize>,
    file: Option<File>,
}

/// Why the ledger cannot be kept.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The file cannot be opened, read or written.
    #[error("the simulator's ledger cannot be kept: {0}")]
    File(#[from] std::io::Error),
    /// A line of the file is not an entry.
    #[error("line {0} of the simulator's ledger is not an entry")]
    Line(usize),
}

impl Ledger {
    /// A ledger that is lost when the process ends.
    pub fn in_memory() -> Self {
        Self(Mutex::new(LedgerContent::default()))
    }

    /// The ledger in `data`; made if it is missing. It survives a killed process, but not a loss of power, because
    /// entries are not forced to the disk.
    pub fn open(data: &Path) -> Result<Self, LedgerError> {
        std::fs::create_dir_all(data)?;
        let path = data.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            other => other?,
        };
        // A killed process may leave half a line without a line break. Nobody has been told of that entry.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut book = LedgerContent::default();
        for (number, line) in whole.lines().enumerate() {
            let entry = serde_json::from_str(line).map_err(|_| LedgerError::Line(number + 1))?;
            book.insert(entry);
        }
        if whole.len() < text.len() {
            replace(&path, whole)?;
        }
        book.file = Some(open_to_append(&path)?);
        Ok(Self(Mutex::new(book)))
    }

    /// The entry with this key; made by `make` if there is none.
    pub fn entry(&self, key: &str, make: impl FnOnce() -> Entry) -> Result<Entry, LedgerError> {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = book.find(key) {
            return Ok(entry.clone());
        }
        let entry = make();
        if let Some(file) = &mut book.file {
            file.write_all(line(&entry)?.as_bytes())?;
        }
        book.insert(entry.clone());
        Ok(entry)
    }

    /// The entry with this key.
    pub fn find(&self, key: &str) -> Option<Entry> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .find(key)
            .cloned()
    }

    /// The entry of every payment, oldest first.
    pub fn entries(&self) -> Vec<Entry> {
        let book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.entries
            .iter()
            .filter(|entry| !entry.prevented)
            .cloned()
            .collect()
    }
}

impl LedgerContent {
    fn find(&self, key: &str) -> Option<&Entry> {
        self.by_key.get(key).and_then(|at| self.entries.get(*at))
    }

    fn insert(&mut self, entry: Entry) {
        self.by_key
            .insert(entry.idempotency_key.clone(), self.entries.len());
        self.entries.push(entry);
    }
}

fn line(entry: &Entry) -> Result<String, std::io::Error> {
    Ok(serde_json::to_string(entry)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &str, outcome: PaymentOutcome) -> Entry {
        Entry {
            idempotency_key: key.to_owned(),
            charge_id: "ch_1".to_owned(),
            amount_value: "12.50".to_owned(),
            amount_currency: "USD".to_owned(),
            outcome,
            at: "2026-01-02T03:04:05Z".to_owned(),
            decline_code: None,
            told: None,
            prevented: false,
        }
    }

    #[test]
    fn the_first_entry_of_a_key_stays() {
        let ledger = Ledger::in_memory();
        let first = ledger
            .entry("a", || entry("a", PaymentOutcome::Approved))
            .unwrap();
        let again = ledger
            .entry("a", || entry("a", PaymentOutcome::Declined))
            .unwrap();
        assert_eq!(first, again);
        assert_eq!(ledger.entries(), [first]);
    }

    #[test]
    fn the_file_is_read_again_without_an_incomplete_last_line() {
        let data = tempfile::tempdir().unwrap();
        let first = {
            let ledger = Ledger::open(data.path()).unwrap();
            ledger
                .entry("a", || entry("a", PaymentOutcome::Approved))
                .unwrap()
        };
        let path = data.path().join(FILE);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"idempotency_key\":\"b\",\"char");
        std::fs::write(&path, text).unwrap();
        let ledger = Ledger::open(data.path()).unwrap();
        assert_eq!(ledger.entries(), [first]);
        ledger
            .entry("c", || entry("c", PaymentOutcome::Declined))
            .unwrap();
        assert_eq!(Ledger::open(data.path()).unwrap().entries().len(), 2);
    }

    #[test]
    fn a_prevented_key_is_no_payment_and_stays_prevented() {
        let data = tempfile::tempdir().unwrap();
        let prevented = Entry {
            prevented: true,
            ..entry("a", PaymentOutcome::Declined)
        };
        Ledger::open(data.path())
            .unwrap()
            .entry("a", || prevented.clone())
            .unwrap();
        let ledger = Ledger::open(data.path()).unwrap();
        let late = ledger
            .entry("a", || entry("a", PaymentOutcome::Approved))
            .unwrap();
        assert_eq!(late, prevented);
        assert_eq!(ledger.entries(), []);
    }

    #[test]
    fn a_broken_line_in_the_middle_is_an_error() {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join(FILE), "nonsense\n{}\n").unwrap();
        assert!(matches!(Ledger::open(data.path()), Err(LedgerError::Line(1))));
    }
}
