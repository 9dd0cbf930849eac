-- What the operator's report is made of: one row per visit (one page load), and no more of it than the report tells.

CREATE TABLE visits (
    -- The page load's UUID.
    id TEXT PRIMARY KEY,
    -- By this service's clock.
    first_at BIGINT NOT NULL,
    -- The furthest one: 1 viewed, 2 started, 3 ready, 4 submitted, 5 paid.
    step BIGINT NOT NULL,
    -- Each word is the last one that was told, with the browser's time of it, so that events may come in any order and
    -- twice. Empty at 0 when nothing was told.
    locale TEXT NOT NULL,
    locale_at BIGINT NOT NULL,
    brand TEXT NOT NULL,
    brand_at BIGINT NOT NULL,
    field TEXT NOT NULL,
    field_at BIGINT NOT NULL,
    error TEXT NOT NULL,
    error_at BIGINT NOT NULL,
    decline TEXT NOT NULL,
    decline_at BIGINT NOT NULL,
    -- new_card or saved_card.
    method TEXT NOT NULL,
    method_at BIGINT NOT NULL
);

-- Short ranges, how much a range holds, and what is forgotten.
CREATE INDEX visits_by_time ON visits (first_at);
-- Long ranges: in the order of what is counted, so that nothing has to be sorted, and with all of it, so that no row is
-- read.
CREATE INDEX visits_by_kind ON visits (locale, step, field, error, decline, brand, method, first_at);

-- The variation that a visit saw of an experiment; of several that it tells, the lowest.
CREATE TABLE visit_experiments (
    visit_id TEXT NOT NULL,
    experiment_id TEXT NOT NULL,
    variation_id BIGINT NOT NULL,
    -- The visit's, copied whenever they change: a million visits are not looked up one by one.
    step BIGINT NOT NULL,
    locale TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    PRIMARY KEY (visit_id, experiment_id)
);

CREATE INDEX visit_experiments_by_kind
    ON visit_experiments (experiment_id, variation_id, locale, step, first_at);

-- The experiments that visits may tell of; there are only so many.
CREATE TABLE experiments_told (
    id TEXT PRIMARY KEY
);

-- Charges over time by where they stand: each count is a piece of the index.
CREATE INDEX charges_by_time ON charges (status, created_at, decline_code);
-- What merchants have not taken yet, and since when.
CREATE INDEX webhook_events_waiting ON webhook_events (created_at) WHERE state IN ('due', 'queued');
