//! A list with one entry per key, in a file that survives a killed process. Each entry is a JSON object on its own line.
//! Only the owner can read the file, because it says who paid what, and a challenge's token can approve a payment.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

const OWNER_ONLY: u32 = 0o600;

/// An entry of a journal.
pub trait JournalEntry: Clone + Serialize + DeserializeOwned {
    /// No two entries have the same key.
    fn key(&self) -> &str;
}

/// A journal. An entry is in the file before a caller gets it.
#[derive(Debug)]
pub struct Journal<T>(Mutex<JournalContent<T>>);

#[derive(Debug)]
struct JournalContent<T> {
    entries: Vec<T>,
    by_key: HashMap<String, usize>,
    file: Option<File>,
}

/// Why a journal cannot be written or read.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("a file of the simulator cannot be used: {0}")]
    File(#[from] io::Error),
    /// A line of the file is not an entry.
    #[error("line {0} of a file of the simulator is not an entry")]
    Line(usize),
}

impl<T: JournalEntry> Journal<T> {
    /// A journal that is lost when the process ends.
    pub fn in_memory() -> Self {
        Self(Mutex::new(JournalContent {
            entries: Vec::new(),
            by_key: HashMap::new(),
            file: None,
        }))
    }

    /// The journal in this file, which is created if it is missing. The journal survives a killed process, but not a
    /// loss of power, because entries are not synced to the disk.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            other => other?,
        };
        // A killed process may leave half a line without a line break. No caller got that entry.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let journal = Self::in_memory();
        let mut content = journal.locked();
        for (number, line) in whole.lines().enumerate() {
            let entry = serde_json::from_str(line).map_err(|_| JournalError::Line(number + 1))?;
            content.insert(entry);
        }
        if whole.len() < text.len() {
            replace(path, whole)?;
        }
        content.file = Some(open_to_append(path)?);
        drop(content);
        Ok(journal)
    }

    /// The entry with this key; made by `make` if there is none.
    pub fn entry(&self, key: &str, make: impl FnOnce() -> T) -> Result<T, JournalError> {
        let mut content = self.locked();
        if let Some(at) = content.by_key.get(key) {
            return Ok(content.entries[*at].clone());
        }
        let entry = make();
        if let Some(file) = &mut content.file {
            let line = serde_json::to_string(&entry).map_err(io::Error::from)? + "\n";
            file.write_all(line.as_bytes())?;
        }
        content.insert(entry.clone());
        Ok(entry)
    }

    /// The entry with this key.
    pub fn find(&self, key: &str) -> Option<T> {
        let content = self.locked();
        let at = content.by_key.get(key)?;
        content.entries.get(*at).cloned()
    }

    /// The entries for which `wanted` is true, oldest first.
    pub fn entries_where(&self, wanted: impl Fn(&T) -> bool) -> Vec<T> {
        let content = self.locked();
        content
            .entries
            .iter()
            .filter(|entry| wanted(entry))
            .cloned()
            .collect()
    }

    fn locked(&self) -> MutexGuard<'_, JournalContent<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: JournalEntry> JournalContent<T> {
    fn insert(&mut self, entry: T) {
        self.by_key.insert(entry.key().to_owned(), self.entries.len());
        self.entries.push(entry);
    }
}

/// Opens a file to append to it; creates it if it is missing. If others can access it, as files of earlier versions,
/// its permissions are corrected.
fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.append(true).create(true).mode(OWNER_ONLY).open(path)?;
    if file.metadata()?.permissions().mode() & 0o777 & !OWNER_ONLY != 0 {
        file.set_permissions(Permissions::from_mode(OWNER_ONLY))?;
    }
    Ok(file)
}

/// Replaces the content of a file, which only its owner can read, in one step.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let next = path.with_extension("next");
    // A file from an earlier attempt may be longer, or readable for others.
    match std::fs::remove_file(&next) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => other?,
    }
    open_to_append(&next)?.write_all(text.as_bytes())?;
    std::fs::rename(next, path)
}

#[cfg(test)]
mod tests;
