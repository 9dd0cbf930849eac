-- Each report counts which variations the visits of the last minutes saw. It reads a piece of this index, which has every
-- column that it needs; before, it looked up the variations of each visit.
CREATE INDEX IF NOT EXISTS visit_experiments_by_time
    ON visit_experiments (first_at, experiment_id, variation_id, locale, step);
