//! Which variations of experiments visits saw, for the operator's report.

use wire::VisitStep;

use super::super::sql::{query, read_from_row};
use super::super::visit::step;
use super::super::{Store, StoreError};
use super::ReportRange;

/// A range that is longer than this and not counted, in milliseconds, has too many visits to sort what each one saw.
const LONG_RANGE_MS: i64 = 3 * 3_600_000;

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
    /// The variations that the range's visits saw, from the visits themselves: those of one experiment or of all.
    pub(super) async fn uncounted_variations(
        &self,
        range: ReportRange<'_>,
        experiment: Option<&str>,
    ) -> Result<Vec<VariationVisits>, StoreError> {
        let sql = variations_sql(range, experiment.is_some());
        let mut query = query(sql).bind(range.from).bind(range.to);
        for text in [range.locale, experiment].into_iter().flatten() {
            query = query.bind(text);
        }
        let rows: Vec<VariationRow> = query.fetch_all(&self.readers).await?;
        rows.into_iter().map(VariationVisits::try_from).collect()
    }
}

/// Counts the variations that the visits of the range saw. A long range is read in the order of what is counted, a short
/// one by time; an expression around a column keeps the database from the other index.
fn variations_sql(range: ReportRange<'_>, has_experiment: bool) -> String {
    let is_long = range.locale.is_some() || range.to - range.from > LONG_RANGE_MS;
    let (sign, id) = if is_long {
        ("+", "e.experiment_id")
    } else {
        ("", "(e.experiment_id || '')")
    };
    let of_locale = range.locale.map_or("", |_| "AND e.locale = $3");
    let of_experiment = if has_experiment {
        let place = if range.locale.is_some() { 4 } else { 3 };
        format!("AND {id} = ${place}")
    } else {
        String::new()
    };
    format!(
        "SELECT e.experiment_id AS experiment_id, e.variation_id AS variation_id, e.step AS step, \
         COUNT(*) AS visits FROM visit_experiments e \
         WHERE {sign}e.first_at >= $1 AND {sign}e.first_at < $2 {of_locale} {of_experiment} \
         GROUP BY e.experiment_id, e.variation_id, e.locale, e.step"
    )
}

impl TryFrom<VariationRow> for VariationVisits {
    type Error = StoreError;

    fn try_from(row: VariationRow) -> Result<Self, StoreError> {
        Ok(Self {
            experiment_id: row.experiment_id,
            variation_id: row.variation_id,
            step: step(row.step)?,
            visits: row.visits,
        })
    }
}

#[cfg(test)]
mod tests {
    use trial::postgres::{Durability, Postgres};

    use super::super::super::Database;
    use super::super::super::sql::{FromRow, SqlError, SqlRow};
    use super::*;

    /// A step of SQLite's plan.
    struct SqliteStep(String);

    impl FromRow for SqliteStep {
        fn from_row(row: &mut SqlRow) -> Result<Self, SqlError> {
            row.get("detail").map(Self)
        }
    }

    const SHORT: ReportRange<'static> = ReportRange {
        from: 0,
        to: 1_800_000,
        locale: None,
    };

    #[tokio::test]
    async fn sqlite_reads_variations_of_a_short_range_by_time() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("cardform.db");
        let store = Store::connect(&Database::Sqlite(file)).await.unwrap();
        let explained = format!("EXPLAIN QUERY PLAN {}", variations_sql(SHORT, true));
        let steps: Vec<SqliteStep> = query(explained)
            .bind(SHORT.from)
            .bind(SHORT.to)
            .bind("exp_1")
            .fetch_all(&store.readers)
            .await
            .unwrap();
        assert!(steps[0].0.contains("visit_experiments_by_time"), "{}", steps[0].0);
    }

    #[tokio::test]
    async fn postgres_reads_variations_of_a_short_range_by_time() {
        let server = Postgres::start(Durability::None).unwrap();
        let url = server.new_database().unwrap().parse().unwrap();
        let store = Store::connect(&Database::Postgres(url)).await.unwrap();
        for statement in [
            "INSERT INTO visit_experiments (visit_id, experiment_id, variation_id, step, locale, first_at) \
             SELECT 'visit_' || n, 'exp_1', n % 2, 1, 'en', CAST(n AS BIGINT) * 10000 FROM generate_series(1, 20000) n",
            "ANALYZE visit_experiments",
        ] {
            query(statement).write(&store.writer).await.unwrap();
        }
        let explained = format!("EXPLAIN {}", variations_sql(SHORT, true));
        let plan: Vec<String> = query(explained)
            .bind(SHORT.from)
            .bind(SHORT.to)
            .bind("exp_1")
            .fetch_all(&store.readers)
            .await
            .unwrap();
        let plan = plan.join("\n");
        assert!(plan.contains("visit_experiments_by_time"), "{plan}");
    }
}
