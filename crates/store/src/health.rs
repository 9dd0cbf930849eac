//! Whether the database takes writes, and whether it is still the one that was opened.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::sql::query;
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// The file of a SQLite database, as the file system identifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileIdentity {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// The identity of the file that is at this path now.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Self {
            path: path.to_owned(),
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }
}

impl Store {
    /// Whether the file at the database's path is the one that was opened. True on PostgreSQL.
    pub fn is_same_file(&self) -> bool {
        let opened = self.file.as_ref();
        opened.is_none_or(|opened| FileIdentity::of(&opened.path).as_ref() == Some(opened))
    }

    /// Writes durably and leaves nothing behind.
    pub async fn prove_writable(&self, node: &str, now_ms: i64) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = match &self.health {
                Some(health) => Tx::Single(Box::new(health.begin().await?)),
                None => self.write().await?,
            };
            query("INSERT INTO health_checks (node, at) VALUES ($1, $2)")
                .bind(node)
                .bind(now_ms)
                .execute(&mut tx)
                .await?;
            query("DELETE FROM health_checks WHERE node = $1")
                .bind(node)
                .execute(&mut tx)
                .await?;
            tx.commit().await
        })
        .await
    }
}
