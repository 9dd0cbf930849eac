-- The variations that the visits of the last minutes saw are counted for each report: a piece of this index, with all of it,
-- instead of a look at each visit's own.
CREATE INDEX IF NOT EXISTS visit_experiments_by_time
    ON visit_experiments (first_at, experiment_id, variation_id, locale, step);
