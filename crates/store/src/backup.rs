//! Copies a SQLite database while it is used, and checks a copy.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::database::Database;
use super::sql::SqlError;
use super::sql::sqlite::{SqliteConnection, blocking};

/// Only its owner can read a copy.
const OWNER_ALONE: u32 = 0o600;

/// The endings of the files that SQLite keeps beside a file in use.
const LOGS: [&str; 2] = ["-wal", "-shm"];

/// The checks of the books. Each one counts rows that contradict others, and must find none.
const BOOKS: [(&str, &str); 4] = [
    (
        "a paid charge has no attempt that paid it",
        "SELECT COUNT(*) FROM charges c WHERE c.status IN ('succeeded', 'authorized') AND NOT EXISTS \
         (SELECT 1 FROM attempts a WHERE a.charge_id = c.id AND a.state = 'succeeded')",
    ),
    (
        // Held money may have been released since, or the hold may have ended.
        "an attempt paid, but its charge is not paid",
        "SELECT COUNT(*) FROM attempts a WHERE a.state = 'succeeded' AND NOT EXISTS \
         (SELECT 1 FROM charges c WHERE c.id = a.charge_id AND (c.status IN ('succeeded', 'authorized') \
         OR (c.status IN ('canceled', 'expired') AND a.facts ->> '$.held')))",
    ),
    (
        "an attempt is under way, but its charge is not",
        "SELECT COUNT(*) FROM attempts a WHERE a.state IN ('in_flight', 'outcome_unknown', \
         'waiting_for_shopper_action') AND NOT EXISTS (SELECT 1 FROM charges c WHERE c.id = a.charge_id \
         AND c.status IN ('processing', 'outcome_unknown', 'waiting_for_shopper_action'))",
    ),
    (
        "a charge is under way without an attempt",
        "SELECT COUNT(*) FROM charges c WHERE c.status IN ('processing', 'outcome_unknown', \
         'waiting_for_shopper_action') AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.charge_id = c.id \
         AND a.state IN ('in_flight', 'outcome_unknown', 'waiting_for_shopper_action'))",
    ),
];

/// The content of a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedCopy {
    /// The size of the file.
    pub bytes: u64,
    /// How many charges.
    pub charges: i64,
    /// How many attempts.
    pub attempts: i64,
    /// When the newest attempt began, in unix milliseconds.
    pub newest_attempt: Option<i64>,
}

/// Why there is no copy, or it cannot be used.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The place is taken; nothing is overwritten.
    #[error("{0} exists already; nothing was overwritten")]
    Exists(PathBuf),
    /// Another copy to the same place is being made, or one did not end.
    #[error("{0} exists already: another copy is being made, or one did not end; remove it if none is")]
    Unfinished(PathBuf),
    /// The file system refuses.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// The database refuses.
    #[error("database: {0}")]
    Database(#[from] SqlError),
    /// The copy is damaged.
    #[error("the copy is damaged: {0}")]
    Damaged(String),
    /// The books in it contradict each other.
    #[error("the copy's books are not consistent: {0} ({1} times)")]
    Books(&'static str, i64),
}

/// Copies the SQLite database `from`, which may be in use, to the new file `to`. The copy gets its name only after it was
/// checked and is on the disk.
pub async fn back_up(from: &Path, to: &Path) -> Result<CheckedCopy, BackupError> {
    let (from, to) = (from.to_owned(), to.to_owned());
    blocking(move || UnnamedCopy::fill(&to, |part| copy_live(&from, part))?.name_now()).await?
}

/// Checks the copy `from`, and copies it beside the new file `to`. It can be used, and changed, before it gets that name.
pub async fn restore(from: &Path, to: &Path) -> Result<UnnamedCopy, BackupError> {
    let (from, to) = (from.to_owned(), to.to_owned());
    blocking(move || {
        for end in LOGS {
            let left = with_ending(&to, end);
            if left.exists() {
                return Err(BackupError::Exists(left));
            }
        }
        UnnamedCopy::fill(&to, |part| {
            let mut source = File::open(&from).map_err(|cause| BackupError::File(from.clone(), cause))?;
            let mut target = OpenOptions::new()
                .write(true)
                .open(part)
                .map_err(|cause| BackupError::File(part.to_owned(), cause))?;
            io::copy(&mut source, &mut target).map_err(|cause| BackupError::File(part.to_owned(), cause))?;
            Ok(())
        })
    })
    .await?
}

/// Checks a copy: each page, each reference, and that charges and attempts agree.
pub async fn check_copy(copy: &Path) -> Result<CheckedCopy, BackupError> {
    let copy = copy.to_owned();
    blocking(move || check(&copy)).await?
}

fn with_ending(file: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(end);
    PathBuf::from(name)
}

/// A checked copy beside the place it is meant for. Dropped without a name it is removed.
#[derive(Debug)]
pub struct UnnamedCopy {
    part: PathBuf,
    to: PathBuf,
    checked: CheckedCopy,
}

impl UnnamedCopy {
    /// Fills a new file beside `to`, and checks it.
    fn fill(to: &Path, fill: impl FnOnce(&Path) -> Result<(), BackupError>) -> Result<Self, BackupError> {
        if to.exists() {
            return Err(BackupError::Exists(to.to_owned()));
        }
        let part = with_ending(to, ".part");
        let made = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(OWNER_ALONE)
            .open(&part);
        match made {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                return Err(BackupError::Unfinished(part));
            }
            other => other.map_err(|cause| BackupError::File(part.clone(), cause))?,
        };
        let mut copy = Self {
            part,
            to: to.to_owned(),
            checked: CheckedCopy::default(),
        };
        fill(&copy.part)?;
        copy.checked = check(&copy.part)?;
        Ok(copy)
    }

    /// The copy, to be changed before it gets its name.
    pub fn database(&self) -> Database {
        Database::Sqlite(self.part.clone())
    }

    /// Flushes the copy to the disk, and gives it its name. No process may have it open, because changes that are only in
    /// the log beside it would be lost.
    pub async fn name(self) -> Result<CheckedCopy, BackupError> {
        blocking(move || self.name_now()).await?
    }

    fn name_now(self) -> Result<CheckedCopy, BackupError> {
        let log = with_ending(&self.part, LOGS[0]);
        if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            return Err(BackupError::Unfinished(log));
        }
        let at = |cause| BackupError::File(self.part.clone(), cause);
        File::open(&self.part)
            .and_then(|file| file.sync_all())
            .map_err(at)?;
        // Unlike a renaming, this never replaces a file.
        match std::fs::hard_link(&self.part, &self.to) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                return Err(BackupError::Exists(self.to.clone()));
            }
            other => other.map_err(at)?,
        }
        std::fs::remove_file(&self.part).map_err(at)?;
        let folder = self.to.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|cause| BackupError::File(folder.to_owned(), cause))?;
        Ok(self.checked.clone())
    }
}

impl Drop for UnnamedCopy {
    fn drop(&mut self) {
        for end in LOGS.into_iter().chain([""]) {
            // It has its name already, or nothing can be done about it.
            let _ = std::fs::remove_file(with_ending(&self.part, end));
        }
    }
}

/// One reading transaction, beside which others write. It copies only what is in the tables, so nothing that was
/// deleted.
fn copy_live(from: &Path, part: &Path) -> Result<(), BackupError> {
    let name = part.to_string_lossy().replace('\'', "''");
    SqliteConnection::read(from)?.batch(&format!("VACUUM INTO '{name}'"))?;
    Ok(())
}

fn check(copy: &Path) -> Result<CheckedCopy, BackupError> {
    let bytes = std::fs::metadata(copy)
        .map_err(|cause| BackupError::File(copy.to_owned(), cause))?
        .len();
    let connection = SqliteConnection::look(copy)?;
    let said: String = connection.first("PRAGMA integrity_check(1)")?;
    if said != "ok" {
        return Err(BackupError::Damaged(said));
    }
    let dangling: i64 = connection.first("SELECT COUNT(*) FROM pragma_foreign_key_check")?;
    if dangling > 0 {
        return Err(BackupError::Books(
            "a row belongs to another that is missing",
            dangling,
        ));
    }
    for (what, sql) in BOOKS {
        let found: i64 = connection.first(sql)?;
        if found > 0 {
            return Err(BackupError::Books(what, found));
        }
    }
    Ok(CheckedCopy {
        bytes,
        charges: connection.first("SELECT COUNT(*) FROM charges")?,
        attempts: connection.first("SELECT COUNT(*) FROM attempts")?,
        newest_attempt: connection.first("SELECT MAX(created_at) FROM attempts")?,
    })
}
