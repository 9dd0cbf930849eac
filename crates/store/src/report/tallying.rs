//! Tallies hours that are over, and tallies them again until nothing in them can change any more. Several nodes may do so
//! at the same time.

use protocol::ChargeStatus;

use super::super::sql::{Query, query};
use super::super::write::{Tx, retried};
use super::super::{Store, StoreError};
use super::{HOUR_MS, TalliedHours, Tally, TallyKind, hour_of};

/// How long a visit can change the tally of its hour, in milliseconds.
const VISIT_CHANGES_MS: i64 = 24 * HOUR_MS;
/// How many hours that were never tallied are tallied at once.
const HOURS_AT_ONCE: usize = 24;
/// An hour to tally, and the time that is tallied then.
struct NextHour {
    /// None if the time has no rows.
    hour: Option<i64>,
    after: TalliedHours,
}

impl Store {
    /// Tallies hours that are over, and again all in which something can still change. True if hours are left that were
    /// never tallied.
    pub async fn tally_hours(&self, now_ms: i64) -> Result<bool, StoreError> {
        let mut is_more = false;
        for kind in [TallyKind::Charges, TallyKind::Visits] {
            // Read before the rows, so that nothing of a settled hour changes after its rows were read.
            let settled_until = self.settled_until(kind, now_ms).await?;
            if self.tally_new_hours(kind, now_ms, settled_until).await? {
                is_more = true;
                continue;
            }
            let mut after = i64::MAX;
            loop {
                // Read before the hour, so that an hour that is closed meanwhile is not written.
                let tallied = self.tallied_hours(kind).await?;
                let Some(hour) = self.open_hour_before(kind, after).await? else {
                    break;
                };
                self.tally_hour(kind, hour, tallied, tallied, settled_until)
                    .await?;
                after = hour;
            }
        }
        Ok(is_more)
    }

    async fn open_hour_before(&self, kind: TallyKind, after: i64) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MAX(hour) FROM report_open_hours WHERE kind = $1 AND hour < $2";
        let hour = query(sql).bind(kind.as_str()).bind(after);
        Ok(hour.fetch_one(&self.readers).await?)
    }

    async fn tally_new_hours(
        &self,
        kind: TallyKind,
        now_ms: i64,
        settled_until: i64,
    ) -> Result<bool, StoreError> {
        // The hour before this one is not tallied yet, because most of its charges and visits still change.
        let over = hour_of(now_ms) - HOUR_MS;
        for _ in 0..HOURS_AT_ONCE {
            let tallied = self.tallied_hours(kind).await?;
            let Some(NextHour { hour, after }) = self.next_hour(kind, tallied, over).await? else {
                return Ok(false);
            };
            match hour {
                Some(hour) => self.tally_hour(kind, hour, tallied, after, settled_until).await?,
                None => self.write_tallies(kind, tallied, after, None).await?,
            }
        }
        Ok(true)
    }

    async fn tallied_hours(&self, kind: TallyKind) -> Result<TalliedHours, StoreError> {
        let time = self.tallied_time().await?;
        Ok(match kind {
            TallyKind::Charges => time.charges,
            TallyKind::Visits => time.visits,
        })
    }

    /// The next hour after what is tallied, or else the one before it, that has rows. `None` if all are tallied.
    async fn next_hour(
        &self,
        kind: TallyKind,
        tallied: TalliedHours,
        over: i64,
    ) -> Result<Option<NextHour>, StoreError> {
        let TalliedHours {
            tallied_from,
            tallied_until,
            ..
        } = tallied;
        if tallied_until == 0 {
            let after = TalliedHours {
                tallied_from: over,
                tallied_until: over,
                ..tallied
            };
            return Ok(Some(NextHour { hour: None, after }));
        }
        if tallied_until > over {
            // A clock ran ahead. What it tallied too early is tallied again at its time.
            let after = TalliedHours {
                tallied_until: over,
                ..tallied
            };
            return Ok(Some(NextHour { hour: None, after }));
        }
        if tallied_until < over {
            let first = self.edge_of_rows(kind, "MIN", (tallied_until, over)).await?;
            let hour = first.map(hour_of);
            let after = TalliedHours {
                tallied_until: hour.map_or(over, |hour| hour + HOUR_MS),
                ..tallied
            };
            return Ok(Some(NextHour { hour, after }));
        }
        if tallied_from == 0 {
            return Ok(None);
        }
        let last = self.edge_of_rows(kind, "MAX", (0, tallied_from)).await?;
        let hour = last.map(hour_of);
        let after = TalliedHours {
            tallied_from: hour.unwrap_or(0),
            ..tallied
        };
        Ok(Some(NextHour { hour, after }))
    }

    /// When the first or the last row of this time was made.
    async fn edge_of_rows(
        &self,
        kind: TallyKind,
        edge: &str,
        (from, to): (i64, i64),
    ) -> Result<Option<i64>, StoreError> {
        let sql = match kind {
            TallyKind::Charges => format!(
                "SELECT {edge}(at) FROM (SELECT {edge}(created_at) AS at FROM charges \
                 WHERE created_at >= $1 AND created_at < $2 UNION ALL SELECT {edge}(at) FROM removed_charges \
                 WHERE topic = 'status' AND at >= $1 AND at < $2) AS made"
            ),
            TallyKind::Visits => {
                format!("SELECT {edge}(first_at) FROM visits WHERE first_at >= $1 AND first_at < $2")
            }
        };
        Ok(query(sql).bind(from).bind(to).fetch_one(&self.readers).await?)
    }

    /// Rows that were made until then do not change any more, except charges whose time ran out while a card was with the
    /// provider, and charges whose money is held.
    async fn settled_until(&self, kind: TallyKind, now_ms: i64) -> Result<i64, StoreError> {
        match kind {
            TallyKind::Charges => {
                let sql = "SELECT settled_until FROM charge_expiry WHERE name = 'charges'";
                Ok(query(sql).fetch_one(&self.readers).await?)
            }
            TallyKind::Visits => Ok(now_ms - VISIT_CHANGES_MS),
        }
    }

    async fn has_overdue_charge(&self, hour: i64) -> Result<bool, StoreError> {
        let found: Option<String> = query(
            "SELECT c.id FROM overdue_charges o CROSS JOIN charges c \
             WHERE c.id = o.charge_id AND c.created_at >= $1 AND c.created_at < $2 LIMIT 1",
        )
        .bind(hour)
        .bind(hour + HOUR_MS)
        .fetch_optional(&self.readers)
        .await?;
        Ok(found.is_some())
    }

    /// Tallies the hour if it has changed, and notes whether it is open.
    async fn tally_hour(
        &self,
        kind: TallyKind,
        hour: i64,
        before: TalliedHours,
        after: TalliedHours,
        settled_until: i64,
    ) -> Result<(), StoreError> {
        let end = hour + HOUR_MS;
        let is_open = match kind {
            TallyKind::Charges => {
                let unsettled = (hour.max(settled_until + 1), end);
                self.edge_of_rows(kind, "MAX", unsettled).await?.is_some()
                    || self.has_overdue_charge(hour).await?
            }
            TallyKind::Visits => settled_until < end,
        };
        let counted = match kind {
            TallyKind::Charges => self.counted_charges((hour, end), None).await?,
            TallyKind::Visits => {
                let mut counted = self.counted_visits((hour, end), None).await?;
                counted.extend(self.counted_variations((hour, end), None).await?);
                counted
            }
        };
        let counted = added_up(counted);
        // Held money can be captured or released long after the charge could be paid.
        let has_hold = counted
            .iter()
            .any(|tally| tally.topic == ChargeStatus::Authorized.as_str());
        let is_open = is_open || has_hold;
        let stored = added_up(self.stored_tallies(kind, (hour, end), None, "").await?);
        if is_open && before == after && counted == stored {
            return Ok(());
        }
        self.write_tallies(kind, before, after, Some((hour, is_open, &counted)))
            .await
    }

    /// Writes the tallies of an hour, unless another node has changed what is tallied since this one read it.
    pub(super) async fn write_tallies(
        &self,
        kind: TallyKind,
        before: TalliedHours,
        after: TalliedHours,
        hour: Option<(i64, bool, &[Tally])>,
    ) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let changed = query(
                "UPDATE report_tallied SET tallied_from = $1, tallied_until = $2, version = version + 1 \
                 WHERE kind = $3 AND version = $4",
            )
            .bind(after.tallied_from)
            .bind(after.tallied_until)
            .bind(kind.as_str())
            .bind(before.version)
            .execute(&mut tx)
            .await?;
            if let Some((hour, is_open, tallies)) = hour.filter(|_| changed > 0) {
                for table in ["report_tally", "report_open_hours"] {
                    query(format!("DELETE FROM {table} WHERE kind = $1 AND hour = $2"))
                        .bind(kind.as_str())
                        .bind(hour)
                        .execute(&mut tx)
                        .await?;
                }
                insert(&mut tx, kind, hour, tallies).await?;
                if is_open {
                    open_hour(&mut tx, kind, hour).await?;
                }
            }
            tx.commit().await
        })
        .await
    }

    /// Removes the tallies of deleted visits, which came before `before`, in unix milliseconds.
    pub(in super::super) async fn delete_visit_tallies(&self, before: i64) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            for table in ["report_tally", "report_open_hours"] {
                query(format!("DELETE FROM {table} WHERE kind = $1 AND hour < $2"))
                    .bind(TallyKind::Visits.as_str())
                    .bind(hour_of(before))
                    .execute(&mut tx)
                    .await?;
            }
            tally_again(&mut tx, TallyKind::Visits, before).await?;
            tx.commit().await
        })
        .await
    }

    /// Keeps the tallies of visits that came before `until`, in unix milliseconds, as they are, also when the visits are
    /// deleted.
    pub(in super::super) async fn close_visit_hours(&self, until: i64) -> Result<(), StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            renumber(&mut tx, TallyKind::Visits).await?;
            query("DELETE FROM report_open_hours WHERE kind = $1 AND hour < $2")
                .bind(TallyKind::Visits.as_str())
                .bind(until)
                .execute(&mut tx)
                .await?;
            tx.commit().await
        })
        .await
    }
}

/// Has a settled hour tallied again. Runs in the transaction that changes a row of the hour.
pub(in super::super) async fn tally_again(tx: &mut Tx, kind: TallyKind, at: i64) -> Result<(), StoreError> {
    renumber(tx, kind).await?;
    open_hour(tx, kind, hour_of(at)).await
}

/// Keeps nodes from writing what they tallied before this transaction.
async fn renumber(tx: &mut Tx, kind: TallyKind) -> Result<(), StoreError> {
    query("UPDATE report_tallied SET version = version + 1 WHERE kind = $1")
        .bind(kind.as_str())
        .execute(tx)
        .await?;
    Ok(())
}

async fn open_hour(tx: &mut Tx, kind: TallyKind, hour: i64) -> Result<(), StoreError> {
    query("INSERT INTO report_open_hours (kind, hour) VALUES ($1, $2) ON CONFLICT (kind, hour) DO NOTHING")
        .bind(kind.as_str())
        .bind(hour)
        .execute(tx)
        .await?;
    Ok(())
}

/// One tally for each word, in their order.
fn added_up(mut tallies: Vec<Tally>) -> Vec<Tally> {
    tallies.sort_unstable();
    tallies.dedup_by(|next, sum| {
        let is_same = (&next.topic, &next.word) == (&sum.topic, &sum.word);
        if is_same {
            for (sum, more) in sum.counts.iter_mut().zip(next.counts) {
                *sum += more;
            }
            sum.amount += next.amount;
        }
        is_same
    });
    tallies
}

async fn insert(tx: &mut Tx, kind: TallyKind, hour: i64, tallies: &[Tally]) -> Result<(), StoreError> {
    let inserts: Vec<Query<'_>> = tallies
        .iter()
        .map(|tally| {
            let insert = query(
                "INSERT INTO report_tally (kind, hour, topic, word, amount, count, started, ready, submitted, paid) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            )
            .bind(kind.as_str())
            .bind(hour)
            .bind(&tally.topic)
            .bind(&tally.word)
            .bind(i64::try_from(tally.amount).unwrap_or(i64::MAX));
            tally.counts.into_iter().fold(insert, Query::bind)
        })
        .collect();
    tx.execute_all(&inserts).await?;
    Ok(())
}
