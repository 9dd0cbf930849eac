//! Finds charges whose time has run out. No index has a charge's status, so every charge is checked when it is due. A mark
//! says until when charges were checked. A charge that cannot expire, because a card is with the provider, is noted and
//! checked again.

use std::sync::LazyLock;

use protocol::ChargeStatus;
use protocol::charge_state::{ChargeEvent, transition};

use serde::Deserialize;

use super::sql::query;
use super::write::retried;
use super::{Store, StoreError};

/// The mark stays so far behind what is due, in milliseconds: longer than any transaction takes that writes a charge, and
/// than the difference between the nodes' clocks.
const MARK_BEHIND_MS: i64 = 60_000;

/// Charges that were made one after another and are due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueCharges {
    /// When the last one was made, in unix milliseconds. The next ones were made later.
    pub until: i64,
    /// Those that have not ended and are not noted, the oldest first.
    pub open: Vec<OpenCharge>,
}

/// A charge that had not ended when it was last checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct OpenCharge {
    /// `ch_…`.
    pub id: String,
    /// The status.
    pub status: ChargeStatus,
}

static OPEN: LazyLock<String> = LazyLock::new(|| {
    let can_end =
        |status| [ChargeEvent::Expired, ChargeEvent::Declined].map(|event| transition(status, event).is_ok());
    let open: Vec<String> = ChargeStatus::ALL
        .iter()
        .copied()
        .filter(|status| can_end(*status).contains(&true))
        .map(|status| format!("'{}'", status.as_str()))
        .collect();
    format!(
        "SELECT id, status FROM charges WHERE created_at > $1 AND created_at <= $2 AND status IN ({}) \
         AND NOT EXISTS (SELECT 1 FROM overdue_charges o WHERE o.charge_id = charges.id) ORDER BY created_at",
        open.join(", ")
    )
});

impl Store {
    /// Where the search for charges that were made at `due` or before begins, both in unix milliseconds.
    pub async fn begin_of_due_charges(&self, due: i64) -> Result<i64, StoreError> {
        let mark: i64 = query("SELECT settled_until FROM charge_expiry WHERE name = 'charges'")
            .fetch_one(&self.readers)
            .await?;
        if mark <= due {
            return Ok(mark);
        }
        // A clock was wrong, or charges live longer now. What was made since then is not due, and must be looked at later.
        let mark = due - MARK_BEHIND_MS;
        self.move_mark(mark).await?;
        Ok(mark)
    }

    /// The next charges made after `from`, and at `due` or before, in unix milliseconds; about `limit`. `None` if there are
    /// no more.
    pub async fn due_charges(
        &self,
        from: i64,
        due: i64,
        limit: i64,
    ) -> Result<Option<DueCharges>, StoreError> {
        let until = self.last_of_next_charges(from + 1, due + 1, limit).await?;
        let Some(until) = until else {
            return Ok(None);
        };
        let open = query(OPEN.as_str())
            .bind(from)
            .bind(until)
            .fetch_all(&self.readers)
            .await?;
        Ok(Some(DueCharges { until, open }))
    }

    /// When the last one of the next charges was made, from `from` on and before `before`, in unix milliseconds. `None` if
    /// there is none.
    pub(super) async fn last_of_next_charges(
        &self,
        from: i64,
        before: i64,
        count: i64,
    ) -> Result<Option<i64>, StoreError> {
        Ok(query(
            "SELECT MAX(created_at) FROM (SELECT created_at FROM charges WHERE created_at >= $1 AND created_at < $2 \
             ORDER BY created_at LIMIT $3) AS next",
        )
        .bind(from)
        .bind(before)
        .bind(count)
        .fetch_one(&self.readers)
        .await?)
    }

    /// Notes that all charges made at `until` or before have ended, but for these. `due` is as it was for the search.
    pub async fn settle_due_charges(
        &self,
        until: i64,
        due: i64,
        overdue: &[String],
    ) -> Result<(), StoreError> {
        if !overdue.is_empty() {
            retried(|| async {
                let mut tx = self.write().await?;
                for id in overdue {
                    query("INSERT INTO overdue_charges (charge_id) VALUES ($1) ON CONFLICT DO NOTHING")
                        .bind(id)
                        .execute(&mut tx)
                        .await?;
                }
                tx.commit().await
            })
            .await?;
        }
        self.move_mark(until.min(due - MARK_BEHIND_MS)).await
    }

    async fn move_mark(&self, to: i64) -> Result<(), StoreError> {
        query("UPDATE charge_expiry SET settled_until = $1 WHERE name = 'charges' AND settled_until <> $1")
            .bind(to)
            .write(&self.writer)
            .await?;
        Ok(())
    }

    /// The charges that were noted and are still there.
    pub async fn overdue_charges(&self) -> Result<Vec<OpenCharge>, StoreError> {
        Ok(query(
            "SELECT c.id AS id, c.status AS status FROM overdue_charges o JOIN charges c ON c.id = o.charge_id",
        )
        .fetch_all(&self.readers)
        .await?)
    }

    /// Deletes the note about a charge that has ended.
    pub async fn forget_overdue_charge(&self, id: &str) -> Result<(), StoreError> {
        query("DELETE FROM overdue_charges WHERE charge_id = $1")
            .bind(id)
            .write(&self.writer)
            .await?;
        Ok(())
    }
}
