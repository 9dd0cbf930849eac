//! Counts the time that is over for the report, span by span, from now into the past and from now on.
//!
//! A count is right although charges and visits still change: whoever changes an old one adds a row to `report_changes`
//! in the same transaction, and a count removes only the rows that it saw before it began. The report counts spans that
//! have such rows itself.

use std::collections::{BTreeMap, BTreeSet};

use super::super::report_change::{CountedKind, SLOT_MS, span_begin};
use super::super::sql::query;
use super::super::visit::number;
use super::super::write::{Tx, retried};
use super::super::{Store, StoreError};
use super::counted_time::{COUNTED_AFTER_MS, SPANS_MS};
use super::visit_counts::EXPERIMENT;
use super::{DECLINE, ReportRange};

/// How many values a count has in the statement.
const PARAMETERS_PER_COUNT: usize = 6;
/// How many counts one statement writes.
const COUNTS_AT_ONCE: usize = 200;
/// How many spans one transaction writes.
const SPANS_AT_ONCE: usize = 16;
/// How many notes of changes one count removes.
const CHANGES_AT_ONCE: i64 = 500;

/// A row of a span.
#[derive(Debug)]
struct ReportCount {
    topic: &'static str,
    name: String,
    step: i64,
    variation: i64,
    counted: i64,
    amount: String,
}

/// The counts of a span.
#[derive(Debug)]
struct CountedSlot {
    begin: i64,
    counts: Vec<ReportCount>,
    /// The notes of changes that it has counted.
    changes: Vec<String>,
}

/// The counted time as it is stored.
#[derive(Debug, Clone, Copy)]
struct StoredTime {
    from: i64,
    until: i64,
    version: i64,
}

impl Store {
    /// Counts some more spans of charges and of visits. False if there is nothing left to count now.
    pub async fn count_for_report(&self, now_ms: i64) -> Result<bool, StoreError> {
        let charges = self.count_span(CountedKind::Charges, now_ms).await?;
        let visits = self.count_span(CountedKind::Visits, now_ms).await?;
        Ok(charges || visits)
    }

    async fn count_span(&self, kind: CountedKind, now_ms: i64) -> Result<bool, StoreError> {
        let stored: Option<(i64, i64, i64)> =
            query("SELECT counted_from, counted_until, version FROM report_spans WHERE kind = $1")
                .bind(kind.as_str())
                .fetch_optional(&self.readers)
                .await?;
        let Some((from, until, version)) = stored else {
            return Ok(false);
        };
        let before = StoredTime { from, until, version };
        let over = span_begin(now_ms - COUNTED_AFTER_MS, SLOT_MS);
        if until == 0 {
            let after = StoredTime {
                from: over,
                until: over,
                version,
            };
            return self.write_counts(kind, before, after, &[]).await.map(|()| true);
        }
        if let Some(slot) = self.changed_span(kind, before).await? {
            let counted = self.count_slot(kind, slot).await?;
            return self
                .write_counts(kind, before, before, &[counted])
                .await
                .map(|()| true);
        }
        let (mut after, mut counted) = (before, Vec::new());
        while counted.len() < SPANS_AT_ONCE && after.until < over {
            counted.push(self.count_slot(kind, after.until).await?);
            after.until += SLOT_MS;
        }
        while counted.len() < SPANS_AT_ONCE && after.from > 0 {
            // The last one that has any; those in between have none.
            let last = self.last_before(kind, after.from).await?;
            after.from = last.map_or(0, |last| span_begin(last, SLOT_MS));
            if last.is_some() {
                counted.push(self.count_slot(kind, after.from).await?);
            }
        }
        let is_new = after.from < before.from || after.until > before.until;
        if is_new {
            self.write_counts(kind, before, after, &counted).await?;
        }
        Ok(is_new)
    }

    /// The first span that must be counted again.
    async fn changed_span(&self, kind: CountedKind, time: StoredTime) -> Result<Option<i64>, StoreError> {
        Ok(query(
            "SELECT at FROM report_changes WHERE kind = $1 AND at >= $2 AND at < $3 ORDER BY at LIMIT 1",
        )
        .bind(kind.as_str())
        .bind(time.from)
        .bind(time.until)
        .fetch_optional(&self.readers)
        .await?)
    }

    async fn count_slot(&self, kind: CountedKind, begin: i64) -> Result<CountedSlot, StoreError> {
        // Before the count: a change that is noted later stays noted.
        let changes: Vec<String> =
            query("SELECT id FROM report_changes WHERE kind = $1 AND at = $2 ORDER BY id LIMIT $3")
                .bind(kind.as_str())
                .bind(begin)
                .bind(CHANGES_AT_ONCE)
                .fetch_all(&self.readers)
                .await?;
        let counts = match kind {
            CountedKind::Charges => self.charge_counts(begin).await?,
            CountedKind::Visits => self.visit_counts_of(begin).await?,
        };
        Ok(CountedSlot {
            begin,
            counts,
            changes,
        })
    }

    async fn last_before(&self, kind: CountedKind, before: i64) -> Result<Option<i64>, StoreError> {
        let sql = match kind {
            CountedKind::Charges => {
                "SELECT MAX(at) FROM (SELECT MAX(created_at) AS at FROM charges WHERE created_at < $1 \
                 UNION ALL SELECT MAX(at) AS at FROM removed_charges WHERE topic = 'status' AND at < $1) AS last"
            }
            CountedKind::Visits => "SELECT MAX(first_at) FROM visits WHERE first_at < $1",
        };
        Ok(query(sql).bind(before).fetch_one(&self.readers).await?)
    }

    async fn charge_counts(&self, slot: i64) -> Result<Vec<ReportCount>, StoreError> {
        let slots = [(slot, slot + SLOT_MS)];
        let count = |topic, name, counted, amount| ReportCount {
            topic,
            name,
            step: 0,
            variation: 0,
            counted,
            amount,
        };
        let nothing = || "0".to_owned();
        let mut counts = Vec::new();
        let made = self.uncounted_charges(&slots).await?;
        let mut statuses = BTreeMap::<&str, i64>::new();
        for group in &made.groups {
            *statuses.entry(group.status.0.as_str()).or_default() += group.charges;
        }
        for (status, charges) in statuses {
            counts.push(count("status", status.to_owned(), charges, nothing()));
        }
        for paid in self.money_paid_of(&[], &slots).await? {
            counts.push(count("paid", paid.currency, paid.charges, paid.amount));
        }
        for declined in made.declines {
            counts.push(count(DECLINE, declined.reason, declined.charges, nothing()));
        }
        Ok(counts)
    }

    async fn visit_counts_of(&self, slot: i64) -> Result<Vec<ReportCount>, StoreError> {
        let range = ReportRange {
            from: slot,
            to: slot + SLOT_MS,
            locale: None,
        };
        let words = self.uncounted_words(&[(range.from, range.to)], None).await?;
        let mut counts: Vec<ReportCount> = words
            .into_iter()
            .map(|((topic, name, step), counted)| ReportCount {
                topic: topic.as_str(),
                name,
                step: number(step),
                variation: 0,
                counted,
                amount: "0".to_owned(),
            })
            .collect();
        for seen in self.uncounted_variations(range, None).await? {
            counts.push(ReportCount {
                topic: EXPERIMENT,
                name: seen.experiment_id,
                step: number(seen.step),
                variation: seen.variation_id,
                counted: seen.visits,
                amount: "0".to_owned(),
            });
        }
        Ok(counts)
    }

    /// Writes the counts of spans, and sums up the longer spans around them, unless another node was faster.
    async fn write_counts(
        &self,
        kind: CountedKind,
        before: StoredTime,
        after: StoredTime,
        slots: &[CountedSlot],
    ) -> Result<(), StoreError> {
        // Around the begin of what was counted before there may be a gap without rows, which is counted now.
        let begins = || slots.iter().map(|slot| slot.begin).chain([before.from]);
        retried(|| async {
            let mut tx = self.write().await?;
            let moved = query(
                "UPDATE report_spans SET counted_from = $1, counted_until = $2, version = version + 1 \
                 WHERE kind = $3 AND version = $4",
            )
            .bind(after.from)
            .bind(after.until)
            .bind(kind.as_str())
            .bind(before.version)
            .execute(&mut tx)
            .await?;
            if moved == 0 {
                return Ok(());
            }
            for slot in slots {
                delete_span(&mut tx, kind, SLOT_MS, slot.begin).await?;
                for some in slot.counts.chunks(COUNTS_AT_ONCE) {
                    insert(&mut tx, kind, slot.begin, some).await?;
                }
                for id in &slot.changes {
                    query("DELETE FROM report_changes WHERE id = $1")
                        .bind(id)
                        .execute(&mut tx)
                        .await?;
                }
            }
            for pair in SPANS_MS.windows(2).rev() {
                let [longer, shorter] = pair else { continue };
                let around: BTreeSet<i64> = begins().map(|at| span_begin(at, *longer)).collect();
                for begin in around {
                    if after.from <= begin && begin + longer <= after.until {
                        sum_up(&mut tx, kind, begin, *longer, *shorter).await?;
                    }
                }
            }
            tx.commit().await
        })
        .await
    }

    /// Forgets the counts of visits before `before`, which are about to be deleted.
    pub(in super::super) async fn forget_counted_visits(&self, before: i64) -> Result<(), StoreError> {
        let kind = CountedKind::Visits.as_str();
        let from = span_begin(before + SLOT_MS - 1, SLOT_MS);
        retried(|| async {
            let mut tx = self.write().await?;
            query(
                "UPDATE report_spans SET counted_from = CASE WHEN counted_until < $1 THEN counted_until ELSE $1 END, \
                 version = version + 1 WHERE kind = $2 AND counted_from < $1 AND counted_until > 0",
            )
            .bind(from)
            .bind(kind)
            .execute(&mut tx)
            .await?;
            for span in SPANS_MS {
                query("DELETE FROM report_counts WHERE kind = $1 AND span = $2 AND at < $3")
                    .bind(kind)
                    .bind(span)
                    .bind(before)
                    .execute(&mut tx)
                    .await?;
            }
            query("DELETE FROM report_changes WHERE kind = $1 AND at < $2")
                .bind(kind)
                .bind(before - SLOT_MS)
                .execute(&mut tx)
                .await?;
            tx.commit().await
        })
        .await
    }
}

async fn delete_span(tx: &mut Tx, kind: CountedKind, span: i64, at: i64) -> Result<(), StoreError> {
    query("DELETE FROM report_counts WHERE kind = $1 AND span = $2 AND at = $3")
        .bind(kind.as_str())
        .bind(span)
        .bind(at)
        .execute(tx)
        .await?;
    Ok(())
}

async fn insert(tx: &mut Tx, kind: CountedKind, slot: i64, counts: &[ReportCount]) -> Result<(), StoreError> {
    let rows: Vec<String> = (0..counts.len())
        .map(|row| {
            let place = |value: usize| 3 + row * PARAMETERS_PER_COUNT + value;
            format!(
                "($1, {SLOT_MS}, $2, ${}, ${}, ${}, ${}, ${}, ${})",
                place(0),
                place(1),
                place(2),
                place(3),
                place(4),
                place(5)
            )
        })
        .collect();
    let sql = format!(
        "INSERT INTO report_counts (kind, span, at, topic, name, step, variation, counted, amount) VALUES {}",
        rows.join(", ")
    );
    let mut statement = query(sql).bind(kind.as_str()).bind(slot);
    for count in counts {
        statement = statement
            .bind(count.topic)
            .bind(&count.name)
            .bind(count.step)
            .bind(count.variation)
            .bind(count.counted)
            .bind(&count.amount);
    }
    statement.execute(tx).await?;
    Ok(())
}

async fn sum_up(
    tx: &mut Tx,
    kind: CountedKind,
    begin: i64,
    longer: i64,
    shorter: i64,
) -> Result<(), StoreError> {
    delete_span(tx, kind, longer, begin).await?;
    query(
        "INSERT INTO report_counts (kind, span, at, topic, name, step, variation, counted, amount) \
         SELECT $1, $2, $3, topic, name, step, variation, SUM(counted), \
         CAST(SUM(CAST(amount AS NUMERIC)) AS TEXT) FROM report_counts \
         WHERE kind = $1 AND span = $4 AND at >= $3 AND at < $5 GROUP BY topic, name, step, variation",
    )
    .bind(kind.as_str())
    .bind(longer)
    .bind(begin)
    .bind(shorter)
    .bind(begin + longer)
    .execute(tx)
    .await?;
    Ok(())
}
