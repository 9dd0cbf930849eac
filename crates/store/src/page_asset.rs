//! The page's files of this build and of earlier ones, by their names, which contain the hash of their content.

use protocol::ids::sha256_hex;

use serde::Deserialize;

use super::sql::query;
use super::write::retried;
use super::{Store, StoreError};

/// A text file of the page.
#[derive(Debug, Clone, Deserialize)]
pub struct PageAsset {
    /// Its path below `/assets/`.
    pub path: String,
    /// Its content.
    pub body: String,
    /// The SHA-256 of its content when its build was installed, in hexadecimal.
    pub sha256: String,
    /// Shows that a service with the vault's keys stored it; empty without a vault.
    pub mac: String,
}

impl PageAsset {
    /// A file as it is installed.
    pub fn new(path: String, body: String) -> Self {
        let sha256 = sha256_hex(body.as_bytes());
        let mac = String::new();
        Self {
            path,
            body,
            sha256,
            mac,
        }
    }

    /// Whether its content is the same as when it was installed.
    pub fn is_unchanged(&self) -> bool {
        self.sha256 == sha256_hex(self.body.as_bytes())
    }
}

impl Store {
    /// Stores `assets` with the time `now`, and deletes those that were last stored before `oldest`; both in unix
    /// milliseconds.
    pub async fn keep_page_assets(
        &self,
        assets: &[PageAsset],
        now: i64,
        oldest: i64,
    ) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            for asset in assets {
                // The content of a file name never changes, except by a change in the database.
                query(
                    "INSERT INTO page_assets (path, body, sha256, mac, kept_at) VALUES ($1, $2, $3, $4, $5)
                     ON CONFLICT (path) DO UPDATE SET kept_at = excluded.kept_at, body = excluded.body,
                     sha256 = excluded.sha256, mac = excluded.mac",
                )
                .bind(&asset.path)
                .bind(&asset.body)
                .bind(&asset.sha256)
                .bind(&asset.mac)
                .bind(now)
                .execute(&mut tx)
                .await?;
            }
            query("DELETE FROM page_assets WHERE kept_at < $1")
                .bind(oldest)
                .execute(&mut tx)
                .await?;
            // Files that earlier versions stored have no hash yet.
            let before: Vec<PageAsset> =
                query("SELECT path, body, sha256, mac FROM page_assets WHERE sha256 = ''")
                    .fetch_all(&mut tx)
                    .await?;
            for asset in before {
                query("UPDATE page_assets SET sha256 = $1 WHERE path = $2")
                    .bind(sha256_hex(asset.body.as_bytes()))
                    .bind(&asset.path)
                    .execute(&mut tx)
                    .await?;
            }
            tx.commit().await
        })
        .await
    }

    /// The files of all builds.
    pub async fn page_assets(&self) -> Result<Vec<PageAsset>, StoreError> {
        let sql = "SELECT path, body, sha256, mac FROM page_assets";
        Ok(query(sql).fetch_all(&self.readers).await?)
    }

    /// The names of the files that were stored at this time, in unix milliseconds, or later.
    pub async fn page_assets_since(&self, time: i64) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT path FROM page_assets WHERE kept_at >= $1";
        Ok(query(sql).bind(time).fetch_all(&self.readers).await?)
    }

    /// The file of this name, if any build kept it.
    pub async fn page_asset(&self, path: &str) -> Result<Option<PageAsset>, StoreError> {
        Ok(
            query("SELECT path, body, sha256, mac FROM page_assets WHERE path = $1")
                .bind(path)
                .fetch_optional(&self.readers)
                .await?,
        )
    }
}
