//! Which variations of experiments visits saw, for the operator's report.

use std::collections::BTreeMap;

use smol_str::format_smolstr;
use wire::VisitStep;

use super::super::sql::{Query, RowInPlace, query};
use super::super::visit::step;
use super::super::{Store, StoreError};
use super::cases::AddCase;
use super::tallies::Counts;
use super::visit_counts::{counts_at, steps};
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

/// Adds what a visit saw, or several that are alike, to what begins where its range does.
fn add_variations<T: AddCase>(sums: &mut BTreeMap<i64, T>, row: &RowInPlace<'_>) -> Result<(), StoreError> {
    let word = format_smolstr!("{} {}", row.int(3)?, row.text(2)?);
    let counts = counts_at(step(row.int(4)?)?, row.int(5)?);
    let sum = sums.entry(row.int(0)?).or_default();
    sum.add_case(row.int_or_null(1)?, &[(EXPERIMENT, &word)], &counts);
    Ok(())
}

impl Store {
    /// The variations that visits of these ranges saw, from the visits themselves: those of one experiment or of all.
    pub(super) async fn uncounted_variations<T: AddCase>(
        &self,
        ranges: &[(i64, i64)],
        locale: Option<&str>,
        experiment: Option<&str>,
    ) -> Result<BTreeMap<i64, T>, StoreError> {
        let is_long = |(from, to): &(i64, i64)| locale.is_some() || to - from > LONG_RANGE_MS;
        let (long, short): (Vec<_>, Vec<_>) = ranges.iter().partition(|range| is_long(range));
        let mut sums = BTreeMap::new();
        if !short.is_empty() {
            let sql = short_sql(experiment.is_some());
            let (read, full) = self.read_ranges(&sql, &short, experiment, add_variations).await?;
            sums = read;
            for range in full {
                let grouped = format!(
                    "WITH {} SELECT begins, CAST(NULL AS BIGINT), experiment_id, variation_id, step, COUNT(*) \
                     FROM ({sql}) AS seen GROUP BY begins, experiment_id, variation_id, step",
                    ranges_table(&[range], 1 + usize::from(experiment.is_some()))
                );
                let statement = experiment.into_iter().fold(query(grouped), Query::bind);
                let statement = bind_ranges(statement, &[range]);
                sums = statement.fold(&self.readers, sums, add_variations).await?;
            }
        }
        for (from, to) in long {
            let statement = query(long_sql(locale.is_some(), experiment.is_some()));
            let statement = statement.bind(from).bind(to);
            let statement = locale.into_iter().chain(experiment).fold(statement, Query::bind);
            sums = statement.fold(&self.readers, sums, add_variations).await?;
        }
        Ok(sums)
    }
}

/// The variations that visits of short ranges saw, read by time: an expression around a column keeps the database from the
/// other index. The table `ranges` is missing; the experiment is the first value.
fn short_sql(has_experiment: bool) -> String {
    let of_experiment = if has_experiment {
        "AND (e.experiment_id || '') = $1"
    } else {
        ""
    };
    format!(
        "SELECT r.begins AS begins, e.first_at, e.experiment_id AS experiment_id, e.variation_id AS variation_id, \
         e.step AS step, CAST(1 AS BIGINT) FROM ranges r CROSS JOIN visit_experiments e \
         WHERE e.first_at >= r.begins AND e.first_at < r.ends {of_experiment}"
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
        "SELECT CAST($1 AS BIGINT), CAST(NULL AS BIGINT), experiment_id, variation_id, step, COUNT(*) \
         FROM visit_experiments WHERE +first_at >= $1 AND +first_at < $2 {of_locale} {of_experiment} \
         GROUP BY experiment_id, variation_id, locale, step"
    )
}

#[cfg(test)]
mod tests {
    use harness::postgres::{Durability, Postgres};

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

    fn short_sql_of(range: (i64, i64)) -> String {
        format!("WITH {} {}", ranges_table(&[range], 2), short_sql(true))
    }

    #[tokio::test]
    async fn sqlite_reads_variations_of_a_short_range_by_time() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("cardform.db");
        let store = Store::connect(&Database::Sqlite(file)).await.unwrap();
        let explained = format!("EXPLAIN QUERY PLAN {}", short_sql_of(SHORT));
        let steps: Vec<SqliteStep> = query(explained)
            .bind("exp_1")
            .bind(SHORT.0)
            .bind(SHORT.1)
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
        let explained = format!("EXPLAIN {}", short_sql_of(SHORT));
        let plan: Vec<String> = query(explained)
            .bind("exp_1")
            .bind(SHORT.0)
            .bind(SHORT.1)
            .fetch_all(&store.readers)
            .await
            .unwrap();
        let plan = plan.join("\n");
        assert!(plan.contains("visit_experiments_by_time"), "{plan}");
    }
}
