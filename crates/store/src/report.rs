//! The counts of an operator's report, grouped by the database into few rows.

use model::charge_state::ALL_STATES;
use wire::VisitStep;

use super::charge::StatusColumn;
use super::sql::{query, read_from_row};
use super::visit::step;
use super::{Store, StoreError};

/// A range with more visits than this is counted with the index that covers all columns; one with fewer is found by
/// time and sorted.
const SORTED_MAX: i64 = 50_000;

/// The time range of a report, and its locale if it is limited to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportRange<'a> {
    /// Where it begins, in unix milliseconds.
    pub from: i64,
    /// Where it ends; not a part of it.
    pub to: i64,
    /// Only visits in this locale.
    pub locale: Option<&'a str>,
}

/// Visits with the same values in all columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitGroup {
    /// The furthest step.
    pub step: VisitStep,
    /// The locale. Here and below, empty if it is not known.
    pub locale: String,
    /// The last field.
    pub field: String,
    /// The last error.
    pub error: String,
    /// The last decline.
    pub decline: String,
    /// The last brand.
    pub brand: String,
    /// New card or saved card.
    pub method: String,
    /// How many.
    pub visits: i64,
}

/// Visits that saw the same variation and came equally far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariationVisits {
    /// The experiment.
    pub experiment_id: String,
    /// The variation's index.
    pub variation_id: i64,
    /// The furthest step.
    pub step: VisitStep,
    /// How many.
    pub visits: i64,
}

/// So many charges that were made in a piece of time and stand where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeGroup {
    /// When the piece begins, in unix milliseconds.
    pub begins: i64,
    /// The charges' status.
    pub status: StatusColumn,
    /// How many.
    pub charges: i64,
}

read_from_row!(ChargeGroup {
    begins,
    status,
    charges,
});

/// What charges of one currency come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidAmount {
    /// ISO 4217.
    pub currency: String,
    /// The sum in the currency's major unit, as the database writes numbers.
    pub amount: String,
    /// How many charges.
    pub charges: i64,
}

read_from_row!(PaidAmount {
    currency,
    amount,
    charges,
});

struct VisitGroupRow {
    step: i64,
    locale: String,
    field: String,
    error: String,
    decline: String,
    brand: String,
    method: String,
    visits: i64,
}

read_from_row!(VisitGroupRow {
    step,
    locale,
    field,
    error,
    decline,
    brand,
    method,
    visits,
});

struct VariationRow {
    experiment_id: String,
    variation_id: i64,
    step: i64,
    visits: i64,
}

read_from_row!(VariationRow {
    experiment_id,
    variation_id,
    step,
    visits,
});

impl Store {
    /// The range's visits, grouped by equal values.
    pub async fn visit_groups(&self, range: ReportRange<'_>) -> Result<Vec<VisitGroup>, StoreError> {
        let within = "SELECT COUNT(*) FROM visits WHERE first_at >= $1 AND first_at < $2";
        let visits: i64 = query(within)
            .bind(range.from)
            .bind(range.to)
            .fetch_one(&self.readers)
            .await?;
        // A plus sign before the column keeps the database from using the index by time.
        let sign = if visits > SORTED_MAX { "+" } else { "" };
        let of_locale = range.locale.map_or("", |_| "AND locale = $3");
        let sql = format!(
            "SELECT step, locale, field, error, decline, brand, method, COUNT(*) AS visits FROM visits \
             WHERE {sign}first_at >= $1 AND {sign}first_at < $2 {of_locale} \
             GROUP BY locale, step, field, error, decline, brand, method"
        );
        let mut query = query(sql).bind(range.from).bind(range.to);
        if let Some(locale) = range.locale {
            query = query.bind(locale);
        }
        let rows: Vec<VisitGroupRow> = query.fetch_all(&self.readers).await?;
        let alike = rows.into_iter().map(|row| {
            Ok(VisitGroup {
                step: step(row.step)?,
                locale: row.locale,
                field: row.field,
                error: row.error,
                decline: row.decline,
                brand: row.brand,
                method: row.method,
                visits: row.visits,
            })
        });
        alike.collect()
    }

    /// The range's visits by variation, of one experiment or of all, and by furthest step.
    pub async fn visits_of_variations(
        &self,
        range: ReportRange<'_>,
        experiment: Option<&str>,
    ) -> Result<Vec<VariationVisits>, StoreError> {
        let of_locale = range.locale.map_or("", |_| "AND locale = $3");
        let of_experiment = experiment.map_or(String::new(), |_| {
            let place = if range.locale.is_some() { 4 } else { 3 };
            format!("AND experiment_id = ${place}")
        });
        // Every value is in the index, so that nothing must be sorted or read from the table.
        let sql = format!(
            "SELECT experiment_id, variation_id, step, COUNT(*) AS visits FROM visit_experiments \
             WHERE first_at >= $1 AND first_at < $2 {of_locale} {of_experiment} \
             GROUP BY experiment_id, variation_id, locale, step"
        );
        let mut query = query(sql).bind(range.from).bind(range.to);
        for text in [range.locale, experiment].into_iter().flatten() {
            query = query.bind(text);
        }
        let rows: Vec<VariationRow> = query.fetch_all(&self.readers).await?;
        let visits = rows.into_iter().map(|row| {
            Ok(VariationVisits {
                experiment_id: row.experiment_id,
                variation_id: row.variation_id,
                step: step(row.step)?,
                visits: row.visits,
            })
        });
        visits.collect()
    }

    /// How many charges of each status were created in each of these time buckets, given as begin and end in unix
    /// milliseconds.
    pub async fn charges_over_time(&self, buckets: &[(i64, i64)]) -> Result<Vec<ChargeGroup>, StoreError> {
        if buckets.is_empty() {
            return Ok(Vec::new());
        }
        let buckets: Vec<String> = buckets
            .iter()
            .map(|(begin, end)| format!("({begin}, {end})"))
            .collect();
        let statuses = ALL_STATES.map(|status| format!("('{}')", status.as_str()));
        // Counting parts of an index one by one is many times faster than grouping, which would have to sort.
        let sql = format!(
            "WITH buckets (begins, ends) AS (VALUES {}), statuses (status) AS (VALUES {}) \
             SELECT CAST(p.begins AS BIGINT) AS begins, s.status AS status, (SELECT COUNT(*) FROM charges c \
             WHERE c.status = s.status AND c.created_at >= p.begins AND c.created_at < p.ends) AS charges \
             FROM buckets p CROSS JOIN statuses s",
            buckets.join(", "),
            statuses.join(", ")
        );
        let made: Vec<ChargeGroup> = query(sql).fetch_all(&self.readers).await?;
        Ok(made.into_iter().filter(|made| made.charges > 0).collect())
    }

    /// How many visits of the range came as far as each step and no further.
    pub async fn visits_by_step(&self, range: ReportRange<'_>) -> Result<Vec<(VisitStep, i64)>, StoreError> {
        let of_locale = range.locale.map_or("", |_| "AND locale = $3");
        let sql = format!(
            "SELECT step, COUNT(*) AS visits FROM visits WHERE first_at >= $1 AND first_at < $2 {of_locale} \
             GROUP BY step"
        );
        let mut query = query(sql).bind(range.from).bind(range.to);
        if let Some(locale) = range.locale {
            query = query.bind(locale);
        }
        let rows: Vec<(i64, i64)> = query.fetch_all(&self.readers).await?;
        rows.into_iter()
            .map(|(reached, visits)| Ok((step(reached)?, visits)))
            .collect()
    }

    /// The sum of the range's paid charges in each currency, the one with the most charges first. On SQLite an amount
    /// is exact to 15 digits.
    pub async fn money_paid(&self, from: i64, to: i64) -> Result<Vec<PaidAmount>, StoreError> {
        Ok(query(
            "SELECT amount_currency AS currency, CAST(SUM(CAST(amount_value AS NUMERIC)) AS TEXT) AS amount, \
             COUNT(*) AS charges FROM charges WHERE status = 'succeeded' AND created_at >= $1 AND created_at < $2 \
             GROUP BY amount_currency ORDER BY 3 DESC, 1",
        )
        .bind(from)
        .bind(to)
        .fetch_all(&self.readers)
        .await?)
    }

    /// The declined charges of the range by reason, the most frequent first.
    pub async fn declines(&self, from: i64, to: i64) -> Result<Vec<(String, i64)>, StoreError> {
        Ok(query(
            "SELECT COALESCE(decline_code, '') AS decline_code, COUNT(*) AS charges FROM charges \
             WHERE created_at >= $1 AND created_at < $2 AND status = 'failed' GROUP BY 1 ORDER BY 2 DESC, 1",
        )
        .bind(from)
        .bind(to)
        .fetch_all(&self.readers)
        .await?)
    }

    /// Since when the oldest webhook waits, in unix milliseconds.
    pub async fn webhooks_waiting_since(&self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MIN(created_at) FROM webhook_events WHERE state IN ('due', 'queued')";
        Ok(query(sql).fetch_one(&self.readers).await?)
    }
}
