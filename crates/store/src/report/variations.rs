//! Which variations of experiments visits saw, for the operator's report.

use wire::VisitStep;

use super::super::sql::{query, read_from_row};
use super::super::{Store, StoreError};
use super::tallies::Counts;
use super::visit_counts::steps;
use super::{bind_ranges, ranges_table};

/// The topic of what visits saw of experiments. Its word is the variation's index, a space and the experiment.
pub(super) const EXPERIMENT: char = 'x';
/// A range that is longer than this and not counted, in milliseconds, has too many visits to sort what each one saw.
const LONG_RANGE_MS: i64 = 3 * 3_600_000;

/// Visits that saw the same variation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariationVisits {
    /// The experiment.
    pub experiment_id: String,
    /// The variation's index.
    pub variation_id: i64,
    /// How many came as far as which step and no further.
    pub steps: Vec<(VisitStep, i64)>,
}

impl VariationVisits {
    pub(super) fn of(word: &str, counts: &Counts) -> Result<Self, StoreError> {
        let parts = word.split_once(' ');
        let parts = parts.and_then(|(variation, experiment)| Some((variation.parse().ok()?, experiment)));
        let (variation_id, experiment_id) = parts.ok_or(StoreError::Unusable("variation of a visit"))?;
        Ok(Self {
            experiment_id: experiment_id.to_owned(),
            variation_id,
            steps: steps(counts),
        })
    }
}

/// Whether the word of a variation is of this experiment.
pub(super) fn is_of(word: &str, experiment: &str) -> bool {
    word.split_once(' ').is_some_and(|(_, of)| of == experiment)
}

/// Visits that saw the same variation and came equally far.
pub(super) struct VariationRow {
    /// The begin of the range in which they first came.
    pub(super) begins: i64,
    experiment_id: String,
    variation_id: i64,
    pub(super) step: i64,
    pub(super) visits: i64,
}

read_from_row!(VariationRow {
    begins,
    experiment_id,
    variation_id,
    step,
    visits,
});

impl VariationRow {
    pub(super) fn word(&self) -> String {
        format!("{} {}", self.variation_id, self.experiment_id)
    }
}

impl Store {
    /// The variations that visits of these ranges saw, from the visits themselves: those of one experiment or of all.
    pub(super) async fn uncounted_variations(
        &self,
        ranges: &[(i64, i64)],
        locale: Option<&str>,
        experiment: Option<&str>,
    ) -> Result<Vec<VariationRow>, StoreError> {
        let (long, short): (Vec<_>, Vec<_>) = ranges
            .iter()
            .partition(|(from, to)| locale.is_some() || to - from > LONG_RANGE_MS);
        let mut statements = Vec::new();
        if !short.is_empty() {
            statements.push(bind_ranges(
                query(short_sql(&short, experiment.is_some())),
                &short,
            ));
        }
        for (from, to) in long {
            let statement = query(long_sql(locale.is_some(), experiment.is_some()));
            let statement = statement.bind(from).bind(to);
            statements.push(match locale {
                Some(locale) => statement.bind(locale),
                None => statement,
            });
        }
        let mut seen = Vec::new();
        for statement in statements {
            let statement = match experiment {
                Some(experiment) => statement.bind(experiment),
                None => statement,
            };
            seen.extend(statement.fetch_all(&self.readers).await?);
        }
        Ok(seen)
    }
}

/// The variations that visits of short ranges saw, read by time: an expression around a column keeps the database from the
/// other index.
fn short_sql(ranges: &[(i64, i64)], has_experiment: bool) -> String {
    let of_experiment = if has_experiment {
        format!("AND (e.experiment_id || '') = ${}", 1 + 2 * ranges.len())
    } else {
        String::new()
    };
    format!(
        "WITH {} SELECT r.begins AS begins, e.experiment_id AS experiment_id, e.variation_id AS variation_id, \
         e.step AS step, COUNT(*) AS visits FROM ranges r CROSS JOIN visit_experiments e \
         WHERE e.first_at >= r.begins AND e.first_at < r.ends {of_experiment} \
         GROUP BY r.begins, e.experiment_id, e.variation_id, e.step",
        ranges_table(ranges, 1)
    )
}

/// The same of one long range, read in the order of what is counted.
fn long_sql(has_locale: bool, has_experiment: bool) -> String {
    let of_locale = if has_locale { "AND locale = $3" } else { "" };
    let of_experiment = match (has_experiment, has_locale) {
        (false, _) => "",
        (true, false) => "AND experiment_id = $3",
        (true, true) => "AND experiment_id = $4",
    };
    format!(
        "SELECT CAST($1 AS BIGINT) AS begins, experiment_id, variation_id, step, COUNT(*) AS visits \
         FROM visit_experiments WHERE +first_at >= $1 AND +first_at < $2 {of_locale} {of_experiment} \
         GROUP BY experiment_id, variation_id, locale, step"
    )
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

    const SHORT: (i64, i64) = (0, 1_800_000);

    #[tokio::test]
    async fn sqlite_reads_variations_of_a_short_range_by_time() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("cardform.db");
        let store = Store::connect(&Database::Sqlite(file)).await.unwrap();
        let explained = format!("EXPLAIN QUERY PLAN {}", short_sql(&[SHORT], true));
        let steps: Vec<SqliteStep> = query(explained)
            .bind(SHORT.0)
            .bind(SHORT.1)
            .bind("exp_1")
            .fetch_all(&store.readers)
            .await
            .unwrap();
        let plan: Vec<String> = steps.into_iter().map(|step| step.0).collect();
        let plan = plan.join("\n");
        assert!(plan.contains("visit_experiments_by_time"), "{plan}");
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
        let explained = format!("EXPLAIN {}", short_sql(&[SHORT], true));
        let plan: Vec<String> = query(explained)
            .bind(SHORT.0)
            .bind(SHORT.1)
            .bind("exp_1")
            .fetch_all(&store.readers)
            .await
            .unwrap();
        let plan = plan.join("\n");
        assert!(plan.contains("visit_experiments_by_time"), "{plan}");
    }
}
