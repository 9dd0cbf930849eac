//! The merchant's website and logo, which its payment page shows beside its name.

use serde::Deserialize;
use serde_json::{Value, json};

use super::audit_log::{Actor, AuditAction, note};
use super::sql::query;
use super::write::retried;
use super::{Store, StoreError};

/// A merchant's website and logo.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct MerchantPage {
    /// Its website.
    pub website: Option<String>,
    /// The name of its logo.
    pub logo_name: Option<String>,
}

/// A merchant's logo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    /// The SHA-256 of the file, and its extension.
    pub name: String,
    /// The file in base64.
    pub body: String,
}

/// A change; `None` leaves a value unchanged, `Some(None)` removes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MerchantPageChange {
    /// The website.
    pub website: Option<Option<String>>,
    /// The logo.
    pub logo: Option<Option<Logo>>,
}

impl MerchantPageChange {
    /// The details for the audit log.
    fn detail(&self) -> Value {
        let mut detail = json!({});
        if let Some(website) = &self.website {
            detail["website"] = json!(website);
        }
        if let Some(logo) = &self.logo {
            detail["logo"] = json!(logo.as_ref().map(|logo| &logo.name));
        }
        detail
    }
}

impl Store {
    /// The website and logo of this merchant, as far as they are set.
    pub async fn merchant_page(&self, partner_id: &str) -> Result<MerchantPage, StoreError> {
        let found = query("SELECT website, logo_name FROM merchant_pages WHERE partner_id = $1")
            .bind(partner_id)
            .fetch_optional(&self.readers)
            .await?;
        Ok(found.unwrap_or_default())
    }

    /// Changes the website and logo of this merchant.
    pub async fn change_merchant_page(
        &self,
        partner_id: &str,
        change: &MerchantPageChange,
        by: &Actor,
    ) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            query("INSERT INTO merchant_pages (partner_id) VALUES ($1) ON CONFLICT DO NOTHING")
                .bind(partner_id)
                .execute(&mut tx)
                .await?;
            if let Some(website) = &change.website {
                query("UPDATE merchant_pages SET website = $1 WHERE partner_id = $2")
                    .bind(website)
                    .bind(partner_id)
                    .execute(&mut tx)
                    .await?;
            }
            if let Some(logo) = &change.logo {
                query("UPDATE merchant_pages SET logo_name = $1, logo = $2 WHERE partner_id = $3")
                    .bind(logo.as_ref().map(|logo| &logo.name))
                    .bind(logo.as_ref().map(|logo| &logo.body))
                    .bind(partner_id)
                    .execute(&mut tx)
                    .await?;
            }
            note(
                &mut tx,
                by,
                AuditAction::MerchantChanged,
                partner_id,
                &change.detail(),
            )
            .await?;
            tx.commit().await
        })
        .await
    }

    /// The logo with this name, in base64, if a merchant has it.
    pub async fn logo(&self, name: &str) -> Result<Option<String>, StoreError> {
        Ok(
            query("SELECT logo FROM merchant_pages WHERE logo_name = $1 LIMIT 1")
                .bind(name)
                .fetch_optional(&self.readers)
                .await?,
        )
    }
}
