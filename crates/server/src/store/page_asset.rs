//! The page's files of this build and of earlier ones, by the name that holds their content's hash.

use super::write::retried;
use super::{Store, StoreError};

/// A text file of the page.
#[derive(Debug, Clone)]
pub struct PageAsset {
    /// Its name below `/assets/`.
    pub path: String,
    /// What it holds.
    pub body: String,
}

impl Store {
    /// Keeps `assets` from `now` on, and forgets those that nobody kept since `oldest`; both in unix milliseconds.
    pub async fn keep_page_assets(
        &self,
        assets: &[PageAsset],
        now: i64,
        oldest: i64,
    ) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            for asset in assets {
                // What is in a file of this name never changes.
                sqlx::query(
                    "INSERT INTO page_assets (path, body, kept_at) VALUES ($1, $2, $3)
                     ON CONFLICT (path) DO UPDATE SET kept_at = excluded.kept_at",
                )
                .bind(&asset.path)
                .bind(&asset.body)
                .bind(now)
                .execute(&mut *tx)
                .await?;
            }
            sqlx::query("DELETE FROM page_assets WHERE kept_at < $1")
                .bind(oldest)
                .execute(&mut *tx)
                .await?;
            tx.commit().await
        })
        .await
    }

    /// What the file of this name holds, if any build kept it.
    pub async fn page_asset(&self, path: &str) -> Result<Option<String>, StoreError> {
        Ok(sqlx::query_scalar("SELECT body FROM page_assets WHERE path = $1")
            .bind(path)
            .fetch_optional(&self.readers)
            .await?)
    }
}
