//! Merchants.

use protocol::ids::{IdKind, new_id_at, sha256_hex};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::audit_log::{Actor, AuditAction, note};
use super::secret_key::{NewSecretKey, add_secret_key};
use super::sql::query;
use super::write::retried;
use super::{Store, StoreError};

/// A merchant.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Partner {
    /// `partner_…`.
    pub id: String,
    /// As the operator named it.
    pub name: String,
    /// The origins that may embed the form; empty for any.
    pub allowed_origins: Vec<String>,
    /// The sites of the fraud prevention whose script its forms may load.
    pub site_ids: Vec<String>,
    /// Whether it takes new charges and payments.
    pub active: bool,
    /// Unix milliseconds.
    pub created_at: i64,
}

/// A change of a merchant; `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartnerChange {
    /// The name.
    pub name: Option<String>,
    /// The origins that may embed the form; empty for any.
    pub allowed_origins: Option<Vec<String>>,
    /// The sites of the fraud prevention whose script its forms may load.
    pub site_ids: Option<Vec<String>>,
    /// Whether it takes new charges and payments.
    pub active: Option<bool>,
}

impl PartnerChange {
    /// The details for the audit log.
    fn detail(&self) -> Value {
        let changes = [
            ("name", self.name.as_ref().map(|name| json!(name))),
            (
                "allowed_origins",
                self.allowed_origins.as_ref().map(|origins| json!(origins)),
            ),
            ("site_ids", self.site_ids.as_ref().map(|ids| json!(ids))),
            ("active", self.active.map(Value::from)),
        ];
        let given = changes
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(given.collect::<Map<_, _>>())
    }

    fn apply(&self, partner: &mut Partner) {
        if let Some(name) = &self.name {
            partner.name.clone_from(name);
        }
        if let Some(origins) = &self.allowed_origins {
            partner.allowed_origins.clone_from(origins);
        }
        if let Some(site_ids) = &self.site_ids {
            partner.site_ids.clone_from(site_ids);
        }
        if let Some(active) = self.active {
            partner.active = active;
        }
    }
}

impl Store {
    /// Adds a merchant with its first secret key, or changes the merchant with this id and gives it this key, too.
    pub async fn put_partner(&self, partner: &Partner, secret_key: &str) -> Result<(), StoreError> {
        self.put_partner_by(partner, secret_key, &Actor::service(partner.created_at))
            .await
    }

    /// Adds or changes a merchant as [`Self::put_partner`] does, and records who did it.
    pub async fn put_partner_by(
        &self,
        partner: &Partner,
        secret_key: &str,
        by: &Actor,
    ) -> Result<(), StoreError> {
        let key = NewSecretKey {
            id: &new_id_at(IdKind::SecretKey, by.at),
            secret: secret_key,
        };
        retried(|| async {
            let mut tx = self.write().await?;
            query(
                "INSERT INTO partners (id, name, allowed_origins, site_ids, active, created_at) \
                 VALUES ($1, $2, $3, $4, $5, $6) \
                 ON CONFLICT (id) DO UPDATE SET name = excluded.name, allowed_origins = excluded.allowed_origins, \
                 site_ids = excluded.site_ids, active = excluded.active",
            )
            .bind(&partner.id)
            .bind(&partner.name)
            .bind(list_text(&partner.allowed_origins))
            .bind(list_text(&partner.site_ids))
            .bind(i64::from(partner.active))
            .bind(partner.created_at)
            .execute(&mut tx)
            .await?;
            let detail = json!({
                "name": partner.name, "allowed_origins": partner.allowed_origins, "site_ids": partner.site_ids,
            });
            note(&mut tx, by, AuditAction::MerchantAdded, &partner.id, &detail).await?;
            add_secret_key(&mut tx, &partner.id, key, by).await?;
            tx.commit().await
        })
        .await
    }

    /// Changes a merchant. Returns the changed merchant, or `None` if the id is unknown.
    pub async fn change_partner(
        &self,
        id: &str,
        change: &PartnerChange,
        by: &Actor,
    ) -> Result<Option<Partner>, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            // The row is locked first, so that two simultaneous changes do not undo each other.
            let held = query("UPDATE partners SET active = active WHERE id = $1")
                .bind(id)
                .execute(&mut tx)
                .await?;
            if held == 0 {
                return Ok(None);
            }
            let mut partner: Partner = query(
                "SELECT id, name, allowed_origins, site_ids, active, created_at FROM partners WHERE id = $1",
            )
            .bind(id)
            .fetch_one(&mut tx)
            .await?;
            change.apply(&mut partner);
            query(
                "UPDATE partners SET name = $1, allowed_origins = $2, site_ids = $3, active = $4 WHERE id = $5",
            )
            .bind(&partner.name)
            .bind(list_text(&partner.allowed_origins))
            .bind(list_text(&partner.site_ids))
            .bind(i64::from(partner.active))
            .bind(id)
            .execute(&mut tx)
            .await?;
            // `merchant set` may change the merchant's page only, which has a line of its own.
            if *change != PartnerChange::default() {
                note(&mut tx, by, AuditAction::MerchantChanged, id, &change.detail()).await?;
            }
            tx.commit().await?;
            Ok(Some(partner))
        })
        .await
    }

    /// The merchant with this id.
    pub async fn partner(&self, id: &str) -> Result<Option<Partner>, StoreError> {
        Ok(query(
            "SELECT id, name, allowed_origins, site_ids, active, created_at FROM partners WHERE id = $1",
        )
        .bind(id)
        .fetch_optional(&self.readers)
        .await?)
    }

    /// The merchant with this secret key at `now_ms`. Looking up the digest takes the same time for every wrong key.
    pub async fn partner_by_secret_key(
        &self,
        secret_key: &str,
        now_ms: i64,
    ) -> Result<Option<Partner>, StoreError> {
        Ok(query(
            "SELECT p.id, p.name, p.allowed_origins, p.site_ids, p.active, p.created_at \
             FROM secret_keys k JOIN partners p ON p.id = k.partner_id \
             WHERE k.sha256 = $1 AND k.revoked = 0 AND (k.ends_at IS NULL OR k.ends_at > $2)",
        )
        .bind(sha256_hex(secret_key.as_bytes()))
        .bind(now_ms)
        .fetch_optional(&self.readers)
        .await?)
    }

    /// All merchants, the oldest first.
    pub async fn partners(&self) -> Result<Vec<Partner>, StoreError> {
        let sql = "SELECT id, name, allowed_origins, site_ids, active, created_at FROM partners ORDER BY created_at, id";
        Ok(query(sql).fetch_all(&self.readers).await?)
    }
}

fn list_text(entries: &[String]) -> String {
    Value::from(entries.to_vec()).to_string()
}
